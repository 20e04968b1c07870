import type { RuleProperties } from "../../core/engine/rules.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { FactJournal } from "./journal.ts";
import type { Pager } from "./pager.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { EntityFact, StoredMessage } from "./store.ts";
import type { Part } from "../policy/entities.ts";

type WithoutHead<T> = T extends unknown ? Omit<T, "kind" | "entity"> : never;

/** Records the events of one entity, under its number in the store. */
export class EntityFacts {
  readonly entity: number;
  /** Where envelopes are that have left memory. */
  readonly pager: Pager;
  readonly #journal: FactJournal;

  constructor(journal: FactJournal, entity: number) {
    this.#journal = journal;
    this.pager = journal.pager;
    this.entity = entity;
  }

  /** @throws SobreError `UnsupportedValue` for an envelope that cannot be kept. */
  check(envelope: Envelope): void {
    this.#journal.check(envelope);
  }

  /** The entity was created or changed. */
  changed(fact: WithoutHead<EntityFact>): void {
    this.#journal.record({ kind: "entity", entity: this.entity, ...fact });
  }

  deleted(): void {
    this.#journal.forget(this.entity);
    this.#journal.record({ kind: "entityDeleted", entity: this.entity });
  }

  /** `counts` is whether the entity is deleted when idle. */
  used(at: number, counts: boolean): void {
    this.#journal.used(this.entity, at, counts);
  }

  rule(rule: RuleProperties): void {
    this.#journal.record({ kind: "rule", entity: this.entity, rule });
  }

  ruleDeleted(name: string): void {
    this.#journal.record({ kind: "ruleDeleted", entity: this.entity, name });
  }

  /** A message has arrived; `dueAt` is when it becomes active, 0 if it already is. */
  added(part: Part, message: QueuedMessage, dueAt: number): void {
    message.position = this.#journal.nextRecord();
    this.pager.came(message);
    this.#journal.record({
      kind: "message",
      message: this.#stored(part, message, dueAt),
      envelope: message.envelope,
    });
  }

  /** The envelope of a message was replaced; `before` is the size of the old one. */
  amended(part: Part, message: QueuedMessage, before: number): void {
    this.pager.amended(message, before);
    this.#journal.record({ kind: "amended", message: this.#stored(part, message, 0), envelope: message.envelope });
  }

  /** Whether a message is delivered has changed, or how often it was. */
  status({ position: record, state, lock, deliveryCount }: QueuedMessage): void {
    this.#journal.record({ kind: "status", record, state, delivered: lock !== undefined, deliveryCount });
  }

  /** A message was released, abandoned or deferred. */
  cameBack(message: QueuedMessage): void {
    this.pager.cameBack(message);
    this.status(message);
  }

  removed(message: QueuedMessage): void {
    this.pager.left(message);
    this.#journal.record({ kind: "removed", record: message.position });
  }

  numbered(part: Part, partition: number, numbers: { readonly next: number }): void {
    this.#journal.numbered(this.entity, part, partition, numbers);
  }

  sessionState(session: string, state: Uint8Array | undefined, at: number): void {
    this.#journal.record({ kind: "sessionState", entity: this.entity, session, state, at });
  }

  seen(key: string, at: number): void {
    this.#journal.record({ kind: "seen", entity: this.entity, key, at });
  }

  forgotten(at: number): void {
    this.#journal.record({ kind: "forgotten", entity: this.entity, at });
  }

  #stored(part: Part, message: QueuedMessage, dueAt: number): StoredMessage {
    return {
      record: message.position,
      entity: this.entity,
      part,
      partition: message.partition,
      ordinal: message.ordinal,
      state: message.state,
      delivered: message.lock !== undefined,
      deliveryCount: message.deliveryCount,
      enqueuedAt: message.enqueuedAt,
      expiresAt: message.expiresAt,
      dueAt,
      enqueuedSequenceNumber: message.enqueuedSequenceNumber,
      deadLetter: message.deadLetter,
      size: message.size,
      sessionId: message.sessionId,
    };
  }
}
