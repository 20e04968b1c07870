import { messageProperties } from "../../core/message/message-properties.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";

/** Whether a message is the timer of another one. */
export const isTimer = ({ applicationProperties }: Envelope): boolean =>
  typeof applicationProperties[messageProperties.retryOf] === "string" &&
  typeof applicationProperties[messageProperties.retryTimer] === "string";

/** Whether a message was deferred to wait for a timer. */
export const waitsForTimer = ({ applicationProperties }: Envelope): boolean =>
  applicationProperties[messageProperties.retryTimer] !== undefined;

/** The timer that a message waits for, or the id of a timer. */
export const timerIdOf = ({ applicationProperties }: Envelope): unknown =>
  applicationProperties[messageProperties.retryTimer];

/** A timer for a message; both have the id as a property. */
export function timerFor(
  { sequenceNumber, envelope }: Delivery,
  id: string,
  at: number,
  more: Envelope["applicationProperties"] = {},
): Envelope {
  const { sessionId } = envelope.brokerProperties;
  const properties = {
    ...more,
    [messageProperties.retryOf]: String(sequenceNumber),
    [messageProperties.retryTimer]: id,
  };
  return timerOf(properties, sessionId, at);
}

/** The same timer for another time. */
export function timerAgain({ envelope }: Delivery, at: number): Envelope {
  return timerOf(envelope.applicationProperties, envelope.brokerProperties.sessionId, at);
}

function timerOf(
  applicationProperties: Envelope["applicationProperties"],
  sessionId: string | undefined,
  at: number,
): Envelope {
  const brokerProperties = {
    messageId: crypto.randomUUID(),
    sessionId,
    scheduledEnqueueTimeUtc: new Date(at),
  };
  return createEnvelope({ payload: new Uint8Array(), brokerProperties, applicationProperties });
}

/** The sequence number of a timer's message; 0, which no message has, for a property that somebody else has written. */
export function messageOfTimer({ envelope }: Delivery): bigint {
  try {
    return BigInt(String(envelope.applicationProperties[messageProperties.retryOf]));
  } catch {
    return 0n;
  }
}
