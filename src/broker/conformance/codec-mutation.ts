/** A source of pseudo-random numbers that gives the same ones for the same seed. */
interface Random {
  /** An integer from 0 to `bound` - 1. */
  readonly below: (bound: number) => number;
  /** Random bytes. */
  readonly bytes: (length: number) => Uint8Array;
}

/** Makes a {@link Random} (the mulberry32 generator). */
function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  return { below, bytes: (length) => new Uint8Array(length).map(() => below(256)) };
}

/**
 * Yields `rounds` payloads: a third random bytes, a third cut short, a third with a few changes.
 *
 * The same arguments give the same payloads.
 */
export function* hostilePayloads(valid: readonly Uint8Array[], rounds: number, seed: number): Generator<Uint8Array> {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds; round++) {
    const base = valid[random.below(valid.length)] ?? new Uint8Array(0);
    if (round % 3 === 0) yield random.bytes(random.below(48));
    else if (round % 3 === 1) yield base.slice(0, random.below(base.length));
    else yield mutated(base, random);
  }
}

function mutated(base: Uint8Array, random: Random): Uint8Array {
  let bytes: Uint8Array = base.slice();
  for (let changes = 1 + random.below(3); changes > 0; changes--) bytes = changed(bytes, random);
  return bytes;
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  switch (random.below(4)) {
    case 0:
      return splice(bytes, at, at, random.bytes(1 + random.below(3)));
    case 1:
      return splice(bytes, at, at + 1 + random.below(3), new Uint8Array(0));
    case 2:
      return splice(bytes, at, at, bytes.slice(random.below(bytes.length + 1)).slice(0, 16));
    default:
      return splice(bytes, at, at + 1, Uint8Array.of((bytes[at] ?? 0) ^ (1 << random.below(8))));
  }
}

function splice(bytes: Uint8Array, from: number, to: number, inserted: Uint8Array): Uint8Array {
  const tail = bytes.subarray(to);
  const result = new Uint8Array(from + inserted.length + tail.length);
  result.set(bytes.subarray(0, from));
  result.set(inserted, from);
  result.set(tail, from + inserted.length);
  return result;
}
