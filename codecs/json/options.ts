/** Options of `json()`. */
export interface JsonOptions {
  /**
   * What an integer beyond 2^53 becomes: a bigint with `lossless`, the nearest number with `number`.
   * Default: `lossless`.
   */
  readonly bigint?: "lossless" | "number";
  /**
   * What becomes of a member named `__proto__`, in both directions: refused, or kept as an own member.
   * Default: `refuse`.
   */
  readonly protoKey?: "refuse" | "keep";
}
