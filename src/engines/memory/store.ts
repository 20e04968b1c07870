import type { MessageState } from "../../engine/delivery.ts";
import type { QueueSettings, SubscriptionSettings, TopicSettings } from "../../engine/entity-settings.ts";
import type { RuleProperties } from "../../engine/rules.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import type { DeadLetterMark } from "../../broker/dead-letter.ts";

/** The queue of an entity that a message lies in: its own, or one of its sub-queues. */
export type Part = "messages" | "deadLetters" | "transferDeadLetters";

/** An entity as it is now: made, or changed. Ids are whole numbers from 1 up, never given twice. */
export type EntityFact = {
  readonly kind: "entity";
  readonly entity: number;
  /** Milliseconds since 1970, like every time here. */
  readonly createdAt: number;
  readonly modifiedAt: number;
} & (
  | {
      readonly type: "queue";
      readonly name: string;
      /** Where its sequence numbers begin. */
      readonly first: bigint;
      readonly settings: QueueSettings;
    }
  | { readonly type: "topic"; readonly name: string; readonly first: bigint; readonly settings: TopicSettings }
  | {
      readonly type: "subscription";
      readonly topic: number;
      readonly name: string;
      readonly settings: SubscriptionSettings;
    }
);

/** The broker's bookkeeping of a message, which is kept with its envelope. */
export interface StoredMessage {
  /** Its number in the store: whole, from 1 up, rising in the order in which messages came into being. */
  readonly record: number;
  readonly entity: number;
  readonly part: Part;
  readonly partition: number;
  /** Its place among the sequence numbers of its partition. */
  readonly ordinal: number;
  readonly state: MessageState;
  /** Whether it was handed over under peek-lock and not settled since. */
  readonly delivered: boolean;
  readonly deliveryCount: number;
  readonly enqueuedAt: number;
  /** `Infinity` is never. */
  readonly expiresAt: number;
  /** When a scheduled message becomes active; 0 for others. */
  readonly dueAt: number;
  readonly enqueuedSequenceNumber: bigint | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
  /** Bytes of the envelope. */
  readonly size: number;
  readonly sessionId: string | undefined;
}

/**
 * Something that happened in an engine and outlives its process.
 *
 * Lock tokens and their ends are not facts; that a message is `delivered` is a fact. Facts are immutable,
 * and each is to be understood after those before it.
 */
export type Fact =
  | EntityFact
  /** The entity is gone, with its messages, rules, sessions and ids. */
  | { readonly kind: "entityDeleted"; readonly entity: number }
  /** The entity was used. */
  | { readonly kind: "used"; readonly entity: number; readonly at: number }
  | { readonly kind: "rule"; readonly entity: number; readonly rule: RuleProperties }
  | { readonly kind: "ruleDeleted"; readonly entity: number; readonly name: string }
  /** The place that the next message of a partition gets; never falls. */
  | {
      readonly kind: "numbers";
      readonly entity: number;
      readonly part: Part;
      readonly partition: number;
      readonly next: number;
    }
  /** A message is there, ready, deferred or scheduled. */
  | {
      readonly kind: "message";
      readonly message: StoredMessage;
      /** Left in the store by a load; {@link Store.read} reads it. */
      readonly envelope: Envelope | undefined;
    }
  /** A message has another envelope, of another size. */
  | { readonly kind: "amended"; readonly message: StoredMessage; readonly envelope: Envelope }
  /** A message was delivered, released, abandoned or deferred. */
  | {
      readonly kind: "status";
      readonly record: number;
      readonly state: MessageState;
      readonly delivered: boolean;
      readonly deliveryCount: number;
    }
  /** A message is gone: completed, deleted, expired, or moved, which is another fact. */
  | { readonly kind: "removed"; readonly record: number }
  /** The state of a session; `undefined` clears it. */
  | {
      readonly kind: "sessionState";
      readonly entity: number;
      readonly session: string;
      readonly state: Uint8Array | undefined;
      readonly at: number;
    }
  /** An id was seen by duplicate detection. */
  | { readonly kind: "seen"; readonly entity: number; readonly key: string; readonly at: number }
  /** Every id seen at this time or before is forgotten. */
  | { readonly kind: "forgotten"; readonly entity: number; readonly at: number };

/**
 * Where a memory engine keeps its facts, so that they outlive the process.
 *
 * The engine calls `load` first, and again after `recovered`; then it commits one batch after another, and need not
 * wait for one to end before the next: they take effect in their order.
 */
export interface Store {
  /**
   * Yields facts that, in their order, make what the commits so far have made: entities before what is in them,
   * topics before their subscriptions, and messages in order of their records.
   *
   * @throws SobreError naming what is damaged.
   */
  load(): AsyncIterable<readonly Fact[]>;
  /**
   * Makes a batch durable, all of it or nothing. Resolves once it would survive a loss of power.
   *
   * @throws SobreError with nothing of the batch kept, nor of those after it: retryable when a later batch may succeed,
   *   after {@link recovered}; another one when the store is over until it is opened again.
   */
  commit(facts: readonly Fact[]): Promise<void>;
  /**
   * Reads the envelope of a message as the commits that were begun before have left it.
   *
   * @throws SobreError `DecodeFailed` for one that is damaged or missing.
   */
  read(record: number): Promise<Envelope>;
  /**
   * Says that an envelope can be kept, before anything is accepted.
   *
   * @throws SobreError `UnsupportedValue` for one that cannot.
   */
  check(envelope: Envelope): void;
  /** Resolves when commits may succeed again after one has failed; rejects when they will not. */
  recovered(): Promise<void>;
  /** Ends the store. The commits before have ended. */
  close(): Promise<void>;
}
