import { SobreError } from "../../errors/sobre-error.ts";
import type { DeadLetterMark } from "./arrival.ts";

/** The text is part of the protocol: official clients recognise a missing entity by it. */
export const entityNotFound = (entity: string): SobreError =>
  new SobreError(
    "MessagingEntityNotFound",
    `The messaging entity '${entity}' could not be found. Create it, or check its name.`,
  );

/** The refusal of a send, under an id of its own. */
export function tracked(refusal: unknown): unknown {
  if (!(refusal instanceof SobreError)) return refusal;
  const { code, message, path, cause } = refusal;
  const trackingId = crypto.randomUUID();
  return new SobreError(code, `${message} TrackingId: ${trackingId}`, { path, cause, trackingId });
}

export const entityExists = (entity: string): SobreError =>
  new SobreError("MessagingEntityAlreadyExists", `The messaging entity '${entity}' already exists.`);

export const illegalSubscriptionName = (): SobreError =>
  new SobreError(
    "InvalidArgument",
    'A subscription\'s name has 1 to 50 letters, digits, "_", "-" and ".", and begins and ends with a letter or digit.',
  );

export const lockLost = (entity: string): SobreError =>
  new SobreError(
    "MessageLockLost",
    `The lock is not held on '${entity}': it has expired, or the message was settled already. Nothing was changed; receive the message again.`,
  );

/** Without session for a token whose session is not known any more. */
export const sessionLockLost = (session: string | undefined, entity: string): SobreError =>
  new SobreError(
    "SessionLockLost",
    `The lock on ${session === undefined ? "its session" : `the session '${session}'`} of '${entity}' is not held any more. Nothing was changed; accept the session again.`,
  );

export const sessionCannotBeLocked = (session: string, entity: string): SobreError =>
  new SobreError(
    "SessionCannotBeLocked",
    `The session '${session}' of '${entity}' is held by another receiver. Accept another one, or wait until it is closed.`,
  );

export const noSessionInTime = (entity: string): SobreError =>
  new SobreError("ServiceTimeout", `No session of '${entity}' became available in time. Try again.`);

export const messageNotFound = (sequenceNumber: bigint, state: string, entity: string): SobreError =>
  new SobreError(
    "MessageNotFound",
    `'${entity}' has no ${state} message with the sequence number ${sequenceNumber}. Nothing was changed.`,
  );

export const closed = (what: string): SobreError =>
  new SobreError("Closed", `The ${what} was closed before. Open a new one.`);

export const invalidOperation = (text: string): SobreError => new SobreError("InvalidOperation", text);

export const entityDisabled = (entity: string, status: string): SobreError =>
  new SobreError(
    "MessagingEntityDisabled",
    `The messaging entity '${entity}' has the status ${status}. Update its status to use it.`,
  );

export const quotaExceeded = (entity: string, megabytes: number): SobreError =>
  new SobreError(
    "QuotaExceeded",
    `The messaging entity '${entity}' is full: it holds at most ${megabytes} MB. Receive messages, dead letters included, or update its size.`,
  );

export const messageTooLarge = (size: number, limit: number, entity: string): SobreError =>
  new SobreError(
    "MessageSizeExceeded",
    `A message of ${size} bytes is larger than the ${limit} bytes that '${entity}' takes. Send a smaller one, or a claim check.`,
  );

/** The mark of a message that has failed as often as it may. */
export const tooManyDeliveries = (deliveryCount: number): DeadLetterMark => ({
  reason: "MaxDeliveryCountExceeded",
  description: `Message could not be consumed after ${deliveryCount} delivery attempts.`,
  source: undefined,
});

/** The mark of a message that came to a session entity without a session id. */
export const noSessionId: DeadLetterMark = {
  reason: "Session ID is null",
  description: "Session enabled entity doesn't allow a message whose session identifier is null.",
  source: undefined,
};

/** The mark of a message that has been forwarded as often as it may. */
export const tooManyHops: DeadLetterMark = {
  reason: "MaxTransferHopCountExceeded",
  description: "The maximum number of allowed hops when forwarding between queues is exceeded. This value is set to 4.",
  source: undefined,
};

/** The mark of a message that its next entity has refused. */
export const transferRefused = (error: SobreError): DeadLetterMark => ({
  reason: error.code,
  description: error.message,
  source: undefined,
});

/** The mark of a message that a rule could not be evaluated for. */
export const ruleFailed = (error: SobreError): DeadLetterMark => ({
  reason: "FilterEvaluationException",
  description: error.message,
  source: undefined,
});

/** The mark of a message whose properties a rule's action has made too large. */
export const headerTooLarge: DeadLetterMark = {
  reason: "HeaderSizeExceeded",
  description: "The size quota for this stream has been exceeded: the properties take more than 64 KiB.",
  source: undefined,
};

/** The mark of a message whose time to live was over. */
export const timeToLiveOver: DeadLetterMark = {
  reason: "TTLExpiredException",
  description: "The message expired and was dead lettered.",
  source: undefined,
};
