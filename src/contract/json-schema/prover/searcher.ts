import type { FormulaEvaluation } from "./evaluation.ts";
import type { FormulaPool } from "./formula-pool.ts";
import type { Formula } from "./formula.ts";
import type { SearchOutcome } from "./proof.ts";
import type { Restriction } from "./restriction.ts";

/** The part of the search that the searches for objects and arrays use. */
export interface Searcher {
  readonly pool: FormulaPool;
  readonly evaluation: FormulaEvaluation;
  readonly restriction: Restriction;
  /** Searches for a value inside the one at hand. */
  inside(formulas: readonly Formula[]): SearchOutcome;
}
