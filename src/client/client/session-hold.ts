import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { isTimer, timerFor, timerIdOf, waitsForTimer } from "./retry-timer.ts";

/**
 * The application property that connects a dead letter with its session, which waits until the dead letter is
 * re-driven: on the dead letter, and on a message of the session that is scheduled for a time that never comes.
 */
export const holdProperty = "sobre-hold";

/** The application property of a timer that ends a hold once its message is gone. */
const releaseProperty = "sobre-release";

/** The timer id of messages after a waiting one. */
export const behind = "behind";

/** Milliseconds until a hold would be delivered: ten years. */
export const farAway: number = 10 * 365 * 86_400_000;

/**
 * The two steps in which a message whose session is to be held is dead-lettered, as prefixes of its timers' ids. In the
 * first one the hold is scheduled. When the second timer arrives, all messages before the hold have been deferred.
 */
export const burialSteps = { hold: "hold:", deadLetter: "dead-letter:" } as const;

/** The hold of a message that was dead-lettered, or is about to be. */
export const holdOfMessage = ({ envelope }: Delivery): string | undefined => textIn(envelope, holdProperty);

/** The hold that a timer ends. */
export const releasedBy = ({ envelope }: Delivery): string | undefined => textIn(envelope, releaseProperty);

/** Whether a message of a session is a hold in force. */
export const isHold = (message: Delivery): boolean =>
  message.state === "scheduled" && isTimer(message.envelope) && holdOfMessage(message) !== undefined;

/** Whether a message waits in its session: for its own timer, or for a message before it that does. */
export const isWaiting = ({ envelope, state }: Delivery): boolean => state === "deferred" && waitsForTimer(envelope);

/** Whether a message waits for a step of its burial. */
export const isBuried = ({ envelope }: Delivery, step: keyof typeof burialSteps): boolean =>
  String(timerIdOf(envelope)).startsWith(burialSteps[step]);

/** A hold for the session of a message. */
export const holdFor = (message: Delivery, hold: string, now: number): Envelope =>
  timerFor(message, crypto.randomUUID(), now + farAway, { [holdProperty]: hold });

/** A timer that ends a hold if the message is gone when it comes. */
export const releaseFor = (message: Delivery, hold: string, now: number): Envelope =>
  timerFor(message, crypto.randomUUID(), now, { [releaseProperty]: hold });

function textIn({ applicationProperties }: Envelope, property: string): string | undefined {
  const value = applicationProperties[property];
  return typeof value === "string" ? value : undefined;
}
