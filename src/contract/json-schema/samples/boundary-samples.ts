import { isObject } from "../json-value.ts";

/** Numbers and texts that conversions often get wrong: rounding, signs, integers beyond a double's precision, lengths. */
const numbers = [0, 0.5, -1, 1, 12.345, 99.995, 1 / 3, 2 ** 53 + 1, 1e21];
const texts = [
  "",
  " ",
  "a",
  "Ünï 🎉",
  " Ab Cd ",
  "x".repeat(36),
  "x".repeat(300),
  "2026-01-31T23:30:00-05:00",
  "2026-01-31T23:30:00.123Z",
];

/** The maximum number of samples; further ones add nothing. */
const maxSamples = 2000;

/** The samples, with one number or text at a time replaced by one that an upcaster may get wrong. */
export function* boundarySamples(samples: readonly unknown[]): Generator {
  let count = 0;
  for (const sample of samples)
    for (const changed of changesOf(sample)) {
      if (++count > maxSamples) return;
      yield changed;
    }
}

function* changesOf(value: unknown): Generator {
  if (typeof value === "number") yield* numbers.filter((number) => number !== value);
  else if (typeof value === "string") yield* texts.filter((text) => text !== value);
  else if (Array.isArray(value)) {
    if (value.length > 0) yield [];
    if (value.length > 0) yield [...value, ...value];
    for (const [at, item] of value.entries())
      for (const changed of changesOf(item)) {
        yield value.with(at, changed);
        // Two different items reveal a change of order.
        if (value.length === 1)
          yield* [
            [changed, item],
            [item, changed],
          ];
      }
  } else if (isObject(value))
    for (const [name, member] of Object.entries(value))
      for (const changed of changesOf(member))
        yield Object.fromEntries(Object.entries(value).map(([key, own]) => [key, key === name ? changed : own]));
}
