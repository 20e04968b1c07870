import { fileURLToPath } from "node:url";
import { testGoldenReader } from "./golden-reader.support.ts";
import { python } from "./installed.support.ts";

const script = fileURLToPath(new URL("golden_reader.py", import.meta.url));

testGoldenReader({ language: "Python", command: [python, script] });
