import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** The broker's refusal of an operation, with a new tracking id at the end of its text. */
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
    'A subscription\'s name must have 1 to 50 letters, digits, "_", "-" and ".", and begin and end with a letter or digit.',
  );

export const lockLost = (entity: string): SobreError =>
  refusal(
    "MessageLockLost",
    `The lock is not held on '${entity}': it has expired, or the message was already settled. Nothing was changed; receive the message again.`,
  );

/** `session` is `undefined` for a token whose session is no longer known. */
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
  refusal("ServiceTimeout", `No session of '${entity}' became available in time. Retry later.`);

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

export const batchOfManyKeys = (entity: string): SobreError =>
  invalidOperation(
    `'${entity}' is partitioned, and the messages of a batch go to one partition. Send those of each sessionId or partitionKey, ` +
      "or of each messageId where it detects duplicates, on their own.",
  );

export const entityDisabled = (entity: string, status: string): SobreError =>
  refusal(
    "MessagingEntityDisabled",
    `The messaging entity '${entity}' has the status ${status}. Update its status to use it.`,
  );

export const quotaExceeded = (entity: string, megabytes: number): SobreError =>
  refusal(
    "QuotaExceeded",
    `The messaging entity '${entity}' is full: its limit is ${megabytes} MB, and each message counts 640 bytes in addition to its size. Receive messages, including dead letters, or increase maxSizeInMegabytes.`,
  );

export const memoryUsedUp = (most: number): SobreError =>
  refusal(
    "QuotaExceeded",
    `The broker is full: it has reached its limit of ${Math.floor(most / 2 ** 20)} MB of memory. Receive messages, or restart it with a higher maxMemory.`,
  );

export const tooManyRules = (most: number, kind: string): SobreError =>
  refusal(
    "QuotaExceeded",
    `A topic may have at most ${most} ${kind}. Delete some, or replace comparisons of values by correlation filters.`,
  );

export const messageTooLarge = (size: number, limit: number, entity: string): SobreError =>
  refusal(
    "MessageSizeExceeded",
    `A message of ${size} bytes exceeds the limit of '${entity}', ${limit} bytes. Send a smaller one, or use a claim check.`,
  );
