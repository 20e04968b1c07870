import type { MessageState } from "../../core/engine/delivery.ts";
import type { QueueSettings, SubscriptionSettings, TopicSettings } from "../../core/engine/entity-settings.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Part } from "../policy/entities.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";

/** The current state of an entity that was created or changed. Ids are integers from 1 and are never reused. */
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
      /** Where its sequence numbers start. */
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

/** The broker's bookkeeping of a message, which is stored with its envelope. */
export interface StoredMessage {
  /** Its number in the store: an integer from 1, increasing in the order in which messages were created. */
  readonly record: number;
  readonly entity: number;
  readonly part: Part;
  readonly partition: number;
  /** Its ordinal among the sequence numbers of its partition. */
  readonly ordinal: number;
  readonly state: MessageState;
  /** Whether it was delivered under peek-lock and has not been settled since. */
  readonly delivered: boolean;
  readonly deliveryCount: number;
  readonly enqueuedAt: number;
  /** `Infinity` means never. */
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
 * An event in an engine that outlives its process.
 *
 * Lock tokens and expiry times are not facts; that a message is `delivered` is one. Facts are immutable,
 * and each applies to the state after the previous ones.
 */
export type StoreFact =
  | EntityFact
  /** The entity was deleted, with its messages, rules, sessions and ids. */
  | { readonly kind: "entityDeleted"; readonly entity: number }
  /** The entity was used. A message in a queue implies it, at the time when it was enqueued. */
  | { readonly kind: "used"; readonly entity: number; readonly at: number }
  | { readonly kind: "rule"; readonly entity: number; readonly rule: RuleProperties }
  | { readonly kind: "ruleDeleted"; readonly entity: number; readonly name: string }
  /** The ordinal of the next message of a partition; never decreases. A message implies the ordinal after its own. */
  | {
      readonly kind: "numbers";
      readonly entity: number;
      readonly part: Part;
      readonly partition: number;
      readonly next: number;
    }
  /** A message was added: ready, deferred or scheduled. */
  | {
      readonly kind: "message";
      readonly message: StoredMessage;
      /** `undefined` when loaded: it stays in the store, and {@link MemoryStore.read} reads it. */
      readonly envelope: Envelope | undefined;
    }
  /** The envelope of a message was replaced, and its size changed. */
  | { readonly kind: "amended"; readonly message: StoredMessage; readonly envelope: Envelope }
  /** A message was delivered, released, abandoned or deferred. */
  | {
      readonly kind: "status";
      readonly record: number;
      readonly state: MessageState;
      readonly delivered: boolean;
      readonly deliveryCount: number;
    }
  /** A message was removed: completed, deleted, expired, or moved, which adds another fact. */
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
 * Where a memory engine stores its facts, so that they outlive the process.
 *
 * The engine calls `load` first, and again after `recovered`; then it commits batches, without necessarily waiting
 * for one to finish before the next: they take effect in order.
 */
export interface MemoryStore {
  /**
   * Yields facts that, applied in order, reproduce the state after all commits so far: entities before their contents,
   * topics before their subscriptions, and messages in order of their records.
   *
   * @throws SobreError that names the damaged part.
   */
  load(): AsyncIterable<readonly StoreFact[]>;
  /**
   * Makes a batch durable, all or nothing. Resolves once it would survive a power failure.
   *
   * @param isFollowed whether another batch follows within this turn of the event loop, which may share a sync with it.
   * @throws SobreError when nothing of this batch and of those after it is stored: retryable if a later batch may succeed
   *   after {@link recovered}; otherwise the store is unusable until it is reopened.
   */
  commit(facts: readonly StoreFact[], isFollowed: boolean): Promise<void>;
  /**
   * Reads the envelope of a message, including the effects of all commits started before.
   *
   * @throws SobreError `DecodeFailed` for one that is damaged or missing.
   */
  read(record: number): Promise<Envelope>;
  /**
   * Checks that an envelope can be stored, before anything is accepted.
   *
   * @throws SobreError `UnsupportedValue` for one that cannot.
   */
  check(envelope: Envelope): void;
  /** After a failed commit, resolves when commits may succeed again; rejects if they will not. */
  recovered(): Promise<void>;
  /** Resolves when the current turn of the event loop has ended. */
  turnEnded(): Promise<void>;
  /** Closes the store, after all commits have finished. */
  close(): Promise<void>;
}
