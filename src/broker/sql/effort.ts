import type { Envelope } from "../../envelope/envelope.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { SqlValue } from "./syntax.ts";
import { evaluationError } from "./values.ts";

/** Steps that all rules of a topic may take for one message: some 20 ms of processor time. */
const mostSteps = 10_000_000;

/** The work that the rules of a topic do for one message. What is beyond the limit fails, so that no rule holds the broker up. */
export class Effort {
  #left = mostSteps;
  #refusal: SobreError | undefined;

  /** Pays for steps before they are taken. @throws SobreError `InvalidArgument` when too many were. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#refusal ??= evaluationError("Evaluating the topic's rules exceeded the limit per message");
    throw this.#refusal;
  }
}

/** A message that rules look at. */
export interface Subject {
  readonly envelope: Envelope;
  readonly effort: Effort;
}

/** The steps of looking at a value once. */
export function worth(value: SqlValue): number {
  if (typeof value === "string") return 1 + value.length;
  return value instanceof Uint8Array ? 1 + 32 * value.length : 1;
}
