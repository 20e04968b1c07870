import { compareSchemas } from "../../src/contract/json-schema/comparison.ts";
import { PairComparison } from "../../src/contract/json-schema/pair-comparison.ts";
import { pairsOf, schemaOf, suites } from "../contract/suites.support.ts";
import { type Figure, median } from "./harness.ts";

/** Times a comparison of each open pair of JSON Schemas. */
export async function bench(): Promise<readonly Figure[]> {
  const pairs = suites
    .filter(({ options }) => options.format === "json-schema")
    .flatMap(({ name }) => pairsOf(name).map((pair) => [schemaOf(pair, "old"), schemaOf(pair, "new")] as const));
  const whole: number[] = [];
  const search: number[] = [];
  for (const [writer, reader] of pairs) {
    const comparison = { writer, reader, declared: false, formats: "either", budget: 2000 } as const;
    try {
      search.push(timed(() => new PairComparison(comparison, { siblings: false }).decide()));
      whole.push(timed(() => compareSchemas(comparison)));
    } catch {
      // A schema that cannot be read has no time.
    }
  }
  const large = largePairs.map(([writer, reader]) => {
    const times = Array.from({ length: 3 }, () =>
      timed(() => compareSchemas({ writer, reader, declared: true, formats: "either", budget: 10_000_000 })),
    );
    return median(times);
  });
  const figure = { bound: "most", target: 10, floor: 20, unit: "ms" } as const;
  return [
    {
      ...figure,
      name: "unions of 50 variants and objects of 1,000 properties, one added, removed or narrowed: the slowest",
      measured: Math.max(...large),
      target: 200,
      floor: 400,
    },
    {
      ...figure,
      name: `a verdict, validators not compiled, median of ${search.length} pairs`,
      measured: median(search),
    },
    { ...figure, name: "a verdict with its validators compiled, median", measured: median(whole) },
    {
      ...figure,
      name: "a verdict with its validators compiled, slowest of 100",
      measured: whole.toSorted((a, b) => a - b)[Math.floor(whole.length * 0.99)] ?? 0,
      target: 50,
      floor: 200,
    },
  ];
}

function union(count: number): object {
  return {
    oneOf: Array.from({ length: count }, (_, at) => ({
      type: "object",
      properties: { kind: { const: `kind-${at}` }, id: { type: "string" } },
      required: ["kind", "id"],
    })),
  };
}

function wide(count: number, more: object = {}): object {
  const own = Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string", maxLength: at + 1 }] as const);
  return { type: "object", properties: { ...Object.fromEntries(own), ...more } };
}

const largePairs = [
  [union(50), { title: "same", ...union(50) }],
  [union(50), union(51)],
  [union(51), union(50)],
  [wide(1000), { title: "same", ...wide(1000) }],
  [wide(1000), wide(1001)],
  [wide(1001), wide(1000)],
  [wide(1000), wide(1000, { p7: { type: "string", maxLength: 2 } })],
] as const;

function timed(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
