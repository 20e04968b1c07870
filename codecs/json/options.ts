/** Options of `json()`. */
export interface JsonOptions {
  /** How to read integers beyond 2^53: `lossless` as bigint, `number` as the nearest number. Default: `lossless`. */
  readonly bigint?: "lossless" | "number";
  /**
   * Whether to refuse a member named `__proto__` or keep it as an own member, in both directions. Default: `refuse`.
   */
  readonly protoKey?: "refuse" | "keep";
}
