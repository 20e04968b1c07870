import { basename, dirname, resolve } from "node:path";
import { checkCompatibility } from "../contract/check-compatibility.ts";
import type { CompatibilityOptions } from "../contract/options.ts";
import type { ReportFormat } from "../contract/report/check-report.ts";
import { formatReport } from "../contract/report/format-report.ts";
import type { CheckedPair } from "../contract/subjects/checked-pair.ts";
import type { Subject } from "../contract/subjects/subject.ts";
import { exitCodeOf } from "./contract-check.ts";
import { parseSchema, readText, reportingUnreadable, witnessCodecs } from "./contract-files.ts";
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
  return reportingUnreadable(terminal, async () => {
    const isProto = newer.endsWith(".proto");
    if (older.endsWith(".proto") !== isProto)
      throw new Misuse(`${older} and ${newer} are of two formats; both must be .proto files, or neither`);
    const texts = [older, newer].map(readText);
    const [first, second] = texts.map((text, at) => (isProto ? text : parseSchema(text, at === 0 ? older : newer)));
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
        format: isProto ? "protobuf" : "json-schema",
        schema: at === 0 ? first : second,
      }) as const;
    const { direction = "backward", contentModel = "declared-writer", formats = "either", policy = "json" } = rest;
    const name = basename(dirname(resolve(newer)));
    const subject: Subject = { ...noSubject, name, direction, contentModel, formats, policy };
    const pair: CheckedPair = {
      subject,
      older: version(older, 0),
      newer: version(newer, 1),
      direction,
      result,
    };
    const report = { pairs: [pair], changes: [], problems: [], locked: 0, folder: dirname(newer), strict };
    await terminal.out(formatReport(report, format));
    return exitCodeOf(report);
  });
}

const noSubject: Subject = {
  name: "",
  owner: "",
  codecs: [],
  direction: "backward",
  contentModel: "declared-writer",
  formats: "either",
  policy: "json",
  typeName: "agreed",
  tested: "allow",
  ignore: [],
  inFlight: [],
  envelope: { brokerProperties: {}, applicationProperties: {} },
  versions: [],
};
