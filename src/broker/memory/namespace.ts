import { subscriptionAddress } from "../../core/engine/address.ts";
import { entityNotFound } from "../../core/engine/refusals.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { Directory } from "../policy/directory.ts";
import type { SubscriptionEntity } from "../policy/entities.ts";
import { addRule, deleteRule, type EntityChange, type NewEntity } from "../policy/entity-changes.ts";
import { emptyEntity, type EntityContents, type MemoryEntity } from "./entity.ts";
import { EntityFacts } from "./entity-facts.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { FactJournal } from "./journal.ts";
import { MemoryRouter } from "./memory-router.ts";
import type { MessageQueue } from "./message-queue.ts";
import { besides, Memory } from "./meter.ts";
import type { EntityFact } from "./store.ts";
import { Timeline } from "./timeline.ts";

/** The parts of a {@link MemoryNamespace}. */
export interface NamespaceSetup {
  readonly clock: Clock;
  readonly firstSequenceNumber: bigint;
  /** Default: its own, unlimited. */
  readonly memory?: Memory | undefined;
  /** Records every event; `undefined` without a store. */
  readonly journal?: FactJournal | undefined;
}

/** The place where the current namespace of an engine is. */
export interface NamespaceHome {
  readonly namespace: MemoryNamespace;
}

/** The entities of a memory engine, and the time that they share. */
export class MemoryNamespace {
  readonly timeline: Timeline;
  readonly memory: Memory;
  readonly directory: Directory<EntityContents, MessageQueue> = new Directory((entity, part) => entity.queue(part));
  readonly router: MemoryRouter = new MemoryRouter(this.directory);
  readonly #watches = new Map<MemoryEntity, IdleWatch>();
  readonly #firstSequenceNumber: bigint;
  readonly #journal: FactJournal | undefined;

  constructor({ clock, firstSequenceNumber, memory = new Memory(), journal }: NamespaceSetup) {
    this.memory = memory;
    this.timeline = new Timeline(clock);
    this.#firstSequenceNumber = firstSequenceNumber;
    this.#journal = journal;
  }

  /** Carries out a change. @throws SobreError `QuotaExceeded` when there is no memory for another entity. */
  change(change: EntityChange<EntityContents>): void {
    switch (change.kind) {
      case "create":
        return this.#create(change.entity);
      case "update":
        return this.#update(change.entity, change.settings);
      case "delete":
        return this.delete(change.entity);
      case "addRule":
        addRule(change.subscription, change.rule);
        change.subscription.touch(this.timeline.now());
        return change.subscription.facts?.rule(change.rule);
      case "deleteRule":
        deleteRule(change.subscription, change.rule);
        change.subscription.touch(this.timeline.now());
        return change.subscription.facts?.ruleDeleted(change.rule.properties.name);
      default:
        return change satisfies never;
    }
  }

  #create(created: NewEntity<EntityContents>): void {
    this.memory.check(besides.entity);
    const entity = emptyEntity(created, this, this.#firstSequenceNumber);
    this.#add(entity, this.#journal?.nextEntity());
    entity.facts?.changed(factOf(entity));
    entity.touch(this.timeline.now());
    if (entity.type === "subscription")
      for (const { properties } of entity.rules.values()) entity.facts?.rule(properties);
    this.watch(entity);
  }

  #add(entity: MemoryEntity, id: number | undefined): void {
    this.directory.add(entity);
    this.memory.used += besides.entity;
    if (this.#journal !== undefined && id !== undefined) entity.facts = new EntityFacts(this.#journal, id);
  }

  /** Restores an entity from before a restart, without messages and rules. */
  restore(fact: EntityFact, topic: MemoryEntity | undefined): MemoryEntity {
    const entity =
      fact.type !== "subscription"
        ? emptyEntity({ ...fact, address: fact.name }, this, fact.first)
        : emptyEntity({ ...fact, ...subscriptionOf(fact.name, topic), rules: [] }, this, 1n);
    entity.restoreTimes(fact);
    this.#add(entity, fact.entity);
    return entity;
  }

  #update(entity: MemoryEntity, settings: MemoryEntity["settings"]): void {
    const now = this.timeline.now();
    Object.assign(entity, { settings });
    entity.modified(now);
    entity.touch(now);
    const { receiveRefusal } = entity.queue("messages");
    if (receiveRefusal !== undefined) entity.queue("messages").refuseWaiting(receiveRefusal);
    for (const queue of entity.queues()) queue.release(undefined, now);
    this.router.forwardReady(entity);
    entity.facts?.changed(factOf(entity));
    this.watch(entity);
  }

  delete(entity: MemoryEntity): void {
    if (this.directory.find(entity.address) === entity) this.memory.used -= besides.entity;
    this.directory.delete(entity);
    this.#watches.get(entity)?.stop();
    this.#watches.delete(entity);
    if (entity.type === "topic") for (const subscription of entity.subscriptions.values()) this.delete(subscription);
    entity.facts?.deleted();
    entity.destroy(entityNotFound(entity.address));
    entity.facts = undefined;
    this.directory.announceDeletion(entity);
  }

  /** Deletes the contents of an entity and, for a topic, of its subscriptions. */
  clear(entity: MemoryEntity): void {
    const now = this.timeline.now();
    entity.clear(now);
    if (entity.type === "topic") for (const subscription of entity.subscriptions.values()) subscription.clear(now);
  }

  /** Ends everything without recording it, when the store has failed. */
  abandon(refusal: SobreError): void {
    this.timeline.hold();
    for (const entity of this.directory.entities()) {
      entity.facts = undefined;
      entity.destroy(refusal);
    }
  }

  /** Every message queue that exists. */
  *queues(): Generator<MessageQueue> {
    for (const entity of this.directory.entities()) yield* entity.queues();
  }

  /** Deletes the entity once it has been idle for the time in its settings. */
  watch(entity: MemoryEntity, from: number = this.timeline.now()): void {
    this.#watches.get(entity)?.stop();
    this.#watches.delete(entity);
    if (entity.settings.autoDeleteOnIdle === Infinity) return;
    const watch = new IdleWatch(this.timeline, entity, () => this.delete(entity));
    this.#watches.set(entity, watch);
    watch.start(from);
  }
}

/** An entity as it is stored. */
function factOf(entity: MemoryEntity): Parameters<EntityFacts["changed"]>[0] {
  const times = entity.changes;
  if (entity.type === "subscription") {
    const { type, name, settings, topic } = entity;
    return { type, topic: topic.facts?.entity ?? 0, name, settings, ...times };
  }
  const named = { name: entity.address, first: entity.firstSequenceNumber, ...times };
  return entity.type === "queue"
    ? { type: "queue", settings: entity.settings, ...named }
    : { type: "topic", settings: entity.settings, ...named };
}

function subscriptionOf(
  name: string,
  topic: MemoryEntity | undefined,
): Pick<SubscriptionEntity<EntityContents>, "address" | "topic"> {
  if (topic?.type !== "topic") throw entityNotFound(name);
  return { address: subscriptionAddress(topic.address, name), topic };
}
