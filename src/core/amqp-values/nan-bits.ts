import type { Typed } from "../values/typed.ts";

const kept = new WeakMap<Typed, Uint8Array>();

/** Remembers the bytes that a NaN came as: a number cannot carry them. */
export function withNaNBits<T extends Typed>(value: T, bits: Uint8Array): T {
  kept.set(value, new Uint8Array(bits));
  return value;
}

/** The bytes that a typed NaN came as, or `undefined`. */
export function nanBits(value: Typed): Uint8Array | undefined {
  return kept.get(value);
}
