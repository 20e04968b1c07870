import type { Delivery, LockToken, Settlement } from "../engine/delivery.ts";
import type { Engine, TransactionOption } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOptional, checkOptions, type OptionCheck, type OptionChecks, text } from "../options/option-checks.ts";

/** Application properties to change while settling; `undefined` removes one. */
export type PropertiesToModify = Extract<Settlement, { readonly kind: "abandon" }>["propertiesToModify"];

/** What a dead letter is told. */
export interface DeadLetterOptions {
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
  readonly propertiesToModify?: PropertiesToModify;
}

/** What is in it the engine checks. */
const isProperties: OptionCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "must be an object";

/** The settling verbs; they throw SobreError `MessageLockLost` when the lock is gone, and nothing is changed then. */
export interface SettlingVerbs {
  completeMessage(message: Delivery, options?: TransactionOption): Promise<void>;
  abandonMessage(
    message: Delivery,
    propertiesToModify?: PropertiesToModify,
    options?: TransactionOption,
  ): Promise<void>;
  deferMessage(message: Delivery, propertiesToModify?: PropertiesToModify, options?: TransactionOption): Promise<void>;
  deadLetterMessage(message: Delivery, deadLetter?: DeadLetterOptions, options?: TransactionOption): Promise<void>;
  /** Resolves to the new end of the lock. */
  renewMessageLock(message: Delivery): Promise<Date>;
}

/** Messages that were settled by a verb, so that a processor whose handler did that leaves them alone. */
const settledMessages = new WeakSet<object>();

/** Whether a message was settled by a verb of a receiver, or nobody knows. */
export function isSettledByVerb(message: unknown): boolean {
  return typeof message === "object" && message !== null && settledMessages.has(message);
}

/** Codes of settlements that are wrong in themselves, whoever holds the message. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidArgument",
  "InvalidOperation",
  "LimitExceeded",
  "MessageSizeExceeded",
  "UnsupportedValue",
]);

/** Whether a settlement was refused for its own sake, which left the message as it was. */
export const isRefused = (error: unknown): boolean => error instanceof SobreError && refusals.has(error.code);

/** The verbs over an engine; a settlement is never repeated, since its outcome would be another. */
export function settlingVerbs(
  entityPath: string,
  engine: (options?: TransactionOption) => Engine,
  settled: (message: Delivery) => void,
): SettlingVerbs {
  const settle = async (message: Delivery, settlement: Settlement, options?: TransactionOption): Promise<void> => {
    const token = lockTokenOf(message);
    checkTransaction(options);
    settledMessages.add(message);
    let wasRefused = false;
    try {
      await engine(options).settle(entityPath, token, settlement, options);
    } catch (error) {
      wasRefused = isRefused(error);
      throw error;
    } finally {
      // What was refused for its own sake is still held, and its lock still kept.
      if (wasRefused) settledMessages.delete(message);
      else settled(message);
    }
  };
  return {
    completeMessage: (message, options) => settle(message, { kind: "complete" }, options),
    abandonMessage: async (message, propertiesToModify, options) =>
      settle(message, { kind: "abandon", propertiesToModify: properties(propertiesToModify) }, options),
    deferMessage: async (message, propertiesToModify, options) =>
      settle(message, { kind: "defer", propertiesToModify: properties(propertiesToModify) }, options),
    deadLetterMessage: async (message, deadLetter, options) =>
      settle(message, deadLetterSettlement(deadLetter), options),
    renewMessageLock: async (message) => engine().renew(entityPath, lockTokenOf(message)),
  };
}

// The engine that began it knows its own.
const transactionChecks: OptionChecks<TransactionOption> = { transaction: () => undefined };

const deadLetterChecks: OptionChecks<DeadLetterOptions> = {
  deadLetterReason: text,
  deadLetterErrorDescription: text,
  propertiesToModify: isProperties,
};

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkTransaction(options: TransactionOption | undefined): void {
  if (options !== undefined) checkOptions(options, transactionChecks);
}

/** @throws SobreError `InvalidArgument` for what are no properties. */
export function properties(propertiesToModify: PropertiesToModify): PropertiesToModify {
  checkOptional("propertiesToModify", propertiesToModify, isProperties);
  return propertiesToModify;
}

/** @throws SobreError `InvalidArgument` naming the option. */
export function deadLetterSettlement(deadLetter: DeadLetterOptions = {}): Settlement {
  checkOptions(deadLetter, deadLetterChecks);
  return { kind: "deadLetter", ...deadLetter };
}

/** @throws SobreError `InvalidOperation` for a message that is not locked, `InvalidArgument` for what is no message. */
export function lockTokenOf(message: Delivery): LockToken {
  if (!isMessage(message)) throw new SobreError("InvalidArgument", "Pass the message, as the receiver handed it out.");
  const { lockToken } = message;
  if (lockToken !== undefined) return lockToken;
  throw new SobreError(
    "InvalidOperation",
    "This message is not locked: it was peeked, or received with receiveAndDelete.",
  );
}

const isMessage = (message: unknown): message is Delivery => typeof message === "object" && message !== null;
