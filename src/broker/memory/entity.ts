import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { Entity, Part, SubscriptionEntity } from "../policy/entities.ts";
import { compileInto, type NewEntity } from "../policy/entity-changes.ts";
import type { Router } from "../policy/router.ts";
import type { Rule } from "../policy/rule.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { Duplicates } from "./duplicates.ts";
import type { EntityFacts } from "./entity-facts.ts";
import { MessageQueue } from "./message-queue.ts";
import { type Memory, ContentMeter } from "./meter.ts";
import type { QueueOwner } from "./queue-owner.ts";
import type { Timeline } from "./timeline.ts";

/** The parts that the entities of a memory engine share. */
export interface EntityHome {
  readonly timeline: Timeline;
  readonly router: Router<EntityContents, bigint>;
  readonly memory: Memory;
}

/** The contents of an entity in memory. */
export class EntityContents implements QueueOwner {
  readonly timeline: Timeline;
  readonly router: Router<EntityContents, bigint>;
  readonly meter: ContentMeter;
  readonly firstSequenceNumber: bigint;
  /** When it was used last, in milliseconds since 1970. */
  usedAt: number;
  /** Set by the namespace if there is a store. */
  facts: EntityFacts | undefined = undefined;
  /** The message ids seen, where duplicates are detected. */
  duplicates: Duplicates | undefined = undefined;
  readonly #queues: Partial<Record<Part, MessageQueue>> = {};
  #createdAt: number;
  #modifiedAt: number;

  /** @param meter Shared by a topic and its subscriptions. */
  constructor({ timeline, router }: EntityHome, meter: ContentMeter, firstSequenceNumber: bigint) {
    this.timeline = timeline;
    this.router = router;
    this.meter = meter;
    this.firstSequenceNumber = firstSequenceNumber;
    this.usedAt = timeline.now();
    this.#createdAt = this.usedAt;
    this.#modifiedAt = this.usedAt;
  }

  /** A queue of the entity; created on first use. */
  queue(this: MemoryEntity, part: Part): MessageQueue {
    return (this.#queues[part] ??= new MessageQueue(this, part));
  }

  /** The queues created so far. */
  queues(): readonly MessageQueue[] {
    return Object.values(this.#queues);
  }

  /** Whether a receive is waiting, a session is held, a message is scheduled, or everything is forwarded. */
  isInUse(this: MemoryEntity): boolean {
    if (this.queues().some((queue) => queue.awaited || queue.store.scheduledCount > 0)) return true;
    if (this.type !== "topic") return this.settings.forwardTo !== undefined;
    // Whatever uses a subscription uses its topic.
    return Array.from(this.subscriptions.values()).some((subscription) => subscription.isInUse());
  }

  /** Records that the entity was used; a clock that was set back before a start never makes it look more idle. */
  touch(this: MemoryEntity, now: number): void {
    this.usedAt = Math.max(this.usedAt, now);
    this.facts?.used(this.usedAt, this.settings.autoDeleteOnIdle !== Infinity);
    if (this.type === "subscription") this.topic.touch(now);
  }

  /** When it was created and modified, in milliseconds since 1970. */
  get changes(): { readonly createdAt: number; readonly modifiedAt: number } {
    return { createdAt: this.#createdAt, modifiedAt: this.#modifiedAt };
  }

  /** Sets the times that the entity had before a restart. */
  restoreTimes({ createdAt, modifiedAt }: { readonly createdAt: number; readonly modifiedAt: number }): void {
    this.#createdAt = createdAt;
    this.#modifiedAt = modifiedAt;
    this.usedAt = createdAt;
  }

  modified(now: number): void {
    this.#modifiedAt = now;
  }

  measure(this: MemoryEntity): EntityMeasure {
    const { messages, deadLetters, transferDeadLetters } = this.#queues;
    const bytes = this.queues().reduce(
      (sum, { store, sessions }) => sum + store.bytes + (sessions?.stateBytes ?? 0),
      0,
    );
    return {
      messages: messages?.store.size ?? 0,
      scheduled: messages?.store.scheduledCount ?? 0,
      deadLetters: deadLetters?.store.size ?? 0,
      transferDeadLetters: transferDeadLetters?.store.size ?? 0,
      bytes: this.type === "topic" ? this.meter.bytes : bytes,
      createdAt: new Date(this.#createdAt),
      modifiedAt: new Date(this.#modifiedAt),
      accessedAt: new Date(this.usedAt),
    };
  }

  /** Deletes every message, lock, session state and recorded message id; waiting calls keep waiting. */
  clear(now: number): void {
    for (const queue of this.queues()) queue.clear(now);
    if (this.duplicates === undefined) return;
    this.duplicates.clear();
    this.facts?.forgotten(now);
  }

  /** Deletes everything and refuses waiting calls. */
  destroy(refusal: SobreError): void {
    for (const queue of this.queues()) queue.destroy(refusal);
    this.duplicates?.clear();
  }
}

/** An entity of a memory engine. */
export type MemoryEntity = Entity<EntityContents>;

/** A new entity without contents; a subscription shares the meter of its topic, and its first sequence number. */
export function emptyEntity(
  created: NewEntity<EntityContents>,
  home: EntityHome,
  firstSequenceNumber: bigint,
): MemoryEntity {
  const { address } = created;
  if (created.type === "subscription") {
    const { type, name, topic, settings } = created;
    const contents = new EntityContents(home, topic.meter, topic.firstSequenceNumber);
    const subscription = Object.assign(contents, {
      type,
      address,
      settings,
      name,
      topic,
      rules: new Map<string, Rule<SubscriptionEntity<EntityContents>>>(),
    });
    for (const rule of created.rules) compileInto(subscription, rule);
    return subscription;
  }
  const contents = new EntityContents(home, new ContentMeter(home.memory), firstSequenceNumber);
  const entity =
    created.type === "queue"
      ? Object.assign(contents, { type: created.type, address, settings: created.settings })
      : Object.assign(contents, {
          type: created.type,
          address,
          settings: created.settings,
          subscriptions: new Map<string, SubscriptionEntity<EntityContents>>(),
          rules: new RuleIndex<SubscriptionEntity<EntityContents>>(),
        });
  if (entity.settings.requiresDuplicateDetection) entity.duplicates = new Duplicates(entity);
  return entity;
}
