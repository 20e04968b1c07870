import { displayWidth, fit } from "./display.ts";
import { gap } from "./table.ts";

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
