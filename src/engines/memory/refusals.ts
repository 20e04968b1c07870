import type { ErrorCode } from "../../errors/codes.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { DeadLetterMark } from "./arrival.ts";

/** The broker's refusal of an operation, under a tracking id of its own that its text ends with. */
function refusal(code: ErrorCode, text: string, path?: string): SobreError {
  const trackingId = crypto.randomUUID();
  return new SobreError(code, `${text} TrackingId: ${trackingId}`, { trackingId, path });
}

/** The text is part of the protocol: official clients recognise a missing entity by it. */
export const entityNotFound = (entity: string): SobreError =>
  refusal(
    "MessagingEntityNotFound",
    `The messaging entity '${entity}' could not be found. Create it, or check its name.`,
  );

export const entityExists = (entity: string): SobreError =>
  refusal("MessagingEntityAlreadyExists", `The messaging entity '${entity}' already exists.`);

export const illegalSubscriptionName = (): SobreError =>
  refusal(
    "InvalidArgument",
    'A subscription\'s name has 1 to 50 letters, digits, "_", "-" and ".", and begins and ends with a letter or digit.',
  );

export const lockLost = (entity: string): SobreError =>
  refusal(
    "MessageLockLost",
    `The lock is not held on '${entity}': it has expired, or the message was already settled. Nothing was changed; receive the message again.`,
  );

/** Without session for a token whose session is no longer known. */
export const sessionLockLost = (session: string | undefined, entity: string): SobreError =>
  refusal(
    "SessionLockLost",
    `The lock on ${session === undefined ? "its session" : `the session '${session}'`} of '${entity}' is no longer held. Nothing was changed; accept the session again.`,
  );

export const sessionCannotBeLocked = (session: string, entity: string): SobreError =>
  refusal(
    "SessionCannotBeLocked",
    `The session '${session}' of '${entity}' is held by another receiver. Accept another one, or wait until it is closed.`,
  );

export const noSessionInTime = (entity: string): SobreError =>
  refusal("ServiceTimeout", `No session of '${entity}' became available in time. Try again.`);

export const messageNotFound = (sequenceNumber: bigint, state: string, entity: string): SobreError =>
  refusal(
    "MessageNotFound",
    `'${entity}' has no ${state} message with the sequence number ${sequenceNumber}. Nothing was changed.`,
  );

export const closed = (what: string): SobreError => new SobreError("Closed", `The ${what} is closed. Open a new one.`);

export const invalidOperation = (text: string): SobreError => refusal("InvalidOperation", text);

export const unequalKeys = (entity: string): SobreError =>
  refusal(
    "InvalidArgument",
    `'${entity}' is partitioned: partitionKey and sessionId must be equal when both are set.`,
    "$.brokerProperties.partitionKey",
  );

export const entityDisabled = (entity: string, status: string): SobreError =>
  refusal(
    "MessagingEntityDisabled",
    `The messaging entity '${entity}' has the status ${status}. Update its status to use it.`,
  );

export const quotaExceeded = (entity: string, megabytes: number): SobreError =>
  refusal(
    "QuotaExceeded",
    `The messaging entity '${entity}' is full: it holds at most ${megabytes} MB, in which a message counts 640 bytes besides its own. Receive messages, dead letters included, or update its size.`,
  );

export const memoryUsedUp = (most: number): SobreError =>
  refusal(
    "QuotaExceeded",
    `The broker is full: what it holds takes ${Math.floor(most / 2 ** 20)} MB of memory, as much as it may. Receive messages, or start it with a higher maxMemory.`,
  );

export const tooManyRules = (most: number, kind: string): SobreError =>
  refusal(
    "QuotaExceeded",
    `A topic has at most ${most} ${kind}. Delete rules, or use correlation filters where values are compared.`,
  );

export const messageTooLarge = (size: number, limit: number, entity: string): SobreError =>
  refusal(
    "MessageSizeExceeded",
    `A message of ${size} bytes is larger than the ${limit} bytes that '${entity}' takes. Send a smaller one, or use a claim check.`,
  );

const mark = (reason: string, description: string): DeadLetterMark => ({ reason, description, source: undefined });

/** The mark of a message that has failed as often as it may. */
export const tooManyDeliveries = (deliveryCount: number): DeadLetterMark =>
  mark("MaxDeliveryCountExceeded", `Message could not be consumed after ${deliveryCount} delivery attempts.`);

/** The mark of a message that came to a session entity without a session id. */
export const noSessionId: DeadLetterMark = mark(
  "Session ID is null",
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** The mark of a message that has been forwarded as often as it may. */
export const tooManyHops: DeadLetterMark = mark(
  "MaxTransferHopCountExceeded",
  "The maximum number of allowed hops when forwarding between queues is exceeded. This value is set to 4.",
);

/** The mark of a message that its next entity has refused. */
export const transferRefused = (error: SobreError): DeadLetterMark => mark(error.code, error.message);

/** The mark of a message that a rule could not be evaluated for. */
export const ruleFailed = (error: SobreError): DeadLetterMark => mark("FilterEvaluationException", error.message);

/** The mark of a message whose properties a rule's action has made too large. */
export const headerTooLarge: DeadLetterMark = mark(
  "HeaderSizeExceeded",
  "The size quota for this stream has been exceeded: the properties take more than 64 KiB.",
);

/** The mark of a message whose time to live was over. */
export const timeToLiveOver: DeadLetterMark = mark("TTLExpiredException", "The message expired and was dead lettered.");
