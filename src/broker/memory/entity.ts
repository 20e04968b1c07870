import { subscriptionAddress } from "../../core/engine/address.ts";
import type {
  EntitySettings,
  QueueSettings,
  SubscriptionSettings,
  TopicSettings,
} from "../../core/engine/entity-settings.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { Entity, Part, SubscriptionEntity, TopicEntity } from "../policy/entities.ts";
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
}

/** The contents of an entity in memory. */
export abstract class EntityContents implements QueueOwner {
  abstract settings: EntitySettings;
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
  get inUse(): boolean {
    if ("forwardTo" in this.settings && this.settings.forwardTo !== undefined) return true;
    return this.queues().some((queue) => queue.awaited || queue.store.scheduledCount > 0);
  }

  /** Records that the entity was used; a clock that was set back before a start never makes it look more idle. */
  touch(now: number): void {
    this.usedAt = Math.max(this.usedAt, now);
    this.facts?.used(this.usedAt, this.settings.autoDeleteOnIdle !== Infinity);
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

  measure(): EntityMeasure {
    const { messages, deadLetters, transferDeadLetters } = this.#queues;
    return {
      messages: messages?.store.size ?? 0,
      scheduled: messages?.store.scheduledCount ?? 0,
      deadLetters: deadLetters?.store.size ?? 0,
      transferDeadLetters: transferDeadLetters?.store.size ?? 0,
      bytes: this.queues().reduce((sum, { store, sessions }) => sum + store.bytes + (sessions?.stateBytes ?? 0), 0),
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

/** A new entity of a memory engine, besides its settings. */
export interface EntityOrigin extends EntityHome {
  readonly memory: Memory;
  readonly address: string;
  readonly firstSequenceNumber: bigint;
}

/** A queue with its sub-queues. */
export class MemoryQueue extends EntityContents {
  readonly type = "queue";
  readonly address: string;
  settings: QueueSettings;

  constructor(origin: EntityOrigin, settings: QueueSettings) {
    super(origin, new ContentMeter(origin.memory), origin.firstSequenceNumber);
    this.address = origin.address;
    this.settings = settings;
    if (settings.requiresDuplicateDetection) this.duplicates = new Duplicates(this);
  }
}

/** A topic, in which only scheduled messages stay. */
export class MemoryTopic extends EntityContents {
  readonly type = "topic";
  readonly address: string;
  settings: TopicSettings;
  readonly subscriptions: Map<string, SubscriptionEntity<EntityContents>> = new Map();
  readonly rules: RuleIndex<SubscriptionEntity<EntityContents>> = new RuleIndex();

  constructor(origin: EntityOrigin, settings: TopicSettings) {
    super(origin, new ContentMeter(origin.memory), origin.firstSequenceNumber);
    this.address = origin.address;
    this.settings = settings;
    if (settings.requiresDuplicateDetection) this.duplicates = new Duplicates(this);
  }

  /** Whatever uses a subscription uses its topic. */
  override get inUse(): boolean {
    return super.inUse || Array.from(this.subscriptions.values()).some(({ inUse }) => inUse);
  }

  override measure(): EntityMeasure {
    return { ...super.measure(), bytes: this.meter.bytes };
  }
}

/** A subscription with its sub-queues. */
export class MemorySubscription extends EntityContents {
  readonly type = "subscription";
  readonly address: string;
  readonly name: string;
  readonly topic: TopicEntity<EntityContents>;
  settings: SubscriptionSettings;
  readonly rules: Map<string, Rule<SubscriptionEntity<EntityContents>>> = new Map();

  constructor(topic: TopicEntity<EntityContents>, name: string, settings: SubscriptionSettings) {
    super(topic, topic.meter, topic.firstSequenceNumber);
    this.address = subscriptionAddress(topic.address, name);
    this.name = name;
    this.topic = topic;
    this.settings = settings;
  }

  /** Whatever uses a subscription uses its topic. */
  override touch(now: number): void {
    super.touch(now);
    this.topic.touch(now);
  }
}
