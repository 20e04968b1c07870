import { entityNotFound, invalidOperation } from "../../core/engine/refusals.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { requireCapability } from "../../core/engine/capabilities.ts";
import { subQueueSuffix } from "../../core/engine/address.ts";
import type { EntityLookup } from "../policy/directory.ts";
import type { EntityChange, NewEntity } from "../policy/entity-changes.ts";
import { rabbitmqCapabilities } from "./capabilities.ts";
import type { RabbitmqConnection, Channel } from "./driver.ts";
import type { EntityAge, KnownEntity } from "./entities.ts";
import { brokerFailure } from "./failures.ts";
import { selectorOf } from "./rule-selector.ts";

/** More deliveries than anybody counts: with a limit, RabbitMQ returns a message to its place instead of to the end. */
const endlessDeliveries = 1_000_000;

/** The longest name of an entity in bytes, which leaves room for a sub-queue and the way through the ladder of delays. */
const maxNameLength = 180;

/** The exchange type that evaluates conditions. */
const topicType = "x-jms-topic";

/** The argument of a binding that has its condition. */
const selectorArgument = "rjms_erlang_selector";

type Arguments = Readonly<Record<string, string | number>>;
type Settled = Extract<NewEntity<EntityAge>, { type: "queue" | "subscription" }>;

/** Options that are arguments of a queue in RabbitMQ, which cannot change. */
const fixedOptions = [
  "forwardTo",
  "forwardDeadLetteredMessagesTo",
  "deadLetteringOnMessageExpiration",
  "maxSizeInMegabytes",
] as const;

/** Declares and deletes what the entities are in RabbitMQ: quorum queues, exchanges, and a binding for each rule. */
export class Topology {
  readonly #connection: RabbitmqConnection;
  readonly #prefix: string;
  #channel: Promise<Channel> | undefined;

