import CliTable from "cli-table3";

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
    colWidths: widths.map((width) => Math.max(least, width) + gap),
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
const least = 3;

/** Spaces after each column. */
export const gap = 2;
