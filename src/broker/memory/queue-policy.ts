import type { DeadLetterMark } from "../policy/dead-letter.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { Numbering } from "./message-log.ts";
import type { Meter } from "./meter.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Part } from "./store.ts";

/** The entity of a message queue, as the queue sees it. */
export interface QueuePolicy {
  /** Address for error messages. */
  readonly address: string;
  /** Milliseconds. */
  readonly lockDuration: number;
  /** `Infinity` where messages are not dead-lettered, e.g. in sub-queues. */
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
  /** Whether an expired message moves elsewhere rather than being deleted. */
  readonly keepsExpired: boolean;
  /** Whether a receiver may dead-letter from here. */
  readonly canDeadLetter: boolean;
  readonly numbering: Numbering;
  /** Records events; `undefined` without a store. */
  readonly facts: EntityFacts | undefined;
  /** Which of the entity's queues this is. */
  readonly part: Part;
  /** Counts every byte that is added or removed. */
  readonly meter: Meter;
  /** Takes over a message with a marked envelope that has left for the dead-letter queue. */
  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void;
  /** Takes over a message that has left because it expired. */
  expired(message: QueuedMessage, now: number): void;
  /** Takes over a scheduled message that is due; `number` is the sequence number under which it was scheduled. */
  activated(message: QueuedMessage, number: bigint, now: number): void;
}
