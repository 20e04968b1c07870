import { basename, dirname, resolve } from "node:path";
import { checkCompatibility } from "../contract/check-compatibility.ts";
import { nextVersion } from "../contract/next-version.ts";
import type { CompatibilityOptions } from "../contract/options.ts";
import type { ReportFormat } from "../contract/report/report-format.ts";
import { formatReport } from "../contract/report/format-report.ts";
import type { CheckedPair } from "../contract/subjects/checked-pair.ts";
import { parseSchemaText } from "../contract/subjects/subject-files.ts";
import { subjectOf } from "../contract/subjects/subject.ts";
import { exitCodeOf } from "./contract-check.ts";
import { readText, witnessCodecs } from "./contract-files.ts";
import { Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `sobre contract compat`. */
export interface CompatCommand extends Omit<CompatibilityOptions, "format" | "older" | "newer"> {
  readonly format: ReportFormat;
  readonly strict?: boolean;
}

/** Compares two files; resolves to the exit code. */
export async function compareFiles(
  [older, newer]: readonly [string, string],
  { strict = false, format, ...rest }: CompatCommand,
  terminal: Terminal,
): Promise<number> {
  const isProto = newer.endsWith(".proto");
  if (older.endsWith(".proto") !== isProto)
    throw new Misuse(`${older} and ${newer} have different formats: both must be .proto files, or neither`);
  const texts = [older, newer].map(readText);
  const [first, second] = texts.map((text, at) => (isProto ? text : parseSchemaText(text, at === 0 ? older : newer)));
  const result = await checkCompatibility({
    ...rest,
    format: isProto ? "protobuf" : "json-schema",
    older: first,
    newer: second,
    codecs: witnessCodecs(),
  });
  const version = (file: string, at: number) =>
    ({
      version: basename(file),
      file: basename(file),
      text: texts[at] ?? "",
      parts: [],
      format: isProto ? "protobuf" : "json-schema",
      schema: at === 0 ? first : second,
    }) as const;
  const { direction, contentModel, formats, policy: protobuf } = rest;
  const settings = { policy: { direction, contentModel, formats, protobuf } };
  const subject = subjectOf(basename(dirname(resolve(newer))), settings, []);
  const versions = { older: version(older, 0), newer: version(newer, 1) };
  const next = nextVersion(result.verdict, versions.older, versions.newer);
  const pair: CheckedPair = { subject, ...versions, direction: subject.direction, result, nextVersion: next };
  const report = { pairs: [pair], changes: [], problems: [], locked: 0, folder: dirname(newer), strict };
  await terminal.out(formatReport(report, format));
  return exitCodeOf(report);
}
