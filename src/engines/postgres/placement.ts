import type { DeadLetterMark } from "../../broker/dead-letter.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import type { Lane } from "./entities.ts";

/** The states of a message in the tables. */
export const states = { active: 0, deferred: 1, scheduled: 2 } as const;

/** A number that a message used up on its way through an entity that did not keep it. */
export interface Passed {
  readonly lane: Lane;
  readonly partition: number;
}

/** A message to put into a queue. */
export interface Placement {
  readonly lane: Lane;
  readonly partition: number;
  /** A number that was given before; `undefined` is the next one. */
  readonly number: bigint | undefined;
  /** The number on the entity that accepted it first: one, or one of those used up with it; `undefined` is its own. */
  readonly first: bigint | Passed | undefined;
  readonly envelope: Envelope;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` is never. */
  readonly expiresAt: number;
  readonly deliveryCount: number;
  readonly mark: DeadLetterMark | undefined;
  /** When it becomes active, of a scheduled message. */
  readonly scheduledFor: number | undefined;
}

/** A message on its way into an entity. */
export interface Incoming {
  readonly envelope: Envelope;
  /** Bytes of the envelope. */
  readonly size: number;
  /** How often it has been forwarded on this way. */
  readonly hops: number;
  /** See {@link Placement.first}. */
  readonly first: bigint | Passed | undefined;
  /** Why and where it was dead-lettered, when it comes from a dead-letter queue. */
  readonly mark: DeadLetterMark | undefined;
}
