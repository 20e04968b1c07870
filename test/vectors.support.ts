import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestOptions } from "vitest";
import { leftOutWithout } from "./left-out.support.ts";

const named = process.env["SOBRE_VECTORS"];
if (named !== undefined && !existsSync(named)) throw new Error(`SOBRE_VECTORS names ${named}, which is not there.`);
if (named === undefined && process.env["REQUIRE_VECTORS"] === "1")
  throw new Error("REQUIRE_VECTORS=1 insists on the vectors folder: set SOBRE_VECTORS to its path.");

/** Whether the whole vectors folder is there; otherwise the tests read the part that the repository keeps. */
const hasAllVectors: boolean = named !== undefined;

/** The folder of vectors that SOBRE_VECTORS names, or the part of it in `fixtures/vectors`, with the same layout. */
export const vectors: string = named ?? fileURLToPath(new URL("../fixtures/vectors", import.meta.url));

/** A figure, e.g. a count, for the whole vectors folder, or for the part of it that the repository keeps. */
export function ofVectors<T>(whole: T, kept: T): T {
  return hasAllVectors ? whole : kept;
}

/** The parts of the vectors folder of which the repository keeps nothing: public suites and corpora of other projects. */
type UnkeptVectors =
  | "amqp/dotnet-single-values.json"
  | "amqp/go-amqp-fuzz"
  | "amqp/index.json"
  | "emulator/Config.sample.json"
  | "suites/json-test-suite"
  | "suites/msgpack-test-suite"
  | "suites/wpt-mime";

/** The options of tests that read a part of the vectors folder which the repository does not keep: they are skipped without it. */
export function needsVectors(part: UnkeptVectors): TestOptions {
  return leftOutWithout(`vectors: ${part}`, hasAllVectors);
}
