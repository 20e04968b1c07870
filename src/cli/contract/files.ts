import { readFileSync } from "node:fs";
import { amqp } from "../../../codecs/amqp/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import type { Codec } from "../../core/codec/codec.ts";
import { createSerializer, type Serializer } from "../../core/codec/serializer.ts";
import { protosOf } from "../../contract/sources/proto-files.ts";
import { isObject } from "../../contract/json-schema/json-value.ts";
import type { SubjectVersion } from "../../contract/subjects/subject-version.ts";
import { textOf } from "../../contract/subjects/subject-files.ts";
import { parsedJson } from "../../core/values/json.ts";
import { fileProblem, Misuse } from "../terminal.ts";

/** The codecs whose bytes carry witnesses on the command line. */
export function witnessCodecs(): readonly Codec[] {
  return [json(), msgpack(), amqp()];
}

const serializer = createSerializer({ codecs: witnessCodecs() });

/** The codecs that today's code of a version reads with. */
export function versionSerializer(version: SubjectVersion | undefined): Serializer {
  if (version?.format !== "protobuf") return serializer;
  return createSerializer({ codecs: [...witnessCodecs(), protobuf({ protos: protosOf(version) })] });
}

/** The text of a file. @throws Misuse when it cannot be read, SobreError `InvalidArgument` when it is not UTF-8. */
export function readText(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Misuse(fileProblem(file, error));
  }
  return textOf(bytes, file);
}

/** A report that check or compat wrote. @throws Misuse when the file is not one. */
export function readReport(file: string): unknown {
  const report = parsedJson(readText(file));
  if (isObject(report) && Array.isArray(report["pairs"])) return report;
  throw new Misuse(`${file} is not a report of check or compat with --format json`);
}
