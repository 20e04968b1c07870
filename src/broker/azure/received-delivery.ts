import { annotated } from "../../wire/amqp/message/annotation-name.ts";
import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { parseMessage } from "../../wire/amqp/message/amqp-message.ts";
import { MessageOrigin } from "../../wire/amqp/message/message-origin.ts";
import { deadLetterProperties, type Delivery, type LockToken, type MessageState } from "../../core/engine/delivery.ts";
import type { AmqpMap } from "../../core/values/typed.ts";
import { dateOf, longOf, numberOf, looseText } from "../../core/amqp-values/loose-value.ts";

const states: readonly MessageState[] = ["active", "deferred", "scheduled"];

/** Reads a delivered message: the sender's envelope, and the broker's properties in header and annotations. */
export function receivedDelivery(payload: Uint8Array, lockToken: LockToken | undefined): Delivery {
  const envelope = decodeMessage(payload);
  const { origin } = envelope;
  // A message is opened only once.
  const message = origin instanceof MessageOrigin ? origin.message : parseMessage(payload);
  const { header, messageAnnotations: annotations, applicationProperties } = message;
  const facts = annotations === undefined ? {} : factsOf(annotations);
  const { sequenceNumber = 0n, enqueuedTimeUtc = new Date(0) } = facts;
  const timeToLive = header?.ttl;
  const expiry = message.properties?.absoluteExpiryTime;
  return {
    envelope,
    lockToken,
    lockedUntilUtc: lockToken === undefined ? undefined : facts.lockedUntilUtc,
    sequenceNumber,
    enqueuedSequenceNumber: facts.enqueuedSequenceNumber ?? sequenceNumber,
    enqueuedTimeUtc,
    expiresAtUtc:
      expiry instanceof Date ? expiry : timeToLive === undefined ? undefined : expiryOf(enqueuedTimeUtc, timeToLive),
    deliveryCount: header?.deliveryCount ?? 0,
    state: states[facts.state ?? 0] ?? "active",
    deadLetterSource: facts.deadLetterSource,
    deadLetterReason: looseText(applicationProperties?.get(deadLetterProperties.reason)),
    deadLetterErrorDescription: looseText(applicationProperties?.get(deadLetterProperties.description)),
  };
}

interface Facts {
  sequenceNumber?: bigint | undefined;
  enqueuedSequenceNumber?: bigint | undefined;
  enqueuedTimeUtc?: Date | undefined;
  lockedUntilUtc?: Date | undefined;
  state?: number | undefined;
  deadLetterSource?: string | undefined;
}

/** The facts in the broker's annotations; in one pass, since every received message comes through here. */
function factsOf(annotations: AmqpMap): Facts {
  const facts: Facts = {};
  const keys = annotations.keys();
  const values = annotations.values();
  for (let index = 0; index < keys.length; index++) {
    const value = values[index];
    switch (annotated.get(looseText(keys[index]) ?? "")) {
      case "sequenceNumber":
        facts.sequenceNumber = longOf(value);
        break;
      case "enqueuedSequenceNumber":
        facts.enqueuedSequenceNumber = longOf(value);
        break;
      case "enqueuedTimeUtc":
        facts.enqueuedTimeUtc = dateOf(value);
        break;
      case "lockedUntilUtc":
        facts.lockedUntilUtc = dateOf(value);
        break;
      case "state":
        facts.state = numberOf(value);
        break;
      case "deadLetterSource":
        facts.deadLetterSource = looseText(value);
        break;
      default:
    }
  }
  return facts;
}

/** The maximum time to live in a header means unlimited. */
const forEver = 0xffff_ffff;

const expiryOf = (enqueued: Date, timeToLive: number): Date | undefined =>
  timeToLive >= forEver ? undefined : new Date(enqueued.getTime() + timeToLive);
