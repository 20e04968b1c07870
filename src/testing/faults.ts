import type { ErrorCode } from "../errors/codes.ts";
import { isErrorCode } from "../errors/traits.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  checkOption,
  checkOptions,
  entityName,
  milliseconds,
  numberFrom,
  oneOf,
  type OptionCheck,
  type OptionChecks,
} from "../options/option-checks.ts";

const operations = ["open", "send", "schedule", "receive", "acceptSession", "settle", "renew", "sessionState"] as const;

/** The operations of an engine that can be made to fail. */
export type FaultyOperation = (typeof operations)[number];

/** Where and how often a fault happens. */
export interface FaultOptions {
  /** Only there; compared without case. Default: everywhere. */
  readonly entity?: string | undefined;
  /** Default: 1; `Infinity` until {@link Faults.clear}. */
  readonly times?: number | undefined;
}

/** Faults on demand; each is used up by what it happens to, in the order in which they were asked for. */
export interface Faults {
  /** The next operations of the kind are refused with this code, and nothing happens. */
  refuse(operation: FaultyOperation, code: ErrorCode, options?: FaultOptions): void;
  /** The next operations of the kind happen, and then their answer is lost: they are refused with `ServiceCommunicationProblem`. */
  loseAnswer(operation: FaultyOperation, options?: FaultOptions): void;
  /** The messages of the next sends are accepted and lost. */
  drop(options?: FaultOptions): void;
  /** The messages of the next sends are accepted, and arrive this many milliseconds of the engine's clock later. */
  delay(milliseconds: number, options?: FaultOptions): void;
  /** The messages of the next sends arrive twice. */
  duplicate(options?: FaultOptions): void;
  /** The next messages that are received lose their lock at once, as when it expires. */
  loseLock(options?: FaultOptions): void;
  /**
   * Cuts the connection, as a network does: open links and everything that waits are refused with
   * `ServiceCommunicationProblem`, and locks run out, which counts a delivery. New links can be opened.
   */
  cut(): Promise<void>;
  /** Forgets the faults that have not happened. */
  clear(): void;
}

/** The effect of a fault on the operation it is injected into. */
export type FaultEffect =
  | { readonly kind: "refuse"; readonly operation: FaultyOperation; readonly code: ErrorCode }
  | { readonly kind: "loseAnswer"; readonly operation: FaultyOperation }
  | { readonly kind: "drop" | "duplicate" | "loseLock" }
  | { readonly kind: "delay"; readonly milliseconds: number };

const checks: OptionChecks<FaultOptions> = { entity: entityName, times: numberFrom(1) };
const isCode: OptionCheck = (value) =>
  typeof value === "string" && isErrorCode(value) ? undefined : "must be a code of SobreError";
const isDelay: OptionCheck = (value) => (value === Infinity ? "must be finite" : milliseconds(value));

const isRefusal = (effect: FaultEffect): effect is Extract<FaultEffect, { readonly kind: "refuse" }> =>
  effect.kind === "refuse";

interface Pending {
  readonly effect: FaultEffect;
  readonly entity: string | undefined;
  times: number;
}

/** The faults that have been asked for. */
export class FaultPlan {
  #pending: Pending[] = [];

  add(effect: FaultEffect, options: FaultOptions = {}): void {
    checkOptions(options, checks);
    const { entity, times = 1 } = options;
    if ("operation" in effect) checkOption("operation", effect.operation, oneOf(...operations));
    if (effect.kind === "refuse") checkOption("code", effect.code, isCode);
    if (effect.kind === "delay") checkOption("milliseconds", effect.milliseconds, isDelay);
    this.#pending.push({ effect, entity: entity?.toLowerCase(), times });
  }

  clear(): void {
    this.#pending = [];
  }

  /** Uses up the first fault that fits, if there is one. */
  take(entity: string, fits: (effect: FaultEffect) => boolean): FaultEffect | undefined {
    for (const pending of this.#pending) {
      const { effect } = pending;
      if (pending.entity !== undefined && pending.entity !== entity.toLowerCase()) continue;
      if (!fits(effect)) continue;
      pending.times--;
      if (pending.times <= 0) this.#pending = this.#pending.filter((other) => other !== pending);
      return effect;
    }
    return undefined;
  }

  /** Runs an operation under the refusals that were asked for it. */
  async around<T>(operation: FaultyOperation, entity: string, run: () => Promise<T>): Promise<T> {
    const refusal = this.take(entity, (effect) => isRefusal(effect) && effect.operation === operation);
    if (refusal !== undefined && isRefusal(refusal)) throw refused(refusal.code, operation, entity);
    const lost = this.take(entity, (effect) => effect.kind === "loseAnswer" && effect.operation === operation);
    const answer = await run();
    if (lost !== undefined) throw refused("ServiceCommunicationProblem", operation, entity);
    return answer;
  }
}

/** The error of a fault. */
export function refused(code: ErrorCode, operation: string, entity: string): SobreError {
  return new SobreError(code, `The ${operation} on "${entity}" was made to fail by a test.`);
}
