import { isObject, objectOf, weight } from "./json-value.ts";

const mostTries = 1500;

/** A smaller value that still passes `keeps`, found by leaving out and simplifying parts. */
export function shrink(value: unknown, keeps: (value: unknown) => boolean, isLate: () => boolean): unknown {
  let best = value;
  let tries = 0;
  for (let improved = true; improved && tries < mostTries;) {
    improved = false;
    for (const candidate of simpler(best)) {
      if (++tries > mostTries || isLate()) return best;
      if (weight(candidate) >= weight(best) || !keeps(candidate)) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best;
}

function* simpler(value: unknown): Generator {
  if (Array.isArray(value)) {
    if (value.length > 0) yield [];
    for (let at = value.length - 1; at >= 0; at--) yield value.toSpliced(at, 1);
    for (const [at, item] of value.entries()) for (const smaller of simpler(item)) yield value.with(at, smaller);
  } else if (isObject(value)) {
    const entries = Object.entries(value);
    if (entries.length > 0) yield {};
    for (const [name] of entries) yield objectOf(entries.filter(([other]) => other !== name));
    for (const [name, member] of entries)
      for (const smaller of simpler(member))
        yield objectOf(entries.map(([other, same]) => [other, other === name ? smaller : same] as const));
  } else if (typeof value === "string") yield* shorter(value);
  else if (typeof value === "number") yield* [0, 1, -1, Math.trunc(value), Math.trunc(value / 2)];
  else if (value === true) yield false;
  if (value !== null && typeof value !== "boolean") yield* [null, 0, ""];
}

function* shorter(text: string): Generator<string> {
  if (text.length === 0) return;
  yield "";
  yield "a";
  const symbols = Array.from(text);
  if (symbols.length > 3) {
    yield symbols.slice(0, symbols.length >> 1).join("");
    yield symbols.slice(symbols.length >> 1).join("");
  }
  for (let at = 0; at < Math.min(symbols.length, 40); at++) yield symbols.toSpliced(at, 1).join("");
}
