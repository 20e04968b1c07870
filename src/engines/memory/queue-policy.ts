import type { DeadLetterMark } from "../../broker/dead-letter.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { Numbering } from "./message-log.ts";
import type { Meter } from "./meter.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Part } from "./store.ts";

/** The entity that a message queue belongs to. */
export interface QueuePolicy {
  /** Address for error texts. */
  readonly address: string;
  /** Milliseconds. */
  readonly lockDuration: number;
  /** `Infinity` where nothing is dead-lettered, as on sub-queues. */
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
  /** Whether a message whose time to live is over goes on to somewhere else. */
  readonly keepsExpired: boolean;
  /** Whether a receiver may dead-letter from here. */
  readonly canDeadLetter: boolean;
  readonly numbering: Numbering;
  /** Records what happens; `undefined` without a store. */
  readonly facts: EntityFacts | undefined;
  /** The queue of the entity that this is. */
  readonly part: Part;
  /** Counts every byte that comes and goes. */
  readonly meter: Meter;
  /** Takes over a message, its envelope marked, that has left for the dead-letter queue. */
  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void;
  /** Takes over a message that has left because its time to live was over. */
  expired(message: QueuedMessage, now: number): void;
  /** Takes over a scheduled message whose time has come; `number` is the one it was scheduled under. */
  activated(message: QueuedMessage, number: bigint, now: number): void;
}