  constructor(connection: RabbitmqConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  /** The name in RabbitMQ of an entity's queue or exchange. */
  nameOf(address: string): string {
    return `${this.#prefix}${address}`;
  }

  /** Declares what a change needs, before it is made known. @throws SobreError for what this engine refuses. */
  async prepare(entities: EntityLookup<EntityAge>, change: EntityChange<EntityAge>): Promise<void> {
    switch (change.kind) {
      case "create":
        return this.#create(entities, change.entity);
      case "update":
        return checkUpdate(change);
      case "addRule": {
        const { subscription, rule } = change;
        return this.#bind(subscription.address, subscription.topic.address, [rule]);
      }
      default:
    }
  }

  /** Deletes what a change has left over, after it was made known. */
  async finish(change: EntityChange<EntityAge>): Promise<void> {
    if (change.kind === "deleteRule") {
      const { subscription, rule } = change;
      const selector = selectorOf(rule.properties);
      if (selector === undefined) return;
      await this.call(`Deleting a rule of '${subscription.address}'`, (channel) =>
        channel.unbindQueue(
          this.nameOf(subscription.address),
          this.nameOf(subscription.topic.address),
          keyOf(rule.properties),
          {
            [selectorArgument]: selector,
          },
        ),
      );
    }
    if (change.kind !== "delete") return;
    const { entity } = change;
    if (entity.type !== "topic") return this.#deleteQueues(entity.address);
    for (const { address } of entity.subscriptions.values()) await this.#deleteQueues(address);
    await this.call(`Deleting '${entity.address}'`, (channel) => channel.deleteExchange(this.nameOf(entity.address)));
  }

  /** Drops every message of an entity's queues. */
  async purge(entity: KnownEntity): Promise<void> {
    if (entity.type === "topic") {
      for (const subscription of entity.subscriptions.values()) await this.purge(subscription);
      return;
    }
    const name = this.nameOf(entity.address);
    await this.call(`Clearing '${entity.address}'`, async (channel) => {
      await channel.purgeQueue(name);
      await channel.purgeQueue(`${name}${subQueueSuffix.deadLetter}`);
    });
  }

  /** The number of messages that are ready in a queue. */
  async ready(name: string, address: string): Promise<number> {
    const { messageCount } = await this.call(`Counting '${address}'`, (channel) => channel.checkQueue(name), address);
    return messageCount;
  }

  /** Does something on the channel for administration, which each error ends. */
  async call<T>(what: string, work: (channel: Channel) => Promise<T>, entity?: string): Promise<T> {
    const opening = (this.#channel ??= this.#connection.channel());
    const forget = (): void => {
      if (this.#channel === opening) this.#channel = undefined;
    };
    try {
      const channel = await opening;
      if (channel.listenerCount("close") === 0) channel.on("close", forget);
      return await work(channel);
    } catch (error) {
      forget();
      throw brokerFailure(this.#connection.reasonFor(error), what, entity);
    }
  }

  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.then((open) => open.close()).catch(() => undefined);
  }

  async #create(entities: EntityLookup<EntityAge>, entity: NewEntity<EntityAge>): Promise<void> {
    const { address } = entity;
    if (new TextEncoder().encode(this.nameOf(address)).byteLength > maxNameLength)
      throw new SobreError(
        "InvalidArgument",
        `The name of an entity on RabbitMQ has at most ${maxNameLength} bytes, its prefix and topic included.`,
        { path: "$.name" },
      );
    checkIdle(entity.settings.autoDeleteOnIdle);
    if (entity.type !== "subscription" && entity.settings.requiresDuplicateDetection) refuse("duplicateDetection");
    if (entity.type !== "subscription" && entity.settings.enablePartitioning) refuse("sequenceNumbers");
    if (entity.type === "topic") {
      await this.call(`Creating '${address}'`, (channel) =>
        channel.assertExchange(this.nameOf(address), topicType, { durable: true }),
      );
      return;
    }
    if (entity.settings.requiresSession) refuse("sessions");
    // Before anything is declared: what is refused leaves nothing.
    const rules = entity.type === "subscription" ? entity.rules : [];
    for (const rule of rules) selectorOf(rule);
    const name = this.nameOf(address);
    const dead = `${name}${subQueueSuffix.deadLetter}`;
    const limits =
      entity.type === "queue"
        ? { "x-max-length-bytes": entity.settings.maxSizeInMegabytes * 2 ** 20, "x-overflow": "reject-publish" }
        : {};
    const ends = this.#deadLetterArguments(entities, entity, dead);
    await this.call(`Creating '${address}'`, async (channel) => {
      await channel.assertQueue(dead, { durable: true, arguments: quorum({}) });
      await channel.assertQueue(name, { durable: true, arguments: quorum({ ...limits, ...ends }) });
    });
    if (entity.type === "subscription") await this.#bind(address, entity.topic.address, rules);
  }

  /** Where RabbitMQ moves messages that expire, which all do at once in an entity that forwards. */
  #deadLetterArguments(
    entities: EntityLookup<EntityAge>,
    { address, settings }: Pick<Settled, "address" | "settings">,
    dead: string,
  ): Arguments {
    const { forwardTo, forwardDeadLetteredMessagesTo: deadTo, deadLetteringOnMessageExpiration } = settings;
    if (deadTo !== undefined) this.#target(entities, address, deadTo);
    if (forwardTo !== undefined) return { "x-message-ttl": 0, ...this.#target(entities, address, forwardTo) };
    if (!deadLetteringOnMessageExpiration) return {};
    if (deadTo !== undefined) return this.#target(entities, address, deadTo);
    return { ...atLeastOnce, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead };
  }

  /** RabbitMQ drops messages that go round in a ring, so there must not be one: a target is there before. */
  #target(entities: EntityLookup<EntityAge>, source: string, address: string): Arguments {
    const target = entities.find(address);
    if (target === undefined || target.type === "subscription") throw entityNotFound(address);
    if (target.address.toLowerCase() === source.toLowerCase())
      throw invalidOperation(`'${source}' cannot forward messages to itself.`);
    const name = this.nameOf(target.address);
    return target.type === "topic"
      ? { ...atLeastOnce, "x-dead-letter-exchange": name }
      : { ...atLeastOnce, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": name };
  }

  async #bind(subscription: string, topic: string, rules: readonly RuleProperties[]): Promise<void> {
    for (const rule of rules) {
      const selector = selectorOf(rule);
      if (selector === undefined) continue;
      await this.call(`Creating a rule of '${subscription}'`, (channel) =>
        channel.bindQueue(this.nameOf(subscription), this.nameOf(topic), keyOf(rule), { [selectorArgument]: selector }),
      );
    }
  }

  async #deleteQueues(address: string): Promise<void> {
    const name = this.nameOf(address);
    await this.call(`Deleting '${address}'`, async (channel) => {
      await channel.deleteQueue(name);
      await channel.deleteQueue(`${name}${subQueueSuffix.deadLetter}`);
    });
  }
}

const atLeastOnce = { "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish" } as const;

const quorum = (more: Arguments): Arguments => ({
  "x-queue-type": "quorum",
  "x-delivery-limit": endlessDeliveries,
  ...more,
});

/** Names of rules are compared without case. */
const keyOf = ({ name }: RuleProperties): string => name.toLowerCase();

const refuse = (capability: Parameters<typeof requireCapability>[1]): void =>
  requireCapability({ name: "rabbitmq", capabilities: rabbitmqCapabilities }, capability);

/** RabbitMQ deletes queues that have no consumers, whether or not they are sent to. */
function checkIdle(autoDeleteOnIdle: number): void {
  if (autoDeleteOnIdle === Infinity) return;
  throw new SobreError(
    "UnsupportedCapability",
    'The engine "rabbitmq" does not support autoDeleteOnIdle: RabbitMQ does not count sends as use. Delete the entity when it is no longer needed.',
    { path: "$.autoDeleteOnIdle" },
  );
}

function checkUpdate({ entity, settings }: Extract<EntityChange<EntityAge>, { kind: "update" }>): void {
  checkIdle(settings.autoDeleteOnIdle);
  for (const option of fixedOptions)
    if (Reflect.get(entity.settings, option) !== Reflect.get(settings, option))
      throw new SobreError(
        "InvalidOperation",
        `${option} of '${entity.address}' is an argument of its queue, which RabbitMQ cannot change. Create a new entity instead.`,
        { path: `$.${option}` },
      );
}
