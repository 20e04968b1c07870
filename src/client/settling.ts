import type { Delivery, LockToken, Settlement } from "../engine/delivery.ts";
import type { Engine, TransactionOption } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { AbortOption, RunOptions } from "./attempts.ts";
import { noteLock } from "./lock-renewal.ts";
import { holdOf } from "./received-message.ts";
import type { Retry } from "./retry.ts";
import { operationOn, type Tracing } from "./tracing.ts";
import {
  anObject,
  anything,
  checkOptional,
  checkOptions,
  type OptionChecks,
  signal as aSignal,
  text,
} from "../options/option-checks.ts";

/** Application properties to change while settling; `undefined` removes one. */
export type PropertiesToModify = Extract<Settlement, { readonly kind: "abandon" }>["propertiesToModify"];

/** Why a message is dead-lettered, and what changes on it. */
export interface DeadLetterOptions {
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
  readonly propertiesToModify?: PropertiesToModify;
}

/**
 * The settling verbs of receivers and of the second argument of handlers.
 *
 * They throw SobreError `MessageLockLost` when the lock is gone; nothing is changed then.
 */
export interface SettlingVerbs {
  /**
   * Removes the message from the entity.
   *
   * @example
   * ```ts
   * await receiver.completeMessage(message);
   * ```
   */
  completeMessage(message: Delivery, options?: SettleOptions): Promise<void>;
  /**
   * Makes the message available again at once; its delivery count rises.
   *
   * @example
   * ```ts
   * await receiver.abandonMessage(message, { "last-problem": "payment service away" });
   * ```
   */
  abandonMessage(message: Delivery, propertiesToModify?: PropertiesToModify, options?: SettleOptions): Promise<void>;
  /**
   * Keeps the message on the entity until it is received by its sequence number.
   *
   * @example
   * ```ts
   * await receiver.deferMessage(message);
   * const [later] = await receiver.receiveDeferredMessages(message.sequenceNumber);
   * ```
   */
  deferMessage(message: Delivery, propertiesToModify?: PropertiesToModify, options?: SettleOptions): Promise<void>;
  /**
   * Moves the message to the dead-letter queue.
   *
   * @example
   * ```ts
   * await receiver.deadLetterMessage(message, { deadLetterReason: "NoSuchCustomer", deadLetterErrorDescription: "id 7" });
   * ```
   */
  deadLetterMessage(message: Delivery, deadLetter?: DeadLetterOptions, options?: SettleOptions): Promise<void>;
  /**
   * Renews the lock; resolves to its new end.
   *
   * @example
   * ```ts
   * const lockedUntilUtc = await receiver.renewMessageLock(message);
   * ```
   */
  renewMessageLock(message: Delivery): Promise<Date>;
}

/** The verbs as functions that need no receiver, so that a handler can take its context apart. */
export interface BoundVerbs extends SettlingVerbs {
  readonly completeMessage: SettlingVerbs["completeMessage"];
  readonly abandonMessage: SettlingVerbs["abandonMessage"];
  readonly deferMessage: SettlingVerbs["deferMessage"];
  readonly deadLetterMessage: SettlingVerbs["deadLetterMessage"];
  readonly renewMessageLock: SettlingVerbs["renewMessageLock"];
}

/** Codes of settlements that the engine refuses whoever holds the message, and which leave it locked as it was. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidArgument",
  "InvalidOperation",
  "LimitExceeded",
  "MessageSizeExceeded",
  "UnsupportedValue",
]);

/** Options of the settling verbs. */
export interface SettleOptions extends TransactionOption, AbortOption {}

/** Where a {@link Settler} settles. */
export interface SettlerOptions {
  readonly entityPath: string;
  readonly retry: Retry;
  /** The connection that holds the locks. */
  readonly engine: () => Engine;
  /** The connection on which transactions begin; lock tokens are good on any. */
  readonly home: Engine;
  readonly tracing: Tracing | undefined;
}

