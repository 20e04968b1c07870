import type { Delivery, LockToken, Settlement } from "../engine/delivery.ts";
import type { Engine, TransactionOption } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { AbortOption } from "./attempts.ts";
import { noteLock } from "./lock-renewal.ts";
import type { Retry } from "./retry.ts";
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

/** Codes of settlements that the engine refuses whoever holds the message, and which leave it locked as it was. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidArgument",
  "InvalidOperation",
  "LimitExceeded",
  "MessageSizeExceeded",
  "UnsupportedValue",
]);

/** Messages with a settlement under way or done, by whichever receiver or handler. */
const settled = new WeakSet<object>();

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
  /** Called when a message needs its lock no longer. */
  readonly released: (message: Delivery) => void;
}

/** Settles the messages of one entity, for its receiver, its handlers and its processor. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly verbs: SettlingVerbs;

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

  /** Whether nothing is left to settle: the message has no lock, or a settlement was begun. */
  isSettled(message: Delivery): boolean {
    return message.lockToken === undefined || settled.has(message);
  }

  async settle(message: Delivery, settlement: Settlement, options?: SettleOptions): Promise<void> {
    const token = lockTokenOf(message);
    if (options !== undefined) checkOptions(options, settleChecks);
    const { entityPath, home, released, retry } = this.#options;
    const { transaction, abortSignal: signal } = options ?? {};
    settled.add(message);
    let isHeld = false;
    try {
      if (transaction === undefined) await this.#repeat(token, settlement, signal);
      else await retry.once(() => home.settle(entityPath, token, settlement, { transaction }), { signal });
    } catch (error) {
      isHeld = error instanceof SobreError && refusals.has(error.code);
      throw error;
    } finally {
      if (isHeld) settled.delete(message);
      else released(message);
    }
  }

  /**
   * Settles by the token, so that a repetition changes nothing else. When an answer was lost and the lock is gone then, the
   * settlement may have happened.
   */
  async #repeat(token: LockToken, settlement: Settlement, signal: AbortSignal | undefined): Promise<void> {
    const { entityPath, engine, retry } = this.#options;
    let isAnswerLost = false;
    const settle = async (): Promise<void> => {
      try {
        await engine().settle(entityPath, token, settlement);
      } catch (error) {
        if (!(error instanceof SobreError)) throw error;
        if (isAnswerLost && lockLost.has(error.code))
          throw new SobreError(error.code, `${error.message} ${mayHaveHappened}`, { outcome: "unknown", cause: error });
        isAnswerLost ||= answerLost.has(error.code);
        throw error;
      }
    };
    await retry.run(settle, { signal, timedOut: () => (isAnswerLost = true) });
  }

  async renew(message: Delivery): Promise<Date> {
    const { entityPath, engine, retry } = this.#options;
    const token = lockTokenOf(message);
    return noteLock(message, await retry.run(() => engine().renew(entityPath, token)));
  }
}

const lockLost: ReadonlySet<string> = new Set(["MessageLockLost", "SessionLockLost"]);

/** Codes after which nobody knows whether a call has happened. */
const answerLost: ReadonlySet<string> = new Set(["ServiceCommunicationProblem", "ServiceTimeout", "GeneralError"]);

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
