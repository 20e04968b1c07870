/** How much a proof runs, and where its random choices begin. */
export interface ProofRun {
  /** From 0 to 2^31 - 1; the same seed makes the same choices. */
  readonly seed: number;
  /** Everything; otherwise the share of it that every CI run can afford. */
  readonly full: boolean;
  /** Whether a proof of many parts reports on each. */
  readonly verbose: boolean;
}

/**
 * The function `prove` that each `*.proof.ts` exports.
 *
 * @returns a sentence with the counts.
 * @throws an error that says what does not hold.
 */
export type Proof = (run: ProofRun) => Promise<string>;
