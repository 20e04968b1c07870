/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 up to but not including `bound`. */
  integer(bound: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Uint8Array;
  /** Up to 12 characters, some of them beyond ASCII. */
  text(): string;
}

const alphabet = Array.from('abcdefgXYZ0189 _-{}[]"\\/ñéß漢🚀\n');

/** Makes a generator (mulberry32) from a seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (bound: number): number => Math.floor(next() * bound);
  return {
    integer,
    chance: (probability) => next() < probability,
    pick(items) {
      let left = integer(items.length);
      for (const item of items) if (left-- === 0) return item;
      throw new RangeError("There is nothing to pick from.");
    },
    bytes: (length) => Uint8Array.from({ length }, () => integer(256)),
    text: () => Array.from({ length: integer(13) }, () => alphabet[integer(alphabet.length)]).join(""),
  };
}
