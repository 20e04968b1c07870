import { SobreError } from "../../errors/index.ts";
import type { DeadLetterMark } from "./queued-message.ts";

/** The text is part of the protocol: official clients recognise a missing entity by it. */
export const entityNotFound = (entity: string): SobreError =>
  new SobreError(
    "MessagingEntityNotFound",
    `The messaging entity '${entity}' could not be found. Create it, or check its name.`,
  );

export const entityExists = (entity: string): SobreError =>
  new SobreError("MessagingEntityAlreadyExists", `The messaging entity '${entity}' already exists.`);

export const lockLost = (entity: string): SobreError =>
  new SobreError(
    "MessageLockLost",
    `The lock is not held on '${entity}': it has expired, or the message was settled already. Nothing was changed; receive the message again.`,
  );

export const closed = (what: string): SobreError =>
  new SobreError("Closed", `The ${what} was closed before. Open a new one.`);

export const invalidOperation = (text: string): SobreError => new SobreError("InvalidOperation", text);

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

/** The mark of a message whose time to live was over. */
export const timeToLiveOver: DeadLetterMark = {
  reason: "TTLExpiredException",
  description: "The message expired and was dead lettered.",
  source: undefined,
};
