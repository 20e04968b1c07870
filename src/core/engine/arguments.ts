import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  checkOption,
  checkOptional,
  checkOptions,
  invalidOption,
  type OptionChecks,
} from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { isRecord } from "../envelope/bag.ts";
import type { Settlement } from "./delivery.ts";
import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  ListSessionsOptions,
  OpenReceiverOptions,
  OpenSenderOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  ReceiveOptions,
  TransactionOption,
} from "./engine.ts";

// JavaScript callers may pass anything: an engine rejects it as `InvalidArgument` instead of failing with a TypeError.

const receiveMode = is.oneOf("peekLock", "receiveAndDelete");
/** Validated by the engine that began it. */
const transaction = (value: unknown): string | undefined => (isRecord(value) ? undefined : "must be a transaction");

const senderChecks: OptionChecks<OpenSenderOptions> = { via: is.name, maxInFlight: is.countFrom(1) };
const receiverChecks: OptionChecks<OpenReceiverOptions> = { receiveMode };
const deferredChecks: OptionChecks<ReceiveDeferredOptions> = { receiveMode, sessionId: is.text };
const sessionChecks: OptionChecks<AcceptSessionOptions> = {
  receiveMode,
  sessionId: is.text,
  maxWaitTimeInMs: is.milliseconds,
  abortSignal: is.abortSignal,
};
const peekChecks: OptionChecks<PeekOptions> = {
  maxMessages: is.countFrom(1),
  fromSequenceNumber: is.sequenceNumber,
  sessionId: is.text,
};
const deleteChecks: OptionChecks<DeleteOptions> = {
  maxMessages: is.countFrom(1),
  beforeEnqueueTime: is.date,
  sessionId: is.text,
};
const listChecks: OptionChecks<ListSessionsOptions> = {
  updatedAfter: is.date,
  skip: is.countFrom(0),
  maxSessions: is.countFrom(1),
};
const connectChecks: OptionChecks<ConnectOptions> = {
  sharesBytes: is.flag,
  name: is.text,
  onEntityDeleted: is.aFunction,
};
const transactionChecks: OptionChecks<TransactionOption> = { transaction };

/** Checks of the options of an engine's methods. @throws SobreError `InvalidArgument` naming the option. */
export const checkEngineOptions = {
  openSender: (options: unknown): void => checkOptions(options, senderChecks),
  openReceiver: (options: unknown): void => checkOptions(options, receiverChecks, { needed: ["receiveMode"] }),
  receiveDeferred: (options: unknown): void => checkOptions(options, deferredChecks, { needed: ["receiveMode"] }),
  acceptSession: (options: unknown): void =>
    checkOptions(options, sessionChecks, { needed: ["receiveMode", "maxWaitTimeInMs"] }),
  peek: (options: unknown): void => checkOptions(options, peekChecks, { needed: ["maxMessages"] }),
  deleteMessages: (options: unknown): void => checkOptions(options, deleteChecks, { needed: ["maxMessages"] }),
  listSessions: (options: unknown): void => checkOptions(options, listChecks),
  connect: (options: unknown): void => checkOptions(options, connectChecks),
  schedule: (options: unknown): void => checkOptions(options, transactionChecks),
} as const;

/** @throws SobreError `InvalidArgument` unless it is a string. */
export function checkEntity(entity: string): void {
  if (typeof entity !== "string") throw invalidOption("entity", 'must name an entity, e.g. "orders"');
}

/** Checks the options of a receive, without a table, since this runs for every receive. */
export function checkReceiveOptions(options: ReceiveOptions): void {
  if (typeof options !== "object" || options === null) throw invalidOption("options", "must be an object");
  const { maxMessages, maxWaitTimeInMs, abortSignal } = options;
  if (!Number.isSafeInteger(maxMessages) || maxMessages < 1)
    throw invalidOption("maxMessages", "must be a whole number from 1 up");
  if (typeof maxWaitTimeInMs !== "number" || !(maxWaitTimeInMs >= 0))
    throw invalidOption("maxWaitTimeInMs", "must be a number of milliseconds from 0 up");
  if (abortSignal !== undefined && !(abortSignal instanceof AbortSignal))
    checkOption("abortSignal", abortSignal, is.abortSignal);
}

/** Whether a value has the form of a lock token: a UUID. */
export const isLockToken = (token: string): boolean =>
  typeof token === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token);

/** @throws SobreError `InvalidArgument` unless it is a list of envelopes. */
export function checkEnvelopes(envelopes: readonly Envelope[]): void {
  if (!Array.isArray(envelopes)) throw invalidOption("envelopes", "must be a list of envelopes");
  for (const envelope of envelopes)
    if (!is.isEnvelope(envelope)) throw invalidOption("envelopes", "must be made by createEnvelope or a serializer");
}

/** @throws SobreError `InvalidArgument` unless it is a list of bigints. */
export function checkSequenceNumbers(numbers: readonly bigint[]): void {
  if (Array.isArray(numbers) && numbers.every((number) => typeof number === "bigint")) return;
  throw invalidOption("sequenceNumbers", "must be a list of bigints");
}

const settlements: readonly string[] = ["complete", "abandon", "release", "defer", "deadLetter"];

/**
 * Checks a settlement; `complete` first, as the most frequent. @throws SobreError `InvalidArgument` naming the invalid
 * member.
 */
export function checkSettlement(settlement: Settlement): void {
  const kind = typeof settlement === "object" && settlement !== null ? settlement.kind : undefined;
  if (kind === "complete") return;
  if (kind === undefined || !settlements.includes(kind))
    throw invalidOption("settlement.kind", `must be one of ${settlements.join(", ")}`);
  if (settlement.kind !== "deadLetter") return;
  const { deadLetterReason: reason, deadLetterErrorDescription: description } = settlement;
  // Checked by value first, since every dead letter comes this way.
  if (typeof reason !== "string") checkOptional("settlement.deadLetterReason", reason, is.text);
  if (typeof description !== "string") checkOptional("settlement.deadLetterErrorDescription", description, is.text);
}

/** The bytes of a session state, or `undefined` to clear it. @throws SobreError `InvalidArgument` for other values. */
export function checkState(state: unknown): Uint8Array | undefined {
  if (state === undefined || state === null) return undefined;
  if (state instanceof Uint8Array) return state;
  throw new SobreError("InvalidArgument", "The session state must be a Uint8Array, or null to clear it.", {
    path: "$.state",
  });
}
