import type { CodePointSet } from "./code-points.ts";

/** A condition on a place between two characters: `^`, `$`, `\b` or `\B`. */
export type PatternAssertion = "start" | "end" | "boundary" | "no-boundary";

/** A pattern as a tree. Groups leave no trace: what they capture does not change which texts match. */
export type PatternNode =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: "assertion"; readonly assertion: PatternAssertion };
