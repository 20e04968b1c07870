import type { Arrival, Incoming } from "../policy/incoming.ts";
import type { TableQueue } from "./entities.ts";

/** The states of a message in the tables. */
export const states = { active: 0, deferred: 1, scheduled: 2 } as const;

/** A sequence number that a message consumed in an entity through which it only passed. */
export interface Passed {
  readonly queue: TableQueue;
  readonly partition: number;
}

/** A sequence number: known, or consumed by the statement that inserts the message. */
export type TableSequence = bigint | Passed;

/** A message to insert into a queue. */
export interface Placement extends Arrival<TableSequence> {
  readonly queue: TableQueue;
  readonly partition: number;
  /** A sequence number assigned earlier; `undefined` takes the next one. */
  readonly number: bigint | undefined;
  /** For a scheduled message, when it becomes active. */
  readonly scheduledFor: number | undefined;
}

/** A message on its way into an entity. */
export interface TableIncoming extends Incoming<TableSequence> {
  /** Bytes that accepting adds: those of a message id that its sender has not set. */
  readonly idSize?: number;
}
