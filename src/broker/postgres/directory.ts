import { parseAddress, subscriptionAddress } from "../../core/engine/address.ts";
import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import { entityNotFound, invalidOperation } from "../../core/engine/refusals.ts";
import { compileRule } from "../policy/rule.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { readRule } from "../policy/stored-rule.ts";
import type { Session } from "./database.ts";
import {
  type Entity,
  laneOf,
  type Lane,
  type Queue,
  type Receivable,
  type Sendable,
  type Subscription,
  type Topic,
} from "./entities.ts";
import { bigintOf, maybeNumber, maybeText, numberOf, type Row, textOf } from "./rows.ts";

/** Milliseconds for which the rows of deleted entities are kept, so that every node notices the deletion. */
export const tombstoneAge = 3_600_000;

/** Maximum number of addresses whose lanes are kept. */
const mostLanes = 1000;

/** This node's cache of the entities of a namespace; every statement checks that it matches the database. */
export class Directory {
  readonly #schema: string;
  readonly #session: Session;
  /** By address in lower case. */
  #byKey = new Map<string, Entity>();
  #byId = new Map<number, Entity>();
  /** By address, as it was given. */
  readonly #lanes = new Map<string, Lane>();
  #version = 0n;
  #loadedAt = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(session: Session, schema: string) {
    this.#session = session;
    this.#schema = schema;
  }

  /** The version that statements compare with the one in the database. */
  get version(): bigint {
    return this.#version;
  }

  /** Whether any entity detects duplicates. */
  get detectsDuplicates(): boolean {
    for (const { type, settings } of this.#byKey.values())
      if (type !== "subscription" && settings.requiresDuplicateDetection) return true;
    return false;
  }

  entities(): Iterable<Entity> {
    return this.#byKey.values();
  }

  byId(id: number): Entity | undefined {
    return this.#byId.get(id);
  }

  find(address: string): Entity | undefined {
    return this.#byKey.get(parseAddress(address).key);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  entity(address: string): Entity {
    const entity = this.find(address);
    if (entity === undefined) throw entityNotFound(address);
    return entity;
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  queue(name: string): Queue {
    const entity = this.find(name);
    if (entity?.type === "queue") return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  topic(name: string): Topic {
    const entity = this.find(name);
    if (entity?.type === "topic") return entity;
    throw entityNotFound(name);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  subscription(topic: string, name: string): Subscription {
    const entity = this.find(subscriptionAddress(topic, name));
    if (entity?.type === "subscription") return entity;
    throw entityNotFound(subscriptionAddress(topic, name));
  }

  /** The queue or topic at an address. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for others. */
  sendable(address: string): Sendable {
    const entity = this.entity(address);
    if (parseAddress(address).subQueue === undefined && entity.type !== "subscription") return entity;
    throw invalidOperation(`'${address}' does not accept sends. Send to its queue or topic instead.`);
  }

  /** The entity that can be received from. @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` for topics. */
  receivable(address: string): Receivable {
    const entity = this.entity(address);
    if (entity.type !== "topic") return entity;
    throw invalidOperation(`'${address}' is a topic. Receive from one of its subscriptions instead.`);
  }

  /** The queue or sub-queue at an address; of a topic, that of its scheduled messages. @throws SobreError `MessagingEntityNotFound`. */
  lane(address: string): Lane {
    const { subQueue } = parseAddress(address);
    const entity = this.entity(address);
    if (subQueue !== undefined && entity.type === "topic") throw entityNotFound(address);
    const lane = laneOf(entity, subQueue === undefined ? 0 : subQueue === "deadLetter" ? 1 : 2);
    // Letter case makes any number of addresses.
    if (this.#lanes.size >= mostLanes) this.#lanes.clear();
    this.#lanes.set(address, lane);
    return lane;
  }

  /** The lane of an address that was looked up before, while its entity is the same; `undefined` for any other. */
  knownLane(address: string): Lane | undefined {
    const lane = this.#lanes.get(address);
    return lane !== undefined && this.#byId.get(lane.entity.id) === lane.entity ? lane : undefined;
  }

  /** Loads the changes. */
  async refresh(): Promise<void> {
    this.#loading ??= this.refreshOn(this.#session).finally(() => (this.#loading = undefined));
    await this.#loading;
  }

  /**
   * Loads the changes over a connection that the caller holds: it must not wait for another.
   *
   * @param uncommitted How many increments of the version are not committed yet: a transaction that makes further changes
   * holds the version's row, so no other node changes anything meanwhile.
   */
  async refreshOn(session: Session, uncommitted = 0n): Promise<void> {
    // The row of an entity that was deleted long ago no longer exists.
    const isOld = performance.now() - this.#loadedAt > tombstoneAge / 2;
    const since = isOld ? 0n : this.#version;
    const rows = await session.query(
      `select n.version as now, e.* from ${this.#schema}.namespace n left join ${this.#schema}.entity e on e.version > $1 order by e.id`,
      [since],
    );
    this.#loadedAt = performance.now();
    const [first] = rows;
    // Another load that started later may have finished earlier.
    if (first === undefined || bigintOf(first, "now") - uncommitted < this.#version) return;
    if (isOld) {
      this.#byKey = new Map();
      this.#byId = new Map();
    }
    for (const row of rows) if (row["id"] !== null) this.#apply(row);
    this.#version = bigintOf(first, "now") - uncommitted;
  }

  #apply(row: Row): void {
    const id = numberOf(row, "id");
    const before = this.#byId.get(id);
    if (before !== undefined) this.#forget(before);
    const key = maybeText(row, "key");
    const entity = key === undefined ? undefined : this.#read(row, id, before);
    if (key === undefined || entity === undefined) return;
    this.#byKey.set(key, entity);
    this.#byId.set(id, entity);
  }

  #forget(entity: Entity): void {
    this.#byId.delete(entity.id);
    const { key } = parseAddress(entity.name);
    if (this.#byKey.get(key) === entity) this.#byKey.delete(key);
    if (entity.type !== "subscription") return;
    entity.topic.subscriptions.delete(entity);
    for (const rule of entity.compiled) entity.topic.rules.delete(rule);
  }

  #read(row: Row, id: number, before: Entity | undefined): Entity | undefined {
    const known = {
      id,
      name: textOf(row, "name"),
      createdAt: numberOf(row, "created_at"),
      modifiedAt: numberOf(row, "modified_at"),
    };
    const settings: object = JSON.parse(textOf(row, "settings"));
    switch (textOf(row, "type")) {
      case "queue":
        return { ...known, type: "queue", settings: queueSettings(settings) };
      case "topic":
        return this.#topic({ ...known, type: "topic", settings: topicSettings(settings) }, before);
      default:
        return this.#subscription(row, known, settings);
    }
  }

  /** Keeps the object, since its subscriptions refer to it. */
  #topic(read: Omit<Topic, "subscriptions" | "rules">, before: Entity | undefined): Topic {
    if (before?.type === "topic") return Object.assign(before, read);
    return { ...read, subscriptions: new Set(), rules: new RuleIndex() };
  }

  #subscription(
    row: Row,
    known: Pick<Subscription, "id" | "name" | "createdAt" | "modifiedAt">,
    settings: object,
  ): Subscription | undefined {
    const topic = this.#byId.get(maybeNumber(row, "topic") ?? -1);
    if (topic?.type !== "topic") return undefined;
    const rules = Array.isArray(row["rules"]) ? row["rules"].map((rule) => readRule(String(rule))) : [];
    const subscription: Subscription = {
      ...known,
      type: "subscription",
      settings: subscriptionSettings(settings),
      topic,
      shortName: known.name.slice(topic.name.length + "/Subscriptions/".length),
      rules,
      compiled: [],
    };
    topic.subscriptions.add(subscription);
    for (const properties of rules) {
      const rule = compileRule(subscription, properties);
      topic.rules.add(rule);
      subscription.compiled.push(rule);
    }
    return subscription;
  }
}
