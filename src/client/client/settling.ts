import { messageProperties } from "../../core/message/message-properties.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
import type { Engine, TransactionOption } from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { AbortOption } from "./attempts.ts";
import type { ClientParts } from "./client-parts.ts";
import type { Hold } from "./hold.ts";
import { noteLock } from "./lock-renewal.ts";
import { holdOf } from "./received-message.ts";
import { waitsForTimer } from "./retry-timer.ts";
import { operationOn, type Tracing } from "./tracing.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { checkOptional, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";

/** Application properties to modify when settling; `undefined` removes one. */
export type PropertiesToModify = Extract<Settlement, { readonly kind: "abandon" }>["propertiesToModify"];

/** Why a message is dead-lettered, and which of its properties to modify. */
export interface DeadLetterOptions {
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
  readonly propertiesToModify?: PropertiesToModify;
}

/**
 * The settling verbs of receivers and of the second argument of handlers.
 *
 * They throw SobreError `MessageLockLost` when the lock is lost; the message is then unchanged.
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
   * Makes the message available again immediately and increments its delivery count.
   *
   * @example
   * ```ts
   * await receiver.abandonMessage(message, { "last-problem": "payment service away" });
   * ```
   */
  abandonMessage(message: Delivery, propertiesToModify?: PropertiesToModify, options?: SettleOptions): Promise<void>;
  /**
   * Defers the message: it stays in the entity until it is received by its sequence number.
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
   * Renews the lock; resolves to its new expiry.
   *
   * @example
   * ```ts
   * const lockedUntilUtc = await receiver.renewMessageLock(message);
   * ```
   */
  renewMessageLock(message: Delivery): Promise<Date>;
}

/** The verbs as bound functions, so that a handler can destructure its context. */
export interface BoundVerbs extends SettlingVerbs {
  readonly completeMessage: SettlingVerbs["completeMessage"];
  readonly abandonMessage: SettlingVerbs["abandonMessage"];
  readonly deferMessage: SettlingVerbs["deferMessage"];
  readonly deadLetterMessage: SettlingVerbs["deadLetterMessage"];
  readonly renewMessageLock: SettlingVerbs["renewMessageLock"];
}

/** Codes of refused settlements that leave the message locked. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidArgument",
  "InvalidOperation",
  "LimitExceeded",
  "MessageSizeExceeded",
  "UnsupportedValue",
]);

/** Options of the settling verbs. */
export interface SettleOptions extends TransactionOption, AbortOption {}

/** Options of {@link Settler}. */
export interface SettlerOptions {
  readonly entityPath: string;
  /** Transactions begin on the connection in it; lock tokens are valid on any connection. */
  readonly parts: Pick<ClientParts, "engine" | "retry" | "tracing" | "signals">;
  /** The connection that holds the locks. */
  readonly engine: () => Engine;
}

