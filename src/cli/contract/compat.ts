import { basename, dirname, resolve } from "node:path";
import { nextVersion } from "../../contract/next-version.ts";
import type { CompatibilityOptions } from "../../contract/options.ts";
import type { ReportFormat } from "../../contract/report/report-format.ts";
import { formatReport } from "../../contract/report/format-report.ts";
import { type CheckedPair, compatibilityOf } from "../../contract/subjects/checked-pair.ts";
import { parseSchemaText } from "../../contract/subjects/subject-files.ts";
import { subjectOf } from "../../contract/subjects/subject.ts";
import { exitCodeOf } from "./check.ts";
import { readText, witnessCodecs } from "./files.ts";
import { Misuse } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

/** The options of `sobre contract compat`. */
export interface CompatCommand extends Omit<CompatibilityOptions, "format" | "older" | "newer"> {
  readonly format: ReportFormat;
  readonly strict?: boolean;
}

/** Compares two files; resolves to the exit code. */
export async function compareFiles(
  [older, newer]: readonly [string, string],
  { strict = false, format: reportFormat, ...rest }: CompatCommand,
  terminal: Terminal,
): Promise<number> {
  const isProto = newer.endsWith(".proto");
  if (older.endsWith(".proto") !== isProto)
    throw new Misuse(`${older} and ${newer} have different formats: both must be .proto files, or neither`);
  const format = isProto ? "protobuf" : "json-schema";
  const read = (file: string) => {
    const text = readText(file);
    const schema = isProto ? text : parseSchemaText(text, file);
    return { version: basename(file), file, text, parts: [], format, schema } as const;
  };
  const [before, after] = [read(older), read(newer)];
  const result = await compatibilityOf(before, after, { ...rest, format, codecs: witnessCodecs() });
  const { direction, contentModel, formats, policy: protobuf } = rest;
  const settings = { policy: { direction, contentModel, formats, protobuf } };
  const subject = subjectOf(basename(dirname(resolve(newer))), settings, []);
  const versions = { older: { ...before, file: before.version }, newer: { ...after, file: after.version } };
  const next = nextVersion(result.verdict, versions.older, versions.newer);
  const pair: CheckedPair = { subject, ...versions, direction: subject.direction, result, nextVersion: next };
  const report = { pairs: [pair], changes: [], problems: [], locked: 0, folder: dirname(newer), strict };
  await terminal.out(formatReport(report, reportFormat));
  return exitCodeOf(report);
}
