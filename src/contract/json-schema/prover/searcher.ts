import type { Evaluation } from "./evaluation.ts";
import type { FormulaPool } from "./formula-pool.ts";
import type { Formula } from "./formula.ts";
import type { Outcome } from "./proof.ts";
import type { Restriction } from "./restriction.ts";

/** The part of the search that the searches for objects and arrays use. */
export interface Searcher {
  readonly pool: FormulaPool;
  readonly evaluation: Evaluation;
  readonly restriction: Restriction;
  /** Searches for a value inside the one at hand. */
  inside(formulas: readonly Formula[]): Outcome;
}
