import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { Directory, type EntityLookup } from "../policy/directory.ts";
import { addRule, compileInto, deleteRule, type EntityChange } from "../policy/entity-changes.ts";
import type { SubscriptionEntity } from "../policy/entities.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { readRule, writeRule } from "../policy/stored-rule.ts";
import { asBuffer, type RabbitmqConnection, type Channel, type Message } from "./driver.ts";
import { BrokerQueue, type EntityAge, type KnownEntity } from "./entities.ts";
import { brokerFailure } from "./failures.ts";
import type { Publisher } from "./publisher.ts";

/** A change as it is written into the log. */
interface ChangeRecord {
  readonly id: string;
  /** The offset of the change that it was decided after. */
  readonly base: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly change: Readonly<Record<string, unknown>>;
}

/** The base of a record that never counts. */
const noBase = -2;

/** Settings as JSON, without infinite durations: these are the defaults. */
const written = (settings: object): unknown =>
  JSON.parse(JSON.stringify(settings, (_key, value: unknown) => (value === Infinity ? undefined : value)));

/**
 * The entities of a prefix, which RabbitMQ does not list: each change is a message in a stream that every process reads.
 *
 * A change counts only if no other came between it and the one that it was decided after, so all processes agree.
 */
export class EntityLog extends Directory<EntityAge, BrokerQueue> {
  readonly #connection: RabbitmqConnection;
  readonly #publisher: Publisher;
  readonly #stream: string;
  readonly #onUpdate: (entity: KnownEntity) => void;
  /** The offset of the latest change that counts. */
  #version = -1;
  /** The offset of the latest record read. */
  #read = -1;
  #channel: Promise<Channel> | undefined;
  #refreshing: Promise<void> | undefined;
  readonly #answers = new Map<string, (isAccepted: boolean) => void>();
  readonly #readers = new Set<() => void>();
  #isClosed = false;

  /** @param onUpdate Called when the settings of an entity have changed. */
  constructor(
    { connection, publisher }: { readonly connection: RabbitmqConnection; readonly publisher: Publisher },
    prefix: string,
    onUpdate: (entity: KnownEntity) => void,
  ) {
    super((entity, part) => new BrokerQueue(prefix, entity, part));
    this.#connection = connection;
    this.#publisher = publisher;
    this.#stream = `${prefix}$entities`;
    this.#onUpdate = onUpdate;
  }

  /** Whether the log is being read; otherwise {@link refresh} must be called first. */
  get isFollowed(): boolean {
    return this.#channel !== undefined && this.#read >= 0;
  }

  /** Reads all changes that were made before: up to a record of its own, which changes nothing. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#writeNothing()
      // The channel may have been lost meanwhile, and a record that changes nothing may be written twice.
      .catch(() => this.#writeNothing())
      .finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  /**
   * Makes a change.
   *
   * @param prepare Declares in RabbitMQ what the change needs, before anybody knows of it.
   */
  async change(
    decide: (entities: EntityLookup<EntityAge>) => EntityChange<EntityAge>,
    prepare: (change: EntityChange<EntityAge>) => Promise<void>,
    at: number,
  ): Promise<EntityChange<EntityAge>> {
    // A change that another process has just made may not have been read yet.
    await this.refresh();
    for (;;) {
      const base = this.#version;
      const change = decide(this);
      await prepare(change);
      if (await this.#write({ id: crypto.randomUUID(), base, at, change: recordOf(change) })) return change;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.then((open) => open.close()).catch(() => undefined);
  }

  async #writeNothing(): Promise<void> {
    await this.#write({ id: crypto.randomUUID(), base: noBase, at: 0, change: { kind: "none" } });
  }

  /** Writes a record and waits until it has been read; whether it counts. */
  async #write(record: ChangeRecord): Promise<boolean> {
    await this.#follow();
    const read = Promise.withResolvers<boolean>();
    this.#answers.set(record.id, read.resolve);
    const lost = (): void => read.reject(brokerFailure(new Error("the channel was closed"), "Changing the entities"));
    this.#readers.add(lost);
    // It may be lost before it is waited for.
    read.promise.catch(() => undefined);
    try {
      const content = asBuffer(new TextEncoder().encode(JSON.stringify(record)));
      const destination = { exchange: "", routingKey: this.#stream, mandatory: true, address: this.#stream };
      await this.#publisher.publish(destination, [{ content, properties: { deliveryMode: 2 } }]);
      return await read.promise;
    } finally {
      this.#answers.delete(record.id);
      this.#readers.delete(lost);
    }
  }

  #follow(): Promise<Channel> {
    this.#channel ??= this.#start();
    return this.#channel;
  }

