import { describe, expect, it } from "vitest";
import { imports, sources } from "./imports.support.ts";

/** Files that still import each other in a circle; take out each that no longer does. */
const known: readonly string[] = [
  "src/contract/json-schema/departures.ts",
  "src/contract/json-schema/reading.ts",
  "src/contract/json-schema/array-outcome.ts",
  "src/contract/json-schema/object-outcome.ts",
  "src/contract/json-schema/refutation.ts",
  "src/contract/json-schema/comparison.ts",
  "src/contract/json-schema/pair-comparison.ts",
  "src/contract/protobuf/reading.ts",
  "src/contract/protobuf/schema.ts",
];

describe("imports, of types as well as values", () => {
  const inCircles = circlesOf(sources).flat();

  it("have no circle between files", () => {
    expect(inCircles.filter((file) => !known.includes(file))).toEqual([]);
  });

  it("have each circle that is listed", () => {
    expect(known.filter((file) => !inCircles.includes(file))).toEqual([]);
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
