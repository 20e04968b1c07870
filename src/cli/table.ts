import CliTable from "cli-table3";

/** How a {@link renderTable} looks. */
export interface TableLayout {
  /** Columns of the terminal that each column takes, with two of space after it. */
  readonly widths: readonly number[];
  readonly head?: readonly string[];
  /** Columns that are set to the right; default: none. */
  readonly right?: readonly number[];
  /** Spaces before each line. Default: 0. */
  readonly indent?: number;
}

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};

/** Draws a table without lines; cells that are too long are wrapped between words. */
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

/** Columns that a cell has even where the terminal is too narrow for all. */
const least = 3;

/** Spaces after each column. */
export const gap = 2;
