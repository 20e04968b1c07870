import CliTable from "cli-table3";
import { displayWidth, fit, oneLine } from "./display.ts";
import type { Attempt } from "../core/codec/attempt.ts";
import type { UnreadableResult } from "../core/codec/result.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import type { Terminal } from "./terminal.ts";

/** The layout of {@link renderTable}. */
export interface TableLayout {
  /** The width of each column on the terminal, including two blanks after it. */
  readonly widths: readonly number[];
  readonly head?: readonly string[];
  /** Columns that are aligned right. Default: none. */
  readonly right?: readonly number[];
  /** Spaces before each line. Default: 0. */
  readonly indent?: number;
}

const corners = ["top", "bottom"].flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`]);
const sides = ["left", "mid", "right"].flatMap((side) => [side, `${side}-mid`]);
const noLines = Object.fromEntries([...corners, ...sides, "middle"].map((place) => [place, ""]));

/** Draws a table without rules; cells that are too long wrap between words. */
export function renderTable(rows: readonly (readonly string[])[], layout: TableLayout): string {
  const { widths, head = [], right = [], indent = 0 } = layout;
  const table = new CliTable({
    chars: noLines,
    head: [...head],
    colWidths: widths.map((width) => Math.max(minCellWidth, width) + gap),
    colAligns: widths.map((_, index) => (right.includes(index) ? "right" : "left")),
    wordWrap: true,
    style: { "padding-left": 0, "padding-right": gap, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  const margin = " ".repeat(indent);
  return table
    .toString()
    .split("\n")
    .map((line) => `${margin}${line}`.trimEnd())
    .join("\n");
}

/** Minimum width of a cell, even if the terminal is too narrow for all. */
const minCellWidth = 3;

/** Spaces after each column. */
export const gap = 2;

/** One column of a {@link columnTable}. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  /** Whether it is aligned right. Default: left. */
  readonly isNumber?: boolean;
}

/** Minimum width of the first column; below it, other columns are dropped. */
const leastFirst = 16;

/**
 * Draws each row on one line: columns that do not fit are dropped, starting with the last, and then the first one is cut. A
 * column that is empty in every row is dropped, too.
 */
export function columnTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const drawn = columns
    .map(({ head, cell, isNumber = false }) => {
      const cells = rows.map(cell);
      return { head, cells, isNumber, width: Math.max(displayWidth(head), ...cells.map(displayWidth)) };
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const [first, ...others] = drawn;
  if (first === undefined) return "";
  let room = width - Math.min(first.width, Math.max(leastFirst, Math.floor(width / 3)));
  const kept = others.filter((column) => {
    const fits = column.width + gap <= room;
    // Columns are in order of importance.
    room = fits ? room - column.width - gap : 0;
    return fits;
  });
  const taken = kept.reduce((sum, column) => sum + column.width + gap, 0);
  const all = [{ ...first, width: Math.min(first.width, width - taken) }, ...kept];
  const lines = [undefined, ...rows.keys()].map((index) =>
    all
      .map(({ head, cells, isNumber, width: own }) => {
        const text = fit(index === undefined ? head : (cells[index] ?? ""), own);
        const space = " ".repeat(own - displayWidth(text));
        return isNumber ? `${space}${text}` : `${text}${space}`;
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
  return lines.join("\n");
}

/** Every attempt at an unreadable payload, one per line: codec, code, offset and reason; then the codecs that were ruled out. */
export function attemptTable(
  { attempts, error }: Pick<UnreadableResult, "attempts" | "error">,
  { columns, style }: Pick<Terminal, "columns" | "style">,
): string {
  const indent = 2;
  const ruledOut = attempts.filter(({ outcome }) => outcome === "vetoed").map(({ codec }) => codec);
  const tried = attempts.filter(({ outcome }) => outcome !== "vetoed");
  const taken = [Math.max(8, ...tried.map(({ codec }) => codec.length)), 18, 9];
  const why = columns - indent - taken.reduce((sum, width) => sum + width + gap, 0);
  // The reason why the declared codec was not tried is not an attempt, but explains all that follow.
  const problem = attempts.length === 0 ? error : error.cause;
  const before = problem instanceof SobreError ? [["message", problem.code, "", oneLine(problem.message)]] : [];
  const others =
    ruledOut.length === 0 ? [] : [["others", "ruled out", "", `by the first bytes: ${ruledOut.join(", ")}`]];
  const rows = [...before, ...tried.map(attemptRow), ...others];
  return renderTable(
    rows.map(([codec = "", code = "", where = "", reason = ""]) => [codec, style.yellow(code), where, reason]),
    { widths: [...taken, why], indent },
  );
}

function attemptRow({ codec, outcome, code, offset, message }: Attempt): readonly string[] {
  return [codec, code ?? outcome, offset === undefined ? "" : `byte ${offset}`, oneLine(message ?? "")];
}
