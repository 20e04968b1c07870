import { amend, type Envelope, sizeOf } from "../../envelope/index.ts";
import { messageTooLarge } from "./refusals.ts";

/** @throws SobreError `MessageSizeExceeded`. */
export function checkSize(envelope: Envelope, limit: number, entity: string): void {
  const size = sizeOf(envelope);
  if (size > limit) throw messageTooLarge(size, limit, entity);
}

/** The envelope with a message id: its own, or 32 hexadecimal digits. */
export function withMessageId(envelope: Envelope): Envelope {
  if (envelope.brokerProperties.messageId !== undefined) return envelope;
  return amend(envelope, {
    brokerProperties: { ...envelope.brokerProperties, messageId: crypto.randomUUID().replaceAll("-", "") },
  });
}

/** When a message enqueued at `now` expires: the shorter of its own and the entity's time to live. */
export function expiryOf(envelope: Envelope, defaultTimeToLive: number, now: number): number {
  return now + Math.min(envelope.brokerProperties.timeToLive ?? Infinity, defaultTimeToLive);
}
