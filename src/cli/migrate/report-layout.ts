import { displayWidth, wrapText } from "../display.ts";
import { gap } from "../table.ts";

/** The text in lines that fit, each behind `indent` spaces; lines after the first behind `hang` more. */
export function paragraph(text: string, columns: number, indent: number, hang = 0): readonly string[] {
  return wrapText(text, columns - indent - hang).map(
    (line, index) => `${" ".repeat(indent + (index === 0 ? 0 : hang))}${line}`,
  );
}

/** The cells one after another, in as many lines as they need, each painted. */
export function flow(
  cells: readonly string[],
  columns: number,
  paints: ReadonlyMap<string, (text: string) => string>,
): readonly string[] {
  const lines: string[] = [];
  let width = Infinity;
  for (const cell of cells) {
    const painted = paints.get(cell)?.(cell) ?? cell;
    const own = displayWidth(cell);
    const isNew = width + between.length + own > columns;
    lines.push(isNew ? painted : `${lines.pop() ?? ""}${between}${painted}`);
    width = isNew ? own : width + between.length + own;
  }
  return lines;
}

const between = "   ";

/** A row of {@link facts}: a name, and short cells about it. */
export interface FactRow {
  readonly name: string;
  readonly cells: readonly string[];
}

/** Fewest columns of names: in narrower tables every name has lines of its own. */
const leastName = 16;

/**
 * A table of names with facts. A name that is too long for its column has lines of its own above its facts; nothing is
 * cut.
 */
export function facts(rows: readonly FactRow[], columns: number, right: readonly number[] = []): readonly string[] {
  const count = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map(({ cells }) => displayWidth(cells[at] ?? ""))),
  );
  const room = columns - indent - widths.reduce((sum, width) => sum + width + gap, 0);
  const longest = Math.max(0, ...rows.map(({ name }) => displayWidth(name)).filter((width) => width <= room));
  const isTable = room >= leastName;
  return rows.flatMap(({ name, cells }) => {
    if (!isTable)
      return [
        ...paragraph(name, columns, indent),
        ...paragraph(cells.filter((cell) => cell !== "").join(", "), columns, indent * 2),
      ];
    const padded = cells.map((cell, at) => pad(cell, widths[at] ?? 0, right.includes(at)));
    const isLong = displayWidth(name) > longest;
    const line = [pad(isLong ? "" : name, longest, false), ...padded].join(" ".repeat(gap)).trimEnd();
    return [...(isLong ? paragraph(name, columns, indent) : []), `${" ".repeat(indent)}${line}`];
  });
}

const indent = 2;

function pad(text: string, width: number, isRight: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? blanks + text : text + blanks;
}
