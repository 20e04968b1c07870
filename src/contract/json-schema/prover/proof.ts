import type { Formula, FormulaOf, TypeName } from "./formula.ts";

/**
 * Why no value satisfies a set of formulas, as a tree of steps that `checkProof` replays.
 *
 * Every step is about one set; those below it are about the set with one more formula, or about the set of a value inside.
 */
export type Proof =
  /** The set holds a formula and its negation, once it is reduced to one type. */
  | { readonly rule: "clash" }
  /** This set contains one of its ancestors: a smallest value for that ancestor would contain a smaller one. */
  | { readonly rule: "induction"; readonly ancestor: number }
  /** No type is left. */
  | { readonly rule: "types"; readonly cases: readonly (readonly [TypeName, Proof])[] }
  /** Each value of a finite list is refused. */
  | { readonly rule: "values" }
  /** No number, or no string, satisfies the literals. */
  | { readonly rule: "numbers" | "strings" }
  /** Each alternative of `of` is refuted. */
  | { readonly rule: "cases"; readonly of: Formula; readonly cases: readonly Proof[] }
  | ObjectProof
  | ArrayProof;

/** Steps about objects. */
type ObjectProof =
  /** A member that must be there has no value. */
  | { readonly rule: "member"; readonly name: string; readonly proof: Proof }
  /** The member that `of` requires fits under no known name and under no other. */
  | {
      readonly rule: "placement";
      readonly of: Formula;
      readonly names: readonly (readonly [string, Proof])[];
      readonly other: OtherNameProof;
    }
  /** More members are required than allowed. */
  | { readonly rule: "membersRequired" }
  /** Fewer members are possible than required. */
  | {
      readonly rule: "membersPossible";
      readonly refused: readonly (readonly [string, Proof])[];
      readonly other: OtherNameProof;
    };

/** Why a member cannot have a name that no formula mentions. */
export type OtherNameProof =
  | { readonly by: "name" | "value"; readonly proof: Proof }
  | { readonly by: "count" }
  | { readonly by: "split"; readonly every: Formula; readonly inside: OtherNameProof; readonly outside: OtherNameProof }
  | { readonly by: "rest"; readonly proof: Proof };

/** Steps about arrays. Positions from the boundary on are alike; the boundary itself stands for them. */
export type ArrayProof =
  /** An item that must be there has no value. */
  | { readonly rule: "item"; readonly at: number; readonly proof: Proof }
  /** The item that `of` requires fits nowhere. */
  | {
      readonly rule: "itemPlacement";
      readonly of: Formula;
      readonly at: readonly (readonly [number, Proof])[];
      readonly tail: { readonly by: "value" | "rest"; readonly proof: Proof } | undefined;
    }
  /** Fewer items can satisfy `of` than it requires. */
  | {
      readonly rule: "containsPossible";
      readonly of: Formula;
      readonly refused: readonly (readonly [number, Proof])[];
      readonly tail: Proof | undefined;
      /** The first position that no item can take. */
      readonly limit: readonly [number, Proof] | undefined;
    }
  /** More items must match than `of` allows. */
  | { readonly rule: "containsForced"; readonly of: Formula; readonly forced: readonly (readonly [number, Proof])[] }
  /** More items of a kind are required than are allowed of a kind that includes it. */
  | {
      readonly rule: "containsExceeded";
      readonly least: FormulaOf<"containsLeast">;
      readonly most: FormulaOf<"containsMost">;
      readonly proof: Proof;
    }
  /** There are fewer values than different items. */
  | { readonly rule: "pigeonhole" }
  /** No two items can be equal. */
  | { readonly rule: "duplicate"; readonly pairs: readonly (readonly [number, number, Proof | undefined])[] };

/** Result of the search for a value that satisfies a set of formulas. */
export type SearchOutcome =
  | { readonly kind: "closed"; readonly proof: Proof }
  | { readonly kind: "open"; readonly value: unknown }
  /** `candidate` may satisfy the set; what is opaque here may be clear to a validator. */
  | { readonly kind: "unknown"; readonly why: string; readonly candidate?: { readonly value: unknown } };

/** How many steps a proof has. */
export function proofSize(proof: unknown): number {
  if (Array.isArray(proof)) return proof.reduce<number>((sum, part) => sum + proofSize(part), 0);
  if (typeof proof !== "object" || proof === null) return 0;
  if ("id" in proof && "kind" in proof) return 0;
  const own = "rule" in proof || "by" in proof ? 1 : 0;
  return Object.values(proof).reduce<number>((sum, part) => sum + proofSize(part), own);
}
