/** Arithmetic of 32-bit serial numbers, which begin again at 0 (RFC 1982). */

/** The number `count` behind `serial`. */
export const plus = (serial: number, count: number): number => (serial + count) >>> 0;

/** How far `from` is behind `to`; negative when it is ahead. */
export const distance = (from: number, to: number): number => (to - from) | 0;
