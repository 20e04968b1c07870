import type { CodePointSet } from "./code-points.ts";

/** A condition on a place between two characters: `^`, `$`, `\b` or `\B`. */
export type PatternAssertion = "start" | "end" | "boundary" | "no-boundary";

/** A pattern as a tree. */
export type PatternNode =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternNode[] }
  | PatternRepeat
  | { readonly kind: "assertion"; readonly assertion: PatternAssertion }
  | { readonly kind: "group"; readonly part: PatternNode; readonly index: number }
  | {
      readonly kind: "look";
      readonly part: PatternNode;
      readonly isBehind: boolean;
      readonly isNegated: boolean;
    }
  /** A back-reference; of groups with one name at most one takes part in a match. */
  | { readonly kind: "reference"; readonly groups: readonly number[] };

/** A part that is repeated; the texts that match do not depend on `isLazy`, unless there are back-references. */
interface PatternRepeat {
  readonly kind: "repeat";
  readonly part: PatternNode;
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
  /** The first group in the part, and the first one after it. */
  readonly groups: readonly [first: number, behind: number];
}
