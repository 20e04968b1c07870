import { linearPattern } from "../../src/core/regex/linear-pattern.ts";
import { compare, type Figure } from "./harness.ts";

/** Patterns as schemas have them, each with texts that match and one that does not. */
const cases: readonly (readonly [name: string, source: string, texts: readonly string[]])[] = [
  [
    "e-mail addresses",
    "^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$",
    ["jane.doe+orders@mail.example.org", "a@b.example", "not an address"],
  ],
  [
    "UUIDs",
    "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
    ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "123e4567-e89b-12d3-a456-426614174000", "6ba7b810-9dad-11d1-80b4"],
  ],
  [
    "times",
    "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$",
    ["2026-11-27T12:30:00Z", "2026-11-27T12:30:00.123456+02:00", "2026-11-27"],
  ],
  ["ids", "^[A-Z]{3}-\\d{4,10}$", ["ORD-0012345", "INV-2026", "ord-0012345"]],
  [
    "host names",
    "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$",
    ["orders.prod.eu-west-1.example.org", "a.example", "localhost"],
  ],
  [
    "semantic versions",
    "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
    ["1.2.3", "10.20.30-rc.1+build.7", "1.02.3"],
  ],
  ["names of people", "^\\p{L}[\\p{L}\\p{M}' -]{0,99}$", ["José García", "Ольга Петрова", "7up"]],
  [
    "lines without control characters",
    "^[^\\u0000-\\u001f]{1,500}$",
    ["A line of text that is as long as descriptions of goods usually are, with some hundred characters."],
  ],
];

/** How long a text takes, over what `RegExp` takes for it: the bare engine, which backtracks. */
export async function bench(): Promise<readonly Figure[]> {
  const figures = cases.map(([name, source, texts]): Figure => {
    const { automaton } = linearPattern(source);
    if (automaton === undefined) throw new Error(`${name} cannot be run.`);
    const bare = new RegExp(source, "u");
    const taking = (test: (text: string) => boolean) => {
      let at = 0;
      return (): boolean => test(texts[at++ % texts.length] ?? "");
    };
    const times = compare(
      { own: taking((text) => automaton.test(text)), bare: taking((text) => bare.test(text)) },
      { rounds: 21 },
    );
    const spent = `${(times.nanoseconds["own"] ?? 0).toFixed(0)} ns`;
    return {
      name: `${name}, over RegExp (${spent})`,
      measured: times.ratio("own", "bare"),
      bound: "most",
      target: 4,
      floor: 6,
      unit: "x",
    };
  });
  return await Promise.resolve(figures);
}
