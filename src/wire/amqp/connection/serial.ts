/** Arithmetic of 32-bit serial numbers, which wrap around to 0 (RFC 1982). */

/** The number `count` after `serial`. */
export const plus = (serial: number, count: number): number => (serial + count) >>> 0;

/** The distance from `from` to `to`; negative when `from` is ahead. */
export const distance = (from: number, to: number): number => (to - from) | 0;