  async #start(): Promise<Channel> {
    try {
      const channel = await this.#connection.channel();
      channel.on("close", () => {
        this.#channel = undefined;
        for (const lost of this.#readers) lost();
      });
      await channel.assertQueue(this.#stream, { durable: true, arguments: { "x-queue-type": "stream" } });
      await channel.prefetch(1000);
      const offset = this.#read < 0 ? "first" : this.#read + 1;
      await channel.consume(
        this.#stream,
        (message) => {
          if (message === null) return;
          channel.ack(message);
          this.#apply(message);
        },
        { arguments: { "x-stream-offset": offset } },
      );
      return channel;
    } catch (error) {
      this.#channel = undefined;
      throw brokerFailure(error, "Reading the entities");
    }
  }

  #apply({ content, properties }: Message): void {
    const offset: unknown = properties.headers?.["x-stream-offset"];
    if (typeof offset !== "number" || offset <= this.#read || this.#isClosed) return;
    this.#read = offset;
    const record = recordIn(content);
    if (record === undefined) return;
    const isAccepted = record.base === this.#version;
    if (isAccepted) {
      this.#carryOut(record);
      this.#version = offset;
    }
    this.#answers.get(record.id)?.(isAccepted);
  }

  #carryOut({ at, change }: ChangeRecord): void {
    const address = String(change["address"]);
    switch (change["kind"]) {
      case "create": {
        const created = this.#created(change, address, { createdAt: at, modifiedAt: at });
        if (created !== undefined) this.add(created);
        return;
      }
      case "update": {
        const entity = this.find(address);
        if (entity === undefined || !isObject(change["settings"])) return;
        // The object stays, since links refer to it.
        Object.assign(entity, { settings: settingsOf(entity.type, change["settings"]), modifiedAt: at });
        this.#onUpdate(entity);
        return;
      }
      case "delete": {
        const entity = this.find(address);
        if (entity === undefined) return;
        if (entity.type === "topic") for (const subscription of entity.subscriptions.values()) this.#drop(subscription);
        this.#drop(entity);
        return;
      }
      default:
        this.#changeRule(change, address);
    }
  }

  #drop(entity: KnownEntity): void {
    this.delete(entity);
    this.announceDeletion(entity);
  }

  #created(change: ChangeRecord["change"], address: string, age: EntityAge): KnownEntity | undefined {
    const { type, settings, topic: topicAddress, name, rules } = change;
    if (!isObject(settings)) return undefined;
    switch (type) {
      case "queue":
        return { ...age, type, address, settings: queueSettings(settings) };
      case "topic":
        return {
          ...age,
          type,
          address,
          settings: topicSettings(settings),
          subscriptions: new Map(),
          rules: new RuleIndex(),
        };
      default: {
        const topic = this.find(String(topicAddress));
        if (topic?.type !== "topic") return undefined;
        const subscription: SubscriptionEntity<EntityAge> = {
          ...age,
          type: "subscription",
          address,
          settings: subscriptionSettings(settings),
          name: String(name),
          topic,
          rules: new Map(),
        };
        for (const rule of Array.isArray(rules) ? rules : []) compileInto(subscription, readRule(String(rule)));
        return subscription;
      }
    }
  }

  #changeRule(change: ChangeRecord["change"], address: string): void {
    const subscription = this.find(address);
    if (subscription?.type !== "subscription") return;
    if (change["kind"] === "addRule") addRule(subscription, readRule(String(change["rule"])));
    const rule = subscription.rules.get(String(change["name"]).toLowerCase());
    if (change["kind"] === "deleteRule" && rule !== undefined) deleteRule(subscription, rule);
  }
}

function settingsOf(type: KnownEntity["type"], settings: object): KnownEntity["settings"] {
  if (type === "queue") return queueSettings(settings);
  return type === "topic" ? topicSettings(settings) : subscriptionSettings(settings);
}

function recordOf(change: EntityChange<EntityAge>): ChangeRecord["change"] {
  const { kind } = change;
  switch (kind) {
    case "create": {
      const { entity } = change;
      const { type, address } = entity;
      const settings = written(entity.settings);
      if (entity.type !== "subscription") return { kind, type, address, settings };
      const { name, topic, rules } = entity;
      return { kind, type, address, settings, name, topic: topic.address, rules: rules.map(writeRule) };
    }
    case "update":
      return { kind, address: change.entity.address, settings: written(change.settings) };
    case "delete":
      return { kind, address: change.entity.address };
    case "addRule":
      return { kind, address: change.subscription.address, rule: writeRule(change.rule) };
    case "deleteRule":
      return { kind, address: change.subscription.address, name: change.rule.properties.name };
    default:
      return change satisfies never;
  }
}

/** A record that another version, or somebody else, has written may be anything. */
function recordIn(content: Uint8Array): ChangeRecord | undefined {
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(content));
    if (!isObject(record) || !isObject(Reflect.get(record, "change"))) return undefined;
    const { id, base, at, change } = { id: "", base: 0, at: 0, change: {}, ...record };
    return { id, base, at, change };
  } catch {
    return undefined;
  }
}