/** Settles the messages of one entity, for its receiver, its handlers and its processor. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly verbs: BoundVerbs;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.verbs = {
      completeMessage: (message, transaction) => this.settle(message, { kind: "complete" }, transaction),
      abandonMessage: async (message, propertiesToModify, transaction) =>
        this.settle(message, { kind: "abandon", propertiesToModify: checked(propertiesToModify) }, transaction),
      deferMessage: async (message, propertiesToModify, transaction) =>
        this.settle(message, { kind: "defer", propertiesToModify: checked(propertiesToModify) }, transaction),
      deadLetterMessage: async (message, deadLetter = {}, transaction) => {
        checkOptions(deadLetter, deadLetterChecks);
        await this.settle(message, { kind: "deadLetter", ...deadLetter }, transaction);
      },
      renewMessageLock: (message) => this.renew(message),
    };
  }

  settle(message: Delivery, settlement: Settlement, options?: SettleOptions): Promise<void> {
    const { tracing } = this.#options;
    return tracing?.startSettle === undefined
      ? this.#settle(message, settlement, options)
      : this.#settleTraced(tracing, message, settlement, options);
  }

  async #settleTraced(
    tracing: Tracing,
    message: Delivery,
    settlement: Settlement,
    options: SettleOptions | undefined,
  ): Promise<void> {
    lockTokenOf(message);
    const { entityPath, home } = this.#options;
    const span = tracing.startSettle?.(operationOn(home, entityPath), message.envelope, settlement.kind);
    try {
      await this.#settle(message, settlement, options);
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  }

  async #settle(message: Delivery, settlement: Settlement, options: SettleOptions | undefined): Promise<void> {
    const token = lockTokenOf(message);
    if (options !== undefined) checkOptions(options, settleChecks);
    const hold = holdOf(message);
    if (hold !== undefined) hold.isSettled = true;
    try {
      if (options === undefined) await this.#repeat(token, settlement, settling);
      else await this.#settleWith(token, settlement, options);
    } catch (error) {
      const isRefused = error instanceof SobreError && refusals.has(error.code);
      if (!isRefused) hold?.release();
      else if (hold !== undefined) hold.isSettled = false;
      throw error;
    }
    hold?.release();
  }

  /** Settles by the token, so that a repetition changes nothing else. */
  #repeat(token: LockToken, settlement: Settlement, options: RunOptions): Promise<void> {
    const { entityPath, engine, retry } = this.#options;
    return retry.run(() => engine().settle(entityPath, token, settlement), options);
  }

  #settleWith(token: LockToken, settlement: Settlement, { transaction, abortSignal }: SettleOptions): Promise<void> {
    const { entityPath, home, retry } = this.#options;
    if (transaction === undefined) return this.#repeat(token, settlement, { ...settling, signal: abortSignal });
    return retry.once(() => home.settle(entityPath, token, settlement, { transaction }), { signal: abortSignal });
  }

  async renew(message: Delivery): Promise<Date> {
    const { entityPath, engine, retry } = this.#options;
    const token = lockTokenOf(message);
    return noteLock(message, await retry.run(() => engine().renew(entityPath, token)));
  }
}

const lockLost: ReadonlySet<string> = new Set(["MessageLockLost", "SessionLockLost"]);

/** When an answer was lost and the lock is gone then, the settlement may have happened. */
const settling: RunOptions = {
  explain(error, isAnswerLost) {
    if (!isAnswerLost || !(error instanceof SobreError) || !lockLost.has(error.code)) return error;
    return new SobreError(error.code, `${error.message} ${mayHaveHappened}`, { outcome: "unknown", cause: error });
  },
};

const mayHaveHappened = "The answer to an earlier try was lost, so that the message may have been settled by it.";

// The transaction is validated by the engine that began it.
const settleChecks: OptionChecks<SettleOptions> = { transaction: anything, abortSignal: aSignal };

const deadLetterChecks: OptionChecks<DeadLetterOptions> = {
  deadLetterReason: text,
  deadLetterErrorDescription: text,
  propertiesToModify: anObject,
};

function checked(propertiesToModify: PropertiesToModify): PropertiesToModify {
  checkOptional("propertiesToModify", propertiesToModify, anObject);
  return propertiesToModify;
}

/** @throws SobreError `InvalidOperation` for a message that is not locked, `InvalidArgument` for anything but a message. */
function lockTokenOf(message: unknown): LockToken {
  if (typeof message !== "object" || message === null || !("lockToken" in message))
    throw new SobreError("InvalidArgument", "Pass the message as the first argument, as the receiver handed it out.");
  if (isLockToken(message.lockToken)) return message.lockToken;
  throw new SobreError(
    "InvalidOperation",
    "This message is not locked: it was peeked, or received with receiveAndDelete.",
  );
}

const isLockToken = (token: unknown): token is LockToken => typeof token === "string";