/** Settles the messages of one entity, for its receiver, its handlers and its processor. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly verbs: BoundVerbs;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.verbs = {
      completeMessage: (message, settleOptions) => this.settle(message, { kind: "complete" }, settleOptions),
      abandonMessage: async (message, propertiesToModify, settleOptions) =>
        this.settle(message, { kind: "abandon", propertiesToModify: checked(propertiesToModify) }, settleOptions),
      deferMessage: async (message, propertiesToModify, settleOptions) =>
        this.settle(
          message,
          { kind: "defer", propertiesToModify: offTimer(message, propertiesToModify) },
          settleOptions,
        ),
      deadLetterMessage: async (message, deadLetter = {}, settleOptions) => {
        checkOptions(deadLetter, deadLetterChecks);
        await this.settle(message, { kind: "deadLetter", ...deadLetter }, settleOptions);
      },
      renewMessageLock: (message) => this.renew(message),
    };
  }

  settle(message: Delivery, settlement: Settlement, options?: SettleOptions): Promise<void> {
    const { tracing } = this.#options.parts;
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
    const { entityPath, parts } = this.#options;
    const span = tracing.startSettle?.(operationOn(parts.engine, entityPath), message.envelope, settlement.kind);
    try {
      await this.#settle(message, settlement, options);
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  }

  #settle(message: Delivery, settlement: Settlement, options: SettleOptions = noSettleOptions): Promise<void> {
    let token: LockToken;
    try {
      token = lockTokenOf(message);
      if (options !== noSettleOptions) checkOptions(options, settleChecks);
    } catch (error) {
      return Promise.reject(error);
    }
    const hold = holdOf(message);
    if (hold !== undefined) hold.isSettled = true;
    const { entityPath, engine, parts } = this.#options;
    const { transaction, abortSignal } = options;
    const ended = (isDone: boolean, error?: unknown): void => this.#ended(hold, settlement, isDone, error);
    if (transaction !== undefined) {
      const settle = (): Promise<void> => parts.engine.settle(entityPath, token, settlement, { transaction });
      return parts.retry.once(settle, { abortSignal, ended });
    }
    // By lock token, so a retry cannot affect anything else.
    return parts.retry.run(() => engine().settle(entityPath, token, settlement), { explain, abortSignal, ended });
  }

  /** Completes a locked message; calls `ended` once instead of making promises, since this runs for every message. */
  complete(message: Delivery, ended: (isDone: boolean, error?: unknown) => void): void {
    const { entityPath, engine, parts } = this.#options;
    if (parts.tracing?.startSettle !== undefined) {
      void this.settle(message, completed).then(
        () => ended(true),
        (error: unknown) => ended(false, error),
      );
      return;
    }
    const token = lockTokenOf(message);
    const hold = holdOf(message);
    if (hold !== undefined) hold.isSettled = true;
    parts.retry.start(() => engine().settle(entityPath, token, completed), {
      explain,
      ended: (isDone, error) => {
        this.#ended(hold, completed, isDone, error);
        ended(isDone, error);
      },
    });
  }

  #ended(hold: Hold | undefined, settlement: Settlement, isDone: boolean, error: unknown): void {
    if (isDone) this.#options.parts.signals.settled(settlement);
    const isRefused = error instanceof SobreError && refusals.has(error.code);
    if (!isRefused) hold?.release();
    else if (hold !== undefined) hold.isSettled = false;
  }

  /** The connection that holds the locks. */
  get engine(): Engine {
    return this.#options.engine();
  }

  /** Completes a message and schedules another one in its place: both, or neither. */
  async replace(message: Delivery, envelope: Envelope): Promise<void> {
    const token = lockTokenOf(message);
    const { entityPath, parts } = this.#options;
    const span = parts.tracing?.startSettle?.(operationOn(parts.engine, entityPath), message.envelope, "complete");
    const hold = holdOf(message);
    if (hold !== undefined) hold.isSettled = true;
    try {
      await parts.retry.run(() => this.#replace(token, envelope), { explain });
      parts.signals.settled({ kind: "complete" });
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    } finally {
      hold?.release();
    }
  }

  async #replace(token: LockToken, envelope: Envelope): Promise<void> {
    const { entityPath } = this.#options;
    const { engine } = this;
    const transaction = await engine.begin();
    try {
      await engine.schedule(entityPath, [envelope], { transaction });
      await engine.settle(entityPath, token, { kind: "complete" }, { transaction });
      await transaction.commit();
    } catch (error) {
      await transaction.rollback().catch(() => undefined);
      throw error;
    }
  }

  async renew(message: Delivery): Promise<Date> {
    const { entityPath, engine, parts } = this.#options;
    const token = lockTokenOf(message);
    return noteLock(message, await parts.retry.run(() => engine().renew(entityPath, token)));
  }
}

const noSettleOptions: SettleOptions = {};

const completed: Settlement = { kind: "complete" };

const lockLost: ReadonlySet<string> = new Set(["MessageLockLost", "SessionLockLost"]);

/** If an answer was lost and the lock is gone on the retry, the settlement may have succeeded. */
function explain(error: unknown, isAnswerLost: boolean): unknown {
  if (!isAnswerLost || !(error instanceof SobreError) || !lockLost.has(error.code)) return error;
  return new SobreError(error.code, `${error.message} ${mayHaveHappened}`, { outcome: "unknown", cause: error });
}

const mayHaveHappened = "The answer to an earlier try was lost, so the message may already be settled.";

// The transaction is validated by the engine that began it.
const settleChecks: OptionChecks<SettleOptions> = { transaction: is.anything, abortSignal: is.abortSignal };

const deadLetterChecks: OptionChecks<DeadLetterOptions> = {
  deadLetterReason: is.text,
  deadLetterErrorDescription: is.text,
  propertiesToModify: is.object,
};

function checked(propertiesToModify: PropertiesToModify): PropertiesToModify {
  checkOptional("propertiesToModify", propertiesToModify, is.object);
  return propertiesToModify;
}

/** A handler that defers a message which a timer has woken wants it to stay deferred. */
function offTimer(message: Delivery, propertiesToModify: PropertiesToModify): PropertiesToModify {
  const given = checked(propertiesToModify);
  const isRetried = isObject(message) && is.isEnvelope(message.envelope) && waitsForTimer(message.envelope);
  return isRetried ? { ...given, [messageProperties.retryTimer]: undefined } : given;
}

/** @throws SobreError `InvalidOperation` for a message that is not locked, `InvalidArgument` for anything but a message. */
function lockTokenOf(message: unknown): LockToken {
  if (typeof message !== "object" || message === null || !("lockToken" in message))
    throw new SobreError(
      "InvalidArgument",
      "The first argument must be a message from a receiver. Pass it as it was received.",
    );
  if (isLockToken(message.lockToken)) return message.lockToken;
  throw new SobreError(
    "InvalidOperation",
    "This message is not locked: it was peeked, or received with receiveAndDelete.",
  );
}

const isLockToken = (token: unknown): token is LockToken => typeof token === "string";
