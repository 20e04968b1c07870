/** Options of `json()`. */
export interface JsonOptions {
  /**
   * How integers beyond 2^53 are read: `lossless` as bigint, `number` as the nearest number.
   * Default: `lossless`.
   */
  readonly bigint?: "lossless" | "number";
  /**
   * Whether a member named `__proto__` is refused or kept as an own member, in both directions.
   * Default: `refuse`.
   */
  readonly protoKey?: "refuse" | "keep";
}
