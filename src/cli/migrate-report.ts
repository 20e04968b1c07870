import type {
  FailureReport,
  MigrationFinding,
  MigrationReport,
  TypeReport,
  MigrationVerdict,
} from "../migration/report.ts";
import type { HexWindow } from "../migration/journal-entry.ts";
import { byteSize, groupedFindings, hexLines, stepNames, targetNames } from "../migration/report-words.ts";
import { counted, displayWidth, fit, oneLine } from "./display.ts";
import { gap, renderTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** The layout of a report. */
export interface ReportLayout extends Pick<Terminal, "columns" | "style"> {
  /** Whether the report is complete, with every path, or shortened to fit a terminal. */
  readonly full: boolean;
  /** The folder of the messages that failed, if they were kept. */
  readonly quarantine?: string | undefined;
}

/** Rows of each table on a terminal. */
const mostRows = 12;

/** The report of a migration as text. */
export function migrateReport(report: MigrationReport, layout: ReportLayout): string {
  const { style } = layout;
  const parts = [
    headline(report, layout),
    outcomes(report, layout),
    section("Formats", formats(report, layout), layout),
    section("Types", types(report.types, layout), layout),
    section("Ambiguous", findings(report.ambiguities, layout), layout),
    section("Settled by other messages", findings(report.settled, layout), layout),
    section("Lost", findings(report.losses, layout), layout),
    section(
      "Readers say",
      report.warnings.map(({ text, count }) => wrapped([`${count} ×`, oneLine(text)], layout)).join("\n"),
      layout,
    ),
    section("Failed", failures(report.failures, layout), layout),
    `${style.bold(verdicts[report.verdict])} ${style.dim(next(report, layout))}`,
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
  return [
    `${style.bold(fit(oneLine(source), columns - 30))} → ${style.bold(targetNames[target])}  ${style.dim(where)}`,
    style.dim(`${counted(messages, "message")}, ${byteSize(bytes)}, ${seconds.toFixed(1)} s${rate}`),
  ].join("\n");
}

function outcomes(
  { outcomes: { migrated, kept, failed, lossy, resumed }, schemaChecks }: MigrationReport,
  { style }: ReportLayout,
): string {
  const cells = [
    style.green(`${migrated - lossy} migrated`),
    ...(kept === 0 ? [] : [style.green(`${kept} unchanged`)]),
    ...(lossy === 0 ? [] : [style.yellow(`${lossy} with losses`)]),
    ...(failed === 0 ? [] : [style.red(`${failed} failed`)]),
    ...(resumed === 0 ? [] : [style.dim(`${resumed} of them before`)]),
    ...(schemaChecks === 0 ? [] : [style.dim(`${schemaChecks} checked by schema`)]),
  ];
  return cells.join("   ");
}

function section(title: string, text: string, { style }: ReportLayout): string {
  return text === "" ? "" : `${style.cyan(title)}\n${text}`;
}

function formats({ formats: all, messages }: MigrationReport, { columns, style }: ReportLayout): string {
  const width = Math.max(...all.map(({ format }) => displayWidth(format)));
  const room = Math.max(10, Math.min(30, columns - width - 30));
  const rows = all.map(({ format, messages: own, bytes }) => [
    format,
    own.toLocaleString("en"),
    byteSize(bytes),
    style.dim("█".repeat(Math.max(1, Math.round((own / messages) * room)))),
  ]);
  return renderTable(rows, { widths: [width, 9, 10, room], right: [1, 2], indent: 2 });
}

function types(all: readonly TypeReport[], { columns, style, full }: ReportLayout): string {
  const shown = full ? all : all.slice(0, mostRows);
  const name = columns - 2 - 9 - 24 - 9 - 4 * gap;
  const rows = shown.map(({ name: typeName, messages, codecs, paths, morePaths }) => [
    fit(oneLine(spaceLast(typeName)), name),
    messages.toLocaleString("en"),
    fit(Object.keys(codecs).join(", "), 24),
    counted(paths.length + morePaths, "path"),
  ]);
  const table = renderTable(rows, { widths: [name, 9, 24, 9], right: [1], indent: 2 });
  const rest = all.length - shown.length;
  const more = rest === 0 ? "" : `\n${style.dim(`  and ${rest} more; --report FILE.html has all, with their paths`)}`;
  return full ? shown.map((type) => `${typeTitle(type)}\n${pathTable(type, columns)}`).join("\n") : `${table}${more}`;
}

/** The namespace after the name, where it may be cut off. */
function spaceLast(typeName: string): string {
  return typeName.replace(/^\{(.*)\}(.*)$/, "$2  $1");
}

function typeTitle({ name, messages, codecs }: TypeReport): string {
  return `  ${oneLine(name)}: ${counted(messages, "message")} (${Object.keys(codecs).join(", ")})`;
}

function pathTable({ paths: all, morePaths }: TypeReport, columns: number): string {
  const width = Math.min(40, Math.max(...all.map(({ path }) => displayWidth(path))));
  const rest = Math.floor((columns - 4 - width - 3 * gap) / 2);
  const rows = all.map(({ path, kinds, absent, becomes }) => [
    fit(oneLine(path), width),
    [
      ...Object.entries(kinds).map(([kind, number]) => `${kind} ${number}`),
      ...(absent > 0 ? [`absent ${absent}`] : []),
    ].join(", "),
    becomes,
  ]);
  const table = renderTable(rows, { widths: [width, rest, rest], indent: 4 });
  return morePaths === 0 ? table : `${table}\n    and ${morePaths} more`;
}

/** Grouped by meaning, since one sentence stands for many paths. */
function findings(all: readonly MigrationFinding<string>[], layout: ReportLayout): string {
  const { columns, style, full } = layout;
  return groupedFindings(all)
    .map((group) => {
      const [{ kind, text } = { kind: "", text: "" }] = group;
      const shown = full ? group : group.slice(0, mostRows);
      const width = columns - 4 - 8 - 2 * gap;
      const rows = shown.map(({ type, path, count: number }) => {
        const where = oneLine(path);
        return [
          `${number} ×`,
          `${fit(oneLine(shortName(type)), Math.max(20, width - displayWidth(where) - 1))} ${style.bold(where)}`,
        ];
      });
      const table = renderTable(rows, { widths: [8, width], right: [0], indent: 4 });
      const rest = group.length - shown.length;
      const more = rest === 0 ? "" : `\n${style.dim(`    and ${rest} more paths`)}`;
      return `${wrapped(["", `${kind}: ${text}`], layout)}\n${table}${more}`;
    })
    .join("\n");
}

/** Namespaces take more room than they are worth. */
function shortName(type: string): string {
  return type.replace(/^\{.*\}/, "");
}

function failures(all: readonly FailureReport[], layout: ReportLayout): string {
  const { style, full } = layout;
  return all
    .map(({ step, code, count: number, examples }) => {
      const title = `  ${style.red(`${number} × ${code}`)} ${style.dim(stepNames[step])}`;
      const shown = full ? examples : examples.slice(0, 3);
      const texts = shown.map(({ id, message, offset, hex }) => {
        const bytes = hex === undefined ? [] : hexText(hex, offset).map((line) => `      ${style.dim(line)}`);
        return [
          `    ${style.bold(oneLine(id))}`,
          wrapped(["", oneLine(message)], { ...layout, indent: 4 }),
          ...bytes,
        ].join("\n");
      });
      return [title, ...texts].join("\n");
    })
    .join("\n");
}

function hexText(window: HexWindow, offset: number | undefined): readonly string[] {
  return hexLines(window, offset).map(({ at, bytes }) => {
    const cells = bytes.map(({ hex, isMarked }) => `${isMarked ? "[" : " "}${hex}`).join("");
    return `${at} ${cells.padEnd(48)}  ${bytes.map(({ text }) => text).join("")}`;
  });
}

function wrapped(
  [head = "", text = ""]: readonly string[],
  { columns, indent = 0 }: Pick<ReportLayout, "columns"> & { readonly indent?: number },
): string {
  const width = head === "" ? 0 : 8;
  if (width === 0) return renderTable([[text]], { widths: [columns - 2 - indent - gap], indent: 2 + indent });
  return renderTable([[head, text]], { widths: [width, columns - width - 2 - 2 * gap], right: [0], indent: 2 });
}
