import type { DeadLetterMark } from "../policy/dead-letter.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Lane } from "./entities.ts";

/** The states of a message in the tables. */
export const states = { active: 0, deferred: 1, scheduled: 2 } as const;

/** A sequence number that a message consumed in an entity through which it only passed. */
export interface Passed {
  readonly lane: Lane;
  readonly partition: number;
}

/** A message to insert into a queue. */
export interface Placement {
  readonly lane: Lane;
  readonly partition: number;
  /** A sequence number assigned earlier; `undefined` takes the next one. */
  readonly number: bigint | undefined;
  /** The sequence number on the entity that accepted it first, known, or consumed along with this placement; `undefined` means its own. */
  readonly first: bigint | Passed | undefined;
  readonly envelope: Envelope;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` means never. */
  readonly expiresAt: number;
  readonly deliveryCount: number;
  readonly mark: DeadLetterMark | undefined;
  /** For a scheduled message, when it becomes active. */
  readonly scheduledFor: number | undefined;
}

/** A message on its way into an entity. */
export interface Incoming {
  readonly envelope: Envelope;
  /** Bytes of the envelope, as its sender made it until an entity has accepted it. */
  readonly size: number;
  /** Bytes that accepting adds: those of a message id that its sender has not set. */
  readonly idSize: number;
  /** How often it has been forwarded so far. */
  readonly hops: number;
  /** See {@link Placement.first}. */
  readonly first: bigint | Passed | undefined;
  /** Why and where it was dead-lettered, when it comes from a dead-letter queue. */
  readonly mark: DeadLetterMark | undefined;
}
