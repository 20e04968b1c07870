import type { Envelope } from "../../core/envelope/envelope.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { isErrorCode } from "../../core/errors/traits.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { DurationLike } from "../../core/time/duration.ts";

/** The engine operations that can be made to fail. */
export const faultyOperations = [
  "open",
  "send",
  "schedule",
  "receive",
  "acceptSession",
  "settle",
  "renew",
  "sessionState",
] as const;

/** The engine operations that can be made to fail. */
export type FaultyOperation = (typeof faultyOperations)[number];

/** Where and how often a fault happens. */
export interface FaultOptions {
  /** Only on this entity, case-insensitive. Default: on any. */
  readonly entity?: string | undefined;
  /** How often. Default: 1; `Infinity` until {@link Faults.clear}. */
  readonly times?: number | undefined;
}

/** Injects faults into an engine; they are used up in the order in which they were requested. */
export interface Faults {
  /** The next such operations fail with this code and have no effect. */
  refuse(operation: FaultyOperation, code: ErrorCode, options?: FaultOptions): void;
  /** The next such operations take effect, but their answer is lost: they fail with `ServiceCommunicationProblem`. */
  loseAnswer(operation: FaultyOperation, options?: FaultOptions): void;
  /** The messages of the next sends are accepted but lost. */
  drop(options?: FaultOptions): void;
  /** The messages of the next sends are accepted but arrive so much later by the engine's clock, e.g. `"5s"`. */
  delay(duration: DurationLike, options?: FaultOptions): void;
  /** The messages of the next sends arrive twice. */
  duplicate(options?: FaultOptions): void;
  /** The next received messages lose their lock immediately, as if it had expired. */
  loseLock(options?: FaultOptions): void;
  /**
   * Cuts the connection, like a network failure: open links and waiting calls fail with `ServiceCommunicationProblem`,
   * and locks expire, which counts a delivery. New links can be opened.
   */
  cut(): Promise<void>;
  /** Removes the faults that have not occurred yet. */
  clear(): void;
}

/** The effect of a fault on the operation it is injected into. */
export type FaultEffect =
  | { readonly kind: "refuse"; readonly operation: FaultyOperation; readonly code: ErrorCode }
  | { readonly kind: "loseAnswer"; readonly operation: FaultyOperation }
  | { readonly kind: "drop" | "duplicate" | "loseLock" }
  | { readonly kind: "delay"; readonly milliseconds: number };

const faultChecks: OptionChecks<FaultOptions> = { entity: is.entityName, times: is.numberFrom(1) };
const isCode: is.OptionCheck = (value) =>
  typeof value === "string" && isErrorCode(value) ? undefined : "must be an ErrorCode";

const isRefusal = (effect: FaultEffect): effect is Extract<FaultEffect, { readonly kind: "refuse" }> =>
  effect.kind === "refuse";

interface PendingFault {
  readonly effect: FaultEffect;
  readonly entity: string | undefined;
  times: number;
}

/** The requested faults. */
export class FaultPlan {
  #pending: PendingFault[] = [];
  /** Called with the messages of each send that an engine has accepted. */
  readonly accepted: (entity: string, envelopes: readonly Envelope[]) => void;

  constructor(accepted: FaultPlan["accepted"]) {
    this.accepted = accepted;
  }

  add(effect: FaultEffect, options: FaultOptions = {}): void {
    checkOptions(options, faultChecks);
    const { entity, times = 1 } = options;
    if ("operation" in effect) checkOption("operation", effect.operation, is.oneOf(...faultyOperations));
    if (effect.kind === "refuse") checkOption("code", effect.code, isCode);
    this.#pending.push({ effect, entity: entity?.toLowerCase(), times });
  }

  clear(): void {
    this.#pending = [];
  }

  /** Uses up the first matching fault, if any. */
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

  /** Runs an operation with the failures requested for it. */
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
