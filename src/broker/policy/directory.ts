import { parseAddress, subscriptionAddress } from "../../core/engine/address.ts";
import { entityNotFound, invalidOperation } from "../../core/engine/refusals.ts";
import type {
  Entity,
  EntityQueue,
  Part,
  QueueEntity,
  ReceivableEntity,
  SendableEntity,
  SubscriptionEntity,
  TopicEntity,
} from "./entities.ts";

/** Maximum number of addresses whose queues are remembered: letter case makes any number of them. */
const maxAddresses = 10_000;

/** The entities of an engine, to look up. */
export type EntityLookup<Own> = Pick<
  Directory<Own, EntityQueue<unknown>>,
  "entities" | "entity" | "find" | "queueEntity" | "subscription" | "topic"
>;

/** Called with the address of an entity that has been deleted. */
type DeletionListener = (address: string) => void;

/** The entities of an engine by name. */
export class Directory<Own, Queue extends EntityQueue<unknown>> {
  /** By address in lower case. */
  readonly #entities = new Map<string, Entity<Own>>();
  /** By address as spelled by the caller. */
  readonly #queues = new Map<string, Queue>();
  readonly #queueOf: (entity: Entity<Own>, part: Part) => Queue;
  readonly #deletionListeners = new Set<DeletionListener>();

  /** @param queueOf The queue of an entity; of a topic, only its first part is asked for. */
  constructor(queueOf: (entity: Entity<Own>, part: Part) => Queue) {
    this.#queueOf = queueOf;
  }

  /** Adds an entity, a subscription also to its topic. */
  add(entity: Entity<Own>): void {
    this.#queues.clear();
    this.#entities.set(parseAddress(entity.address).key, entity);
    if (entity.type !== "subscription") return;
    entity.topic.subscriptions.set(entity.name.toLowerCase(), entity);
    for (const rule of entity.rules.values()) entity.topic.rules.add(rule);
  }

  /** Removes an entity, a subscription also from its topic. */
  delete(entity: Entity<Own>): void {
    this.#queues.clear();
    const { key } = parseAddress(entity.address);
    if (this.#entities.get(key) === entity) this.#entities.delete(key);
    if (entity.type !== "subscription") return;
    const { topic, name, rules } = entity;
    if (topic.subscriptions.get(name.toLowerCase()) === entity) topic.subscriptions.delete(name.toLowerCase());
    for (const rule of rules.values()) topic.rules.delete(rule);
  }

  /** Calls a listener with the address of every entity that is deleted; returns a function that stops that. */
  onDeletion(listener: DeletionListener): () => void {
    // One of its own, since a function may be given twice.
    const own: DeletionListener = (address) => listener(address);
    this.#deletionListeners.add(own);
    return () => void this.#deletionListeners.delete(own);
  }

  /** Reports the deletion of an entity to the listeners, once it cannot be found any more. */
  announceDeletion({ address }: Entity<Own>): void {
    for (const listener of this.#deletionListeners) listener(address);
  }

  entities(): Iterable<Entity<Own>> {
    return this.#entities.values();
  }

  /** The entity under a name or the address of its sub-queue. */
  find(address: string): Entity<Own> | undefined {
    return this.#entities.get(parseAddress(address).key);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  entity(address: string): Entity<Own> {
    const entity = this.find(address);
    if (entity === undefined) throw entityNotFound(address);
    return entity;
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  queueEntity(name: string): QueueEntity<Own> {
    const entity = this.find(name);
    if (entity?.type === "queue") return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  topic(name: string): TopicEntity<Own> {
    const entity = this.find(name);
    if (entity?.type === "topic") return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  subscription(topic: string, name: string): SubscriptionEntity<Own> {
    const entity = this.find(subscriptionAddress(topic, name));
    if (entity?.type === "subscription") return entity;
    throw entityNotFound(subscriptionAddress(topic, name));
  }

  /** The queue or topic at an address. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for others. */
  sendable(address: string): SendableEntity<Own> {
    const entity = this.entity(address);
    if (parseAddress(address).subQueue === undefined && entity.type !== "subscription") return entity;
    throw invalidOperation(`'${address}' does not accept sends. Send to its queue or topic instead.`);
  }

  /** The entity that can be received from. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for topics. */
  receivable(address: string): ReceivableEntity<Own> {
    const entity = this.entity(address);
    if (entity.type !== "topic") return entity;
    throw invalidOperation(`'${address}' is a topic. Receive from one of its subscriptions instead.`);
  }

  /** Whether the queue at an address has been looked up since the last change of the entities. */
  knows(address: string): boolean {
    return this.#queues.has(address);
  }

  /** The queue or sub-queue at an address; of a topic, that of its scheduled messages. @throws SobreError `MessagingEntityNotFound`. */
  queue(address: string): Queue {
    let queue = this.#queues.get(address);
    if (queue === undefined) {
      queue = this.#queueAt(address);
      if (this.#queues.size >= maxAddresses) this.#queues.clear();
      this.#queues.set(address, queue);
    }
    return queue;
  }

  #queueAt(address: string): Queue {
    const { subQueue } = parseAddress(address);
    const entity = this.entity(address);
    if (subQueue === undefined) return this.#queueOf(entity, "messages");
    if (entity.type === "topic") throw entityNotFound(address);
    return this.#queueOf(entity, subQueue === "deadLetter" ? "deadLetters" : "transferDeadLetters");
  }
}
