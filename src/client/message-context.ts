import type { Delivery, Settlement } from "../engine/delivery.ts";
import type { Engine, TransactionOption } from "../engine/engine.ts";
import type { RenewalTarget } from "./lock-renewal.ts";
import type { TellError } from "./process-error.ts";
import {
  checkTransaction,
  deadLetterSettlement,
  isRefused,
  isSettledByVerb,
  lockTokenOf,
  type DeadLetterOptions,
  properties,
  type PropertiesToModify,
} from "./settling.ts";

/**
 * What a handler can do with the message it was called for; what it settles itself, here or by a receiver of its client, is
 * not settled again. With a transaction that is rolled back, the message comes again when its lock ends.
 */
export interface MessageContext {
  /**
   * Aborted when renewing finds the lock lost: what is done from then on may be done twice. A lock that is renewed no more,
   * because its maximum is over, ends without a word; settling tells.
   */
  readonly abortSignal: AbortSignal;
  completeMessage(options?: TransactionOption): Promise<void>;
  abandonMessage(propertiesToModify?: PropertiesToModify, options?: TransactionOption): Promise<void>;
  deferMessage(propertiesToModify?: PropertiesToModify, options?: TransactionOption): Promise<void>;
  deadLetterMessage(deadLetter?: DeadLetterOptions, options?: TransactionOption): Promise<void>;
  /** Resolves to the new end of the lock; it is renewed without this too. */
  renewMessageLock(): Promise<Date>;
}

/** The context of one call of a handler. */
export class HandlerContext implements MessageContext, RenewalTarget {
  readonly #engine: Engine;
  readonly #entityPath: string;
  readonly #delivery: Delivery;
  readonly #tell: TellError;
  /** The client's own connection, on which transactions are begun. */
  readonly #home: Engine;
  /** What the handler was given. */
  #message: unknown;
  #abort: AbortController | undefined;
  #settled = false;
  #lost: { readonly reason: unknown } | undefined;

  constructor(engine: Engine, entityPath: string, delivery: Delivery, tell: TellError, home: Engine) {
    this.#tell = tell;
    this.#home = home;
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
    const isOver = this.#settled || this.#lost !== undefined || this.#delivery.lockToken === undefined;
    return isOver || isSettledByVerb(this.#message);
  }

  /** Notes the message that the handler is given. */
  handles(message: unknown): void {
    this.#message = message;
  }

  /** Tells the handler that the lock is lost. */
  loseLock(reason: unknown): void {
    this.#lost = { reason };
    this.#abort?.abort(reason);
  }

  async completeMessage(options?: TransactionOption): Promise<void> {
    await this.settle({ kind: "complete" }, options);
  }

  async abandonMessage(propertiesToModify?: PropertiesToModify, options?: TransactionOption): Promise<void> {
    await this.settle({ kind: "abandon", propertiesToModify: properties(propertiesToModify) }, options);
  }

  async deferMessage(propertiesToModify?: PropertiesToModify, options?: TransactionOption): Promise<void> {
    await this.settle({ kind: "defer", propertiesToModify: properties(propertiesToModify) }, options);
  }

  async deadLetterMessage(deadLetter?: DeadLetterOptions, options?: TransactionOption): Promise<void> {
    await this.settle(deadLetterSettlement(deadLetter), options);
  }

  renewMessageLock(): Promise<Date> {
    return this.renew();
  }

  async renew(): Promise<Date> {
    return this.#engine.renew(this.#entityPath, lockTokenOf(this.#delivery));
  }

  lost(error: unknown): void {
    // A renewal that was under way finds the lock of a settled message gone, as it should be.
    if (this.isSettled) return;
    this.loseLock(error);
    void this.#tell("renewLock", error, this.#delivery.envelope);
  }

  async settle(settlement: Settlement, options?: TransactionOption): Promise<void> {
    const token = lockTokenOf(this.#delivery);
    checkTransaction(options);
    const engine = options?.transaction === undefined ? this.#engine : this.#home;
    this.#settled = true;
    try {
      await engine.settle(this.#entityPath, token, settlement, options);
    } catch (error) {
      // What was refused for its own sake left the message as it was; anything else, nobody knows.
      if (isRefused(error)) this.#settled = false;
      throw error;
    }
  }
}
