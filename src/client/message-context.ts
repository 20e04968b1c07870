import type { Delivery, Engine, Settlement } from "../engine/index.ts";
import { SobreError } from "../errors/index.ts";
import type { RenewalTarget } from "./lock-renewal.ts";
import type { TellError } from "./process-error.ts";
import {
  deadLetterSettlement,
  lockTokenOf,
  type DeadLetterOptions,
  properties,
  type PropertiesToModify,
} from "./settling.ts";

/** What a handler can do with the message it was called for; what it settles itself is not settled again. */
export interface MessageContext {
  /**
   * Aborted when renewing finds the lock lost: what is done from then on may be done twice. A lock that is renewed no more,
   * because its maximum is over, ends without a word; settling tells.
   */
  readonly abortSignal: AbortSignal;
  completeMessage(): Promise<void>;
  abandonMessage(propertiesToModify?: PropertiesToModify): Promise<void>;
  deferMessage(propertiesToModify?: PropertiesToModify): Promise<void>;
  deadLetterMessage(deadLetter?: DeadLetterOptions): Promise<void>;
  /** Resolves to the new end of the lock; it is renewed without this too. */
  renewMessageLock(): Promise<Date>;
}

/** The context of one call of a handler. */
export class HandlerContext implements MessageContext, RenewalTarget {
  readonly #engine: Engine;
  readonly #entityPath: string;
  readonly #delivery: Delivery;
  readonly #tell: TellError;
  #abort: AbortController | undefined;
  #settled = false;
  #lost: { readonly reason: unknown } | undefined;

  constructor(engine: Engine, entityPath: string, delivery: Delivery, tell: TellError) {
    this.#tell = tell;
    this.#engine = engine;
    this.#entityPath = entityPath;
    this.#delivery = delivery;
  }

  get abortSignal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#lost !== undefined) this.#abort.abort(this.#lost.reason);
    return this.#abort.signal;
  }

  /** Whether nothing is left to settle: the handler did, there is no lock, or it was lost. */
  get isSettled(): boolean {
    return this.#settled || this.#lost !== undefined || this.#delivery.lockToken === undefined;
  }

  /** Tells the handler that the lock is lost. */
  loseLock(reason: unknown): void {
    this.#lost = { reason };
    this.#abort?.abort(reason);
  }

  async completeMessage(): Promise<void> {
    await this.settle({ kind: "complete" });
  }

  async abandonMessage(propertiesToModify?: PropertiesToModify): Promise<void> {
    await this.settle({ kind: "abandon", propertiesToModify: properties(propertiesToModify) });
  }

  async deferMessage(propertiesToModify?: PropertiesToModify): Promise<void> {
    await this.settle({ kind: "defer", propertiesToModify: properties(propertiesToModify) });
  }

  async deadLetterMessage(deadLetter?: DeadLetterOptions): Promise<void> {
    await this.settle(deadLetterSettlement(deadLetter));
  }

  renewMessageLock(): Promise<Date> {
    return this.renew();
  }

  async renew(): Promise<Date> {
    return this.#engine.renew(this.#entityPath, lockTokenOf(this.#delivery));
  }

  lost(error: unknown): void {
    // A renewal that was under way finds the lock of a settled message gone, as it should be.
    if (this.#settled) return;
    this.loseLock(error);
    void this.#tell("renewLock", error, this.#delivery.envelope);
  }

  async settle(settlement: Settlement): Promise<void> {
    const token = lockTokenOf(this.#delivery);
    this.#settled = true;
    try {
      await this.#engine.settle(this.#entityPath, token, settlement);
    } catch (error) {
      // What was refused for its own sake left the message as it was; anything else, nobody knows.
      if (isRefused(error)) this.#settled = false;
      throw error;
    }
  }
}

/** Codes of settlements that are wrong in themselves, whoever holds the message. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidArgument",
  "InvalidOperation",
  "LimitExceeded",
  "MessageSizeExceeded",
  "UnsupportedValue",
]);

const isRefused = (error: unknown): boolean => error instanceof SobreError && refusals.has(error.code);
