import type { Delivery } from "../../core/engine/delivery.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";

/**
 * The application property that connects a message that is deferred for a delayed retry with its timer: a message
 * without a body in the same queue, scheduled for the end of the wait.
 */
export const retryTimerProperty = "sobre-retry-timer";

/** The application property of a timer with the sequence number of its message. */
const retryOfProperty = "sobre-retry-of";

/** Whether a message is the timer of another one. */
export const isTimer = ({ applicationProperties }: Envelope): boolean =>
  typeof applicationProperties[retryOfProperty] === "string" &&
  typeof applicationProperties[retryTimerProperty] === "string";

/** Whether a message was deferred to wait for a timer. */
export const waitsForTimer = ({ applicationProperties }: Envelope): boolean =>
  applicationProperties[retryTimerProperty] !== undefined;

/** The timer that a message waits for, or the id of a timer. */
export const timerIdOf = ({ applicationProperties }: Envelope): unknown => applicationProperties[retryTimerProperty];

/** A timer for a message; both have the id as a property. */
export function timerFor(
  { sequenceNumber, envelope }: Delivery,
  id: string,
  at: number,
  more: Envelope["applicationProperties"] = {},
): Envelope {
  const { sessionId } = envelope.brokerProperties;
  const properties = { ...more, [retryOfProperty]: String(sequenceNumber), [retryTimerProperty]: id };
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
    return BigInt(String(envelope.applicationProperties[retryOfProperty]));
  } catch {
    return 0n;
  }
}
