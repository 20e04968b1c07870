import type {
  FailedMessage,
  FailureReport,
  MigrationFinding,
  MigrationReport,
  TypeReport,
  MigrationVerdict,
} from "../../migration/report/report.ts";
import type { HexWindow } from "../../migration/journal-entry.ts";
import { byteSize, groupedFindings, hexLines, stepNames, targetNames } from "../../migration/report/report-words.ts";
import { counted, oneLine, shortTypeName } from "../display.ts";
import { facts, flow, paragraph } from "./report-layout.ts";
import type { Terminal } from "../terminal.ts";

/** The layout of a report. */
export interface ReportLayout extends Pick<Terminal, "columns" | "style"> {
  /** Whether the report is complete, with every path and failure, or shortened for a terminal. */
  readonly full: boolean;
  /** The folder of the messages that failed, if they were kept. */
  readonly quarantine?: string | undefined;
}

/** Rows of each table on a terminal. */
const maxRows = 12;
/** Failures of one code on a terminal. */
const maxFailures = 3;

/** The report of a migration as text. */
export function migrateReport(report: MigrationReport, layout: ReportLayout): string {
  const { style, columns } = layout;
  const parts = [
    headline(report, layout),
    outcomes(report, layout),
    section("Formats", formats(report, layout), layout),
    section("Types", layout.full ? typesInFull(report.types, layout) : types(report.types, layout), layout),
    section("Ambiguous", findings(report.ambiguities, layout), layout),
    section("Settled by other messages", findings(report.settled, layout), layout),
    section("Lost", findings(report.losses, layout), layout),
    section(
      "Readers say",
      report.warnings.flatMap(({ text, count }) => numbered(count, oneLine(text), layout)),
      layout,
    ),
    section("Failed", failures(report.failures, layout), layout),
    [
      ...paragraph(verdicts[report.verdict], columns, 0).map((line) => style.bold(line)),
      ...paragraph(next(report, layout), columns, 0).map((line) => style.dim(line)),
    ]
      .join("\n")
      .trimEnd(),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const verdicts: Readonly<Record<MigrationVerdict, string>> = {
  clean: "Clean: every value was read back unchanged.",
  ambiguous: "Ambiguous: nothing is lost, but some values may be read in two ways.",
  losses: "With losses: every message was migrated, and some lost information.",
  failures: "With failures: some messages were not migrated.",
};

function next({ output, outcomes: { failed } }: MigrationReport, { quarantine }: ReportLayout): string {
  const kept = failed > 0 && quarantine !== undefined ? `They are in ${oneLine(quarantine)}.` : "";
  if (output === undefined)
    return kept === "" ? "Nothing was written; --out FILE writes." : `${kept} --out FILE writes the others.`;
  return failed > 0 && kept === "" ? "--quarantine DIR keeps what failed." : kept;
}

function headline(
  { source, target, output, seconds, messages, bytes }: MigrationReport,
  { columns, style }: ReportLayout,
): string {
  const where = output === undefined ? "dry run" : `to ${oneLine(output)}`;
  const rate = seconds > 0 ? `, ${Math.round(messages / seconds).toLocaleString("en")}/s` : "";
  const title = `${oneLine(source)} → ${targetNames[target]}  ${where}`;
  const about = `${counted(messages, "message")}, ${byteSize(bytes)}, ${seconds.toFixed(1)} s${rate}`;
  return [
    ...paragraph(title, columns, 0).map((line) => style.bold(line)),
    ...paragraph(about, columns, 0).map((line) => style.dim(line)),
  ].join("\n");
}

const number = (count: number): string => count.toLocaleString("en");

/** The counts of messages on the first lines, and the checks of the same messages on another. */
function outcomes(
  { outcomes: { migrated, kept, failed, lossy, resumed }, schemaChecks }: MigrationReport,
  { style, columns }: ReportLayout,
): string {
  const cells: readonly (readonly [text: string, paint: (text: string) => string])[] = [
    [`${number(migrated - lossy)} migrated`, style.green],
    ...(kept === 0 ? [] : [[`${number(kept)} unchanged`, style.green] as const]),
    ...(lossy === 0 ? [] : [[`${number(lossy)} with losses`, style.yellow] as const]),
    ...(failed === 0 ? [] : [[`${number(failed)} failed`, style.red] as const]),
  ];
  const paints = new Map(cells);
  const lines = flow(
    cells.map(([text]) => text),
    columns,
    paints,
  );
  const more = [
    ...(resumed === 0 ? [] : [`${number(resumed)} of them before`]),
    ...(schemaChecks === 0 ? [] : [`${number(schemaChecks)} checked by schema`]),
  ];
  return [...lines, ...paragraph(more.join(", "), columns, 0).map((line) => style.dim(line))].join("\n").trimEnd();
}

function section(title: string, lines: readonly string[], { style }: ReportLayout): string {
  return lines.length === 0 ? "" : [style.cyan(title), ...lines].join("\n");
}

/** Columns of the widest bar. */
const maxBarWidth = 30;

function formats({ formats: all, messages }: MigrationReport, { columns }: ReportLayout): readonly string[] {
  const bar = Math.max(0, Math.min(maxBarWidth, columns - 50));
  const rows = all.map(({ format, messages: own, bytes }) => ({
    name: format,
    cells: [
      counted(own, "message"),
      byteSize(bytes),
      ...(bar === 0 ? [] : ["█".repeat(Math.max(1, Math.round((own / messages) * bar)))]),
    ],
  }));
  return facts(rows, columns, [0, 1]);
}

function types(all: readonly TypeReport[], { columns, style }: ReportLayout): readonly string[] {
  const shown = all.slice(0, maxRows);
  const rows = shown.map(({ name, messages, codecs, paths, morePaths }) => ({
    name: labelOf(name, all),
    cells: [counted(messages, "message"), Object.keys(codecs).join(" "), counted(paths.length + morePaths, "path")],
  }));
  const rest = all.length - shown.length;
  const more = `and ${rest} more; --report FILE.html has all, with their paths`;
  return [
    ...facts(rows, columns, [0, 2]),
    ...(rest === 0 ? [] : paragraph(more, columns, 2).map((line) => style.dim(line))),
  ];
}

function typesInFull(all: readonly TypeReport[], { columns }: ReportLayout): readonly string[] {
  return all.flatMap(({ name, messages, codecs, paths, morePaths, sample }) => [
    ...paragraph(
      `${oneLine(name)}: ${counted(messages, "message")} (${Object.keys(codecs).join(", ")})`,
      columns,
      2,
      2,
    ),
    ...paths.flatMap(({ path, kinds, absent, becomes }) => {
      const was = Object.entries({ ...kinds, ...(absent > 0 ? { absent } : {}) }).map(
        ([kind, count]) => `${kind} ${count}`,
      );
      return paragraph(`${oneLine(path)}: ${was.join(", ")} → ${becomes}`, columns, 4, 2);
    }),
    ...(morePaths === 0 ? [] : [`    and ${morePaths} more`]),
    ...(sample === undefined
      ? []
      : [
          ...paragraph(`before: ${oneLine(sample.before)}`, columns, 4, 2),
          ...paragraph(`after: ${oneLine(sample.after)}`, columns, 4, 2),
        ]),
  ]);
}

/** The short name, with the full one if other types have the same. */
function labelOf(name: string, all: readonly Pick<TypeReport, "name">[]): string {
  const short = shortTypeName(name);
  const isOnly = all.filter((other) => shortTypeName(other.name) === short).length === 1;
  return oneLine(isOnly || short === name ? short : `${short}  ${name}`);
}

/** Grouped by meaning, since one sentence stands for many paths. */
function findings(all: readonly MigrationFinding<string>[], layout: ReportLayout): readonly string[] {
  const { columns, style, full } = layout;
  return groupedFindings(all).flatMap((group) => {
    const [{ kind, text } = { kind: "", text: "" }] = group;
    const shown = full ? group : group.slice(0, maxRows);
    const rest = group.length - shown.length;
    return [
      ...paragraph(`${kind}: ${text}`, columns, 2),
      ...shown.flatMap(({ type, path, count }) =>
        numbered(count, `${oneLine(shortTypeName(type))} ${oneLine(path)}`, layout),
      ),
      ...(rest === 0 ? [] : [style.dim(`    and ${rest} more paths`)]),
    ];
  });
}

/** A count in its column, and the text next to it. */
function numbered(count: number, text: string, { columns }: ReportLayout): readonly string[] {
  const head = `${count.toLocaleString("en")} ×`.padStart(9);
  return wrapped(text, columns, head.length + 2).map(
    (line, index) => `${index === 0 ? head : " ".repeat(head.length)}  ${line}`,
  );
}

const wrapped = (text: string, columns: number, indent: number): readonly string[] =>
  paragraph(text, columns, indent).map((line) => line.slice(indent));

function failures(all: readonly FailureReport[], layout: ReportLayout): readonly string[] {
  const { style, full, columns } = layout;
  return all.flatMap(({ step, code, count, messages }) => {
    const shown = full ? messages : messages.slice(0, maxFailures);
    const rest = count - shown.length;
    const more = `and ${rest.toLocaleString("en")} more; --report FILE.html names all`;
    return [
      ...paragraph(`${count.toLocaleString("en")} × ${code} ${stepNames[step]}`, columns, 2).map((line) =>
        style.red(line),
      ),
      ...shown.flatMap((failed) => failure(failed, layout)),
      ...(rest === 0 ? [] : paragraph(more, columns, 4).map((line) => style.dim(line))),
    ];
  });
}

function failure(
  { id, messageId, sequenceNumber, file, message, offset, hex }: FailedMessage,
  layout: ReportLayout,
): readonly string[] {
  const { style, columns } = layout;
  const about = [
    ...(messageId === undefined ? [] : [`message ${oneLine(messageId)}`]),
    ...(sequenceNumber === undefined ? [] : [`#${sequenceNumber}`]),
    ...(file === undefined ? [] : [`kept in ${oneLine(file)}`]),
  ];
  return [
    ...paragraph(oneLine(id), columns, 4).map((line) => style.bold(line)),
    ...(about.length === 0 ? [] : paragraph(about.join(", "), columns, 6)),
    ...paragraph(oneLine(message), columns, 6),
    ...(hex === undefined ? [] : hexText(hex, offset, columns).map((line) => style.dim(line))),
  ];
}

/** Columns of a line of a hex dump: its offset, and each byte in hex and as a character. */
const hexColumns = (bytes: number): number => 6 + 8 + 1 + bytes * 3 + 2 + bytes;

function hexText(window: HexWindow, offset: number | undefined, columns: number): readonly string[] {
  const bytesPerLine = [16, 8].find((bytes) => hexColumns(bytes) <= columns) ?? 4;
  return hexLines(window, offset, bytesPerLine).map(({ at, bytes }) => {
    const cells = bytes.map(({ hex, isMarked }) => `${isMarked ? "[" : " "}${hex}`).join("");
    return `      ${at} ${cells.padEnd(bytesPerLine * 3)}  ${bytes.map(({ text }) => text).join("")}`;
  });
}
