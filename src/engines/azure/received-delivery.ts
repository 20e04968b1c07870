import { decodeMessage, openMessage } from "../../amqp/index.ts";
import { deadLetterProperties, type Delivery, type LockToken, type MessageState } from "../../engine/index.ts";
import { dateOf, longOf, numberOf, textOf } from "./values.ts";

const states: readonly MessageState[] = ["active", "deferred", "scheduled"];

/** Reads a message as the broker hands it over: the sender's envelope, and the broker's facts in header and annotations. */
export function receivedDelivery(payload: Uint8Array, lockToken: LockToken | undefined): Delivery {
  const envelope = decodeMessage(payload);
  const { header, messageAnnotations: annotations, applicationProperties } = openMessage(payload);
  const sequenceNumber = longOf(annotations?.get("x-opt-sequence-number")) ?? 0n;
  const enqueuedTimeUtc = dateOf(annotations?.get("x-opt-enqueued-time")) ?? new Date(0);
  const timeToLive = header?.ttl;
  return {
    envelope,
    lockToken,
    lockedUntilUtc: lockToken === undefined ? undefined : dateOf(annotations?.get("x-opt-locked-until")),
    sequenceNumber,
    enqueuedSequenceNumber: longOf(annotations?.get("x-opt-enqueue-sequence-number")) ?? sequenceNumber,
    enqueuedTimeUtc,
    expiresAtUtc: timeToLive === undefined ? undefined : expiry(enqueuedTimeUtc, timeToLive),
    deliveryCount: header?.deliveryCount ?? 0,
    state: states[numberOf(annotations?.get("x-opt-message-state")) ?? 0] ?? "active",
    deadLetterSource: textOf(annotations?.get("x-opt-deadletter-source")),
    deadLetterReason: textOf(applicationProperties?.get(deadLetterProperties.reason)),
    deadLetterErrorDescription: textOf(applicationProperties?.get(deadLetterProperties.description)),
  };
}

/** The longest time to live that a header holds stands for ever. */
const forEver = 0xffff_ffff;

const expiry = (enqueued: Date, timeToLive: number): Date | undefined =>
  timeToLive >= forEver ? undefined : new Date(enqueued.getTime() + timeToLive);
