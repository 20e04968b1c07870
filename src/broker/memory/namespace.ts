import { invalidOption } from "../../core/options/option-checks.ts";
import { checkEntityName, parseAddress, subscriptionAddress } from "../../core/engine/address.ts";
import { checkFixed, queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../../core/engine/admin.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { EntityFacts } from "./entity-facts.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { Incoming } from "./incoming.ts";
import type { Journal } from "./journal.ts";
import type { MessageQueue } from "./message-queue.ts";
import { besides, Memory } from "./meter.ts";
import { QueueEntity } from "./queue-entity.ts";
import { ReceivableEntity, type Transfer } from "./receivable-entity.ts";
import { tooManyHops, transferRefused } from "../policy/dead-letter-marks.ts";
import { entityExists, entityNotFound, illegalSubscriptionName, invalidOperation } from "../../core/engine/refusals.ts";
import type { EntityFact } from "./store.ts";
import { SubscriptionEntity } from "./subscription-entity.ts";
import { Timeline } from "./timeline.ts";
import { TopicEntity } from "./topic-entity.ts";

/** Maximum number of times that a message may be forwarded. */
const maxHops = 4;

/** Maximum number of cached addresses. */
const maxAddresses = 10_000;

/** The parts of a {@link Namespace}. */
export interface NamespaceSetup {
  readonly clock: Clock;
  readonly firstSequenceNumber: bigint;
  /** Default: its own, unlimited. */
  readonly memory?: Memory | undefined;
  /** Records every event; `undefined` without a store. */
  readonly journal?: Journal | undefined;
}

type Entity = QueueEntity | TopicEntity | SubscriptionEntity;

/** The entities of a memory engine by name, and the time that they share. */
export class Namespace implements Transfer {
  readonly timeline: Timeline;
  readonly memory: Memory;
  readonly #entities = new Map<string, Entity>();
  /** Cache of queues by address as spelled by the caller; cleared when an entity is created or deleted. */
  readonly #byAddress = new Map<string, MessageQueue>();
  readonly #watches = new Map<Entity, IdleWatch>();
  readonly #firstSequenceNumber: bigint;
  readonly #journal: Journal | undefined;

  constructor({ clock, firstSequenceNumber, memory = new Memory(), journal }: NamespaceSetup) {
    this.memory = memory;
    this.timeline = new Timeline(clock);
    this.#firstSequenceNumber = firstSequenceNumber;
    this.#journal = journal;
  }

  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
  createQueue(name: string, options: QueueOptions | undefined): void {
    this.#checkNew(name);
    this.#add(new QueueEntity(name, queueSettings(options), this.timeline, this, this.#firstSequenceNumber));
  }

  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
  createTopic(name: string, options: TopicOptions | undefined): void {
    this.#checkNew(name);
    this.#add(new TopicEntity(name, topicSettings(options), this.timeline, this, this.#firstSequenceNumber));
  }

  /** @throws SobreError `MessagingEntityNotFound`, `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
  createSubscription(topicName: string, name: string, options: SubscriptionOptions | undefined): void {
    const topic = this.topic(topicName);
    if (typeof name !== "string" || !/^[\p{L}\p{N}](?:[\p{L}\p{N}_\-.]{0,48}[\p{L}\p{N}])?$/u.test(name))
      throw illegalSubscriptionName();
    if (topic.subscriptions.has(name.toLowerCase())) throw entityExists(subscriptionAddress(topic.address, name));
    this.memory.check(besides.entity);
    const subscription = new SubscriptionEntity(topic, name, subscriptionSettings(options));
    try {
      subscription.startWith(options?.rules);
    } catch (error) {
      subscription.dropRules();
      throw error;
    }
    topic.subscriptions.set(name.toLowerCase(), subscription);
    this.#add(subscription);
    for (const rule of subscription.listRules()) subscription.facts?.rule(rule);
  }

  /** Restores an entity from before a restart, without messages and rules. */
  restore(fact: EntityFact, topic: TopicEntity | undefined): Entity {
    const entity = this.#restored(fact, topic);
    entity.restoreTimes(fact);
    this.#enter(entity, fact.entity);
    return entity;
  }

  #restored(fact: EntityFact, topic: TopicEntity | undefined): Entity {
    const { name } = fact;
    if (fact.type === "queue") return new QueueEntity(name, fact.settings, this.timeline, this, fact.first);
    if (fact.type === "topic") return new TopicEntity(name, fact.settings, this.timeline, this, fact.first);
    if (topic === undefined) throw entityNotFound(name);
    const subscription = new SubscriptionEntity(topic, name, fact.settings);
    topic.subscriptions.set(name.toLowerCase(), subscription);
    return subscription;
  }

  /** Changes the settings of an entity; the options given replace the existing ones. @throws SobreError `InvalidArgument`. */
  update(entity: Entity, options: QueueOptions & SubscriptionOptions): void {
    if (typeof options !== "object" || options === null || Array.isArray(options))
      throw invalidOption("options", "must be an object");
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const merged = { ...entity.settings, ...given };
    const settings =
      entity instanceof SubscriptionEntity
        ? subscriptionSettings(merged)
        : entity instanceof TopicEntity
          ? topicSettings(merged)
          : queueSettings(merged);
    checkFixed(entity.settings, settings);
    Object.assign(entity, { settings });
    entity.settingsChanged(this.timeline.now());
    entity.facts?.changed(describe(entity));
    this.watch(entity);
  }

  delete(entity: Entity): void {
    if (this.#entities.delete(parseAddress(entity.address).key)) this.memory.used -= besides.entity;
    this.#byAddress.clear();
    this.#watches.get(entity)?.stop();
    this.#watches.delete(entity);
    if (entity instanceof TopicEntity)
      for (const subscription of entity.subscriptions.values()) this.delete(subscription);
    if (entity instanceof SubscriptionEntity) entity.unsubscribe();
    entity.facts?.deleted();
    entity.destroy(entityNotFound(entity.address));
    entity.facts = undefined;
  }

  /** The entity under a name or the address of its sub-queue. */
  find(address: string): Entity | undefined {
    return this.#entities.get(parseAddress(address).key);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  entity(address: string): Entity {
    const entity = this.find(address);
    if (entity === undefined) throw entityNotFound(address);
    return entity;
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  queueEntity(name: string): QueueEntity {
    const entity = this.find(name);
    if (entity instanceof QueueEntity) return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  topic(name: string): TopicEntity {
    const entity = this.find(name);
    if (entity instanceof TopicEntity) return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  subscription(topic: string, name: string): SubscriptionEntity {
    const entity = this.find(subscriptionAddress(topic, name));
    if (entity instanceof SubscriptionEntity) return entity;
    throw entityNotFound(subscriptionAddress(topic, name));
  }

  /** The queue or topic at an address. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for others. */
  sendable(address: string): QueueEntity | TopicEntity {
    const entity = this.entity(address);
    if (parseAddress(address).subQueue === undefined && !(entity instanceof SubscriptionEntity)) return entity;
    throw invalidOperation(`'${address}' does not accept sends. Send to its queue or topic instead.`);
  }

  /** The entity that can be received from. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for topics. */
  receivable(address: string): ReceivableEntity {
    const entity = this.entity(address);
    if (entity instanceof ReceivableEntity) return entity;
    throw invalidOperation(`'${address}' is a topic. Receive from one of its subscriptions instead.`);
  }

  /** The queue or sub-queue at an address; of a topic, that of its scheduled messages. @throws SobreError `MessagingEntityNotFound`. */
  queue(address: string): MessageQueue {
    let queue = this.#byAddress.get(address);
    if (queue === undefined) {
      queue = this.#queueAt(address);
      if (this.#byAddress.size >= maxAddresses) this.#byAddress.clear();
      this.#byAddress.set(address, queue);
    }
    return queue;
  }

  #queueAt(address: string): MessageQueue {
    const { subQueue } = parseAddress(address);
    const entity = this.entity(address);
    if (subQueue === undefined) return entity.messages;
    if (!(entity instanceof ReceivableEntity)) throw entityNotFound(address);
    return subQueue === "deadLetter" ? entity.deadLetters : entity.transferDeadLetters;
  }

  forward(from: ReceivableEntity, incoming: Incoming, target: string, now: number): void {
    const hops = incoming.hops + 1;
    if (hops > maxHops) {
      from.failTransfer(incoming, tooManyHops, now);
      return;
    }
    try {
      const { intake } = this.sendable(target);
      intake.check([incoming]);
      intake.accept({ ...incoming, hops }, now);
    } catch (error) {
      if (!(error instanceof SobreError)) throw error;
      from.failTransfer(incoming, transferRefused(error), now);
    }
  }

  /** Ends everything without recording it, when the store has failed. */
  abandon(refusal: SobreError): void {
    this.timeline.hold();
    for (const entity of this.#entities.values()) {
      entity.facts = undefined;
      entity.destroy(refusal);
    }
  }

  entities(): Iterable<Entity> {
    return this.#entities.values();
  }

  /** Every message queue that exists. */
  *queues(): Generator<MessageQueue> {
    for (const entity of this.#entities.values()) if (entity instanceof ReceivableEntity) yield* entity.queues();
  }

  #checkNew(name: string): void {
    checkEntityName(name);
    if (this.find(name) !== undefined) throw entityExists(name);
    this.memory.check(besides.entity);
  }

  #add(entity: Entity): void {
    this.#enter(entity, this.#journal?.nextEntity());
    entity.facts?.changed(describe(entity));
    this.watch(entity);
  }

  #enter(entity: Entity, id: number | undefined): void {
    this.#entities.set(parseAddress(entity.address).key, entity);
    this.memory.used += besides.entity;
    if (this.#journal !== undefined && id !== undefined) entity.facts = new EntityFacts(this.#journal, id);
  }

  /** Deletes the entity once it has been idle for the time in its settings. */
  watch(entity: Entity, from: number = this.timeline.now()): void {
    this.#watches.get(entity)?.stop();
    this.#watches.delete(entity);
    if (entity.settings.autoDeleteOnIdle === Infinity) return;
    const watch = new IdleWatch(this.timeline, entity, () => this.delete(entity));
    this.#watches.set(entity, watch);
    watch.start(from);
  }
}

/** An entity as it is stored. */
function describe(entity: Entity): Parameters<EntityFacts["changed"]>[0] {
  const { createdAt, modifiedAt } = entity.times;
  const times = { createdAt: createdAt.getTime(), modifiedAt: modifiedAt.getTime() };
  if (entity instanceof SubscriptionEntity) {
    const { name, settings, topic } = entity;
    return { type: "subscription", topic: topic.facts?.entity ?? 0, name, settings, ...times };
  }
  const { address: name, numbering } = entity;
  const named = { name, first: numbering.first, ...times };
  return entity instanceof QueueEntity
    ? { type: "queue", settings: entity.settings, ...named }
    : { type: "topic", settings: entity.settings, ...named };
}
