import type { Envelope } from "../../../core/envelope/envelope.ts";
import type { SobreError } from "../../../core/errors/sobre-error.ts";
import type { SqlValue } from "./syntax.ts";
import { evaluationError } from "./values.ts";

/** Maximum number of steps of all rules of a topic for one message: about 20 ms of processor time. */
const maxSteps = 10_000_000;

/** The work of a topic's rules for one message. Beyond the limit, rules fail, so that none can block the broker. */
export class Effort {
  #left = maxSteps;
  #refusal: SobreError | undefined;

  /** Counts steps before they are taken. @throws SobreError `InvalidArgument` beyond the limit. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#refusal ??= evaluationError("Evaluating the topic's rules exceeded the limit per message");
    throw this.#refusal;
  }
}

/** A message for which rules are evaluated. */
export interface RuleSubject {
  readonly envelope: Envelope;
  readonly effort: Effort;
}

/** The steps for reading a value once. */
export function worth(value: SqlValue): number {
  if (typeof value === "string") return 1 + value.length;
  return value instanceof Uint8Array ? 1 + 32 * value.length : 1;
}
