const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** Whether a bigint is an integer that a number holds and no other integer rounds to: from -(2^53 - 1) to 2^53 - 1. */
export function isSafeInteger(value: bigint): boolean {
  return value <= largest && value >= -largest;
}
