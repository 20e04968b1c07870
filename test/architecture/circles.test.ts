import { describe, expect, it } from "vitest";
import { imports, sources } from "./imports.support.ts";

describe("imports, of types as well as values", () => {
  it("have no circle between files", () => {
    expect(circlesOf(sources)).toEqual([]);
  });
});

/** The groups of files of which each reaches every other: Tarjan's strongly connected components of two files and more. */
function circlesOf(files: readonly string[]): readonly (readonly string[])[] {
  const next = new Map(files.map((file): readonly [string, string[]] => [file, []]));
  for (const { from, to } of imports) if (next.has(to)) next.get(from)?.push(to);
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  /** The earliest file that is still open and can be reached from this one, by its place in the order. */
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let earliest = own;
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) earliest = Math.min(earliest, visit(to));
      else if (open.includes(to)) earliest = Math.min(earliest, order.get(to) ?? own);
    }
    if (earliest === own) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return earliest;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}
