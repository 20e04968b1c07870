import { SobreError } from "../core/errors/sobre-error.ts";

/** The default number of steps per comparison: a second or two of work. */
export const defaultBudget = 10_000_000;

/** Counts the steps of a comparison, so that a verdict is the same on every machine, however fast. */
export class StepMeter {
  readonly #budget: number;
  #left: number;

  constructor(budget: number) {
    this.#budget = budget;
    this.#left = budget;
  }

  /** Whether no step is left. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Takes steps; returns false once none are left. */
  take(steps = 1): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** Takes steps. @throws SobreError `LimitExceeded` once none are left. */
  spend(steps = 1): void {
    if (this.take(steps)) return;
    throw new SobreError("LimitExceeded", `The comparison has used up its budget of ${this.#budget} steps.`);
  }

  /** Runs a part of the comparison, which gets `most` of the steps that are left. */
  within<Result>(most: number, run: () => Result): Result {
    const before = this.#left;
    const part = Math.min(Math.max(before, 0), most);
    this.#left = part;
    try {
      return run();
    } finally {
      this.#left = before - (part - Math.max(this.#left, 0));
    }
  }
}
