import { testGoldenReader } from "./golden-reader.support.ts";
import { javaGoldenReader } from "./installed.support.ts";

testGoldenReader({ language: "Java", command: ["java", ...javaGoldenReader()] });
