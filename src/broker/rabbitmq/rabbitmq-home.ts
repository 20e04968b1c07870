import { invalidOperation } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { brokerDeadLetter, type DeadLetterMark } from "../policy/dead-letter.ts";
import { timeToLiveOver, tooManyDeliveries } from "../policy/dead-letter-marks.ts";
import { maxTimeToLive, type SendableEntity } from "../policy/entities.ts";
import { withMessageId } from "../policy/relabelled-envelope.ts";
import { RabbitmqConnection, type Message } from "./driver.ts";
import { BrokerQueue, type EntityAge } from "./entities.ts";
import { EntityLog } from "./entity-log.ts";
import { filterHeaders } from "./filter-headers.ts";
import { Ladder, maxDelay } from "./ladder.ts";
import { type HeldMessage, Locks } from "./locks.ts";
import type { MessageFacts } from "./message-headers.ts";
import { type BrokerDeath, readMessage, type RabbitmqMessage } from "./read-message.ts";
import { type PublishableMessage, writeMessage } from "./write-message.ts";
import { type Destination, Publisher } from "./publisher.ts";
import { Topology } from "./topology.ts";

/** A message that was taken from its queue. */
export interface TakenArrival extends Pick<HeldMessage, "queue" | "channel" | "message"> {
  readonly received: RabbitmqMessage;
}

/** The maximum length of a reason where there is little room, in characters. */
const shortReason = 128;

/** How to reach a broker, and under which names. */
export interface HomeSetup {
  readonly url: string;
  readonly prefix: string;
  readonly heartbeat: number;
  readonly tls: object | undefined;
  readonly clock: Clock;
}

/** The parts that all connections of an engine share: three connections to the broker, the entities and the locks. */
export class RabbitmqHome {
  readonly clock: Clock;
  readonly log: EntityLog;
  readonly topology: Topology;
  readonly locks: Locks;
  /** An alarm stops what publishes, so deliveries and acknowledgements have a connection of their own. */
  readonly consuming: RabbitmqConnection;
  readonly #publishing: RabbitmqConnection;
  /** Some refusals of declarations end the whole connection. */
  readonly #declaring: RabbitmqConnection;
  readonly #publisher: Publisher;
  readonly #ladder: Ladder;
  readonly #prefix: string;
  #ladderDeclared: Promise<void> | undefined;
  /** The names of the queues and topics that the ladder leads to. */
  readonly #scheduled = new Set<string>();
  /** Settlements of lost locks that are still under way. */
  readonly #returns = new Set<Promise<void>>();

  constructor({ url, prefix, heartbeat, tls, clock }: HomeSetup) {
    this.clock = clock;
    this.#prefix = prefix;
    this.consuming = new RabbitmqConnection({ url, heartbeat, tls, name: "sobre, deliveries" });
    this.#publishing = new RabbitmqConnection({ url, heartbeat, tls, name: "sobre, sends" });
    this.#declaring = new RabbitmqConnection({ url, heartbeat, tls, name: "sobre, entities" });
    this.#publisher = new Publisher(this.#publishing);
    this.topology = new Topology(this.#declaring, prefix);
    this.#ladder = new Ladder(prefix);
    this.locks = new Locks(clock, (held) => this.#track(this.giveBack(held)));
    const reached = { connection: this.#declaring, publisher: this.#publisher };
    this.log = new EntityLog(reached, prefix, (entity) => this.releaseAll((held) => held.queue.entity === entity));
  }

  /** Sends messages to an entity, and resolves when the broker has confirmed them. */
  async send(target: SendableEntity<EntityAge>, envelopes: readonly Envelope[]): Promise<void> {
    const isLate = ({ brokerProperties }: Envelope): boolean => scheduledAt(brokerProperties) > this.clock.now();
    if (envelopes.some(isLate)) await this.#prepareLadder(target);
    const now = this.clock.now();
    const messages = envelopes.map((given) => {
      const envelope = withMessageId(given);
      const at = Math.max(now, scheduledAt(envelope.brokerProperties));
      if (at - now > maxDelay) throw invalidOperation("RabbitMQ schedules messages for at most eight years.");
      const limit = target.settings.defaultMessageTimeToLive;
      const life = Math.min(envelope.brokerProperties.timeToLive ?? Infinity, limit);
      const facts = { enqueuedAt: at, expiresAt: at + life, deliveryCount: 0, deadLetter: undefined };
      const message = this.#published(target, envelope, facts);
      // RabbitMQ would take it for the time in the ladder.
      if (at > now) delete message.properties.expiration;
      return { at, message };
    });
    const direct = messages.filter(({ at }) => at <= now).map(({ message }) => message);
    const sends = messages
      .filter(({ at }) => at > now)
      .map(({ at, message }) => {
        const name = this.topology.nameOf(target.address);
        return this.#publisher.publish(this.#ladder.destination(at - now, name, target.address), [message]);
      });
    if (direct.length > 0) sends.push(this.#publisher.publish(this.#destination(target), direct));
    await Promise.all(sends);
  }

  /** Publishes another copy of a held message to its own queue. */
  async republish({ queue, message, received }: TakenArrival, envelope: Envelope): Promise<void> {
    const facts = { ...received, deliveryCount: received.deliveryCount + 1 };
    const destination = { exchange: "", routingKey: queue.name, mandatory: true, address: queue.address };
    await this.#publisher.publish(destination, [{ ...writeMessage(envelope, facts), content: message.content }]);
  }

  /**
   * Publishes a copy to the dead-letter queue, or to where dead letters are forwarded.
   *
   * @param envelope The message's envelope with the mark.
   */
  async bury(message: TakenArrival, envelope: Envelope, mark: DeadLetterMark): Promise<void> {
    try {
      await this.#bury(message, envelope, mark);
    } catch (error) {
      // The headers of AMQP 0-9-1 take a little more room than the properties that fit.
      if (!(error instanceof SobreError) || error.code !== "MessageSizeExceeded") throw error;
      const { reason = "" } = mark;
      const short = { reason: reason.slice(0, shortReason), description: undefined, source: undefined };
      await this.#bury(message, brokerDeadLetter(message.received.envelope, short), short);
    }
  }

  async #bury({ queue, message, received }: TakenArrival, envelope: Envelope, mark: DeadLetterMark): Promise<void> {
    const { entity } = queue;
    if (entity.type === "topic") return;
    const { forwardDeadLetteredMessagesTo: target } = entity.settings;
    const forwarded = target === undefined ? undefined : this.log.sendable(target);
    const facts =
      forwarded === undefined
        ? { ...received, deadLetter: mark, expiresAt: Infinity }
        : { ...received, deadLetter: { ...mark, source: entity.address }, expiresAt: Infinity, deliveryCount: 0 };
    const copy = { ...this.#published(forwarded, envelope, facts), content: message.content };
    const dead = new BrokerQueue(this.#prefix, entity, "deadLetters");
    const destination =
      forwarded === undefined
        ? { exchange: "", routingKey: dead.name, mandatory: true, address: dead.address }
        : this.#destination(forwarded);
    await this.#publisher.publish(destination, [copy]);
  }

  /** Reads a message of a queue, with the counts and moves of the broker. */
  read(queue: BrokerQueue, message: Message): RabbitmqMessage {
    const read = readMessage(message, this.clock.now());
    const count: unknown = message.properties.headers?.["x-delivery-count"];
    const deliveryCount = read.deliveryCount + (typeof count === "number" ? count : 0);
    const deadLetter = read.deadLetter ?? this.#markOf(queue, read.death);
    if (deadLetter === undefined || read.deadLetter !== undefined) return { ...read, deliveryCount };
    // Dead letters do not expire.
    return {
      ...read,
      expiresAt: Infinity,
      deliveryCount,
      deadLetter,
      envelope: brokerDeadLetter(read.envelope, deadLetter),
    };
  }

  /** Why RabbitMQ has dead-lettered a message; `undefined` for its way through the ladder, or by forwarding. */
  #markOf({ part }: BrokerQueue, death: BrokerDeath | undefined): DeadLetterMark | undefined {
    if (death === undefined || this.#ladder.has(death.queue)) return undefined;
    const { reason, description, queue } = death;
    const isOurs = queue.startsWith(this.#prefix);
    const source = isOurs ? queue.slice(this.#prefix.length) : queue;
    const entity = isOurs ? this.log.find(source) : undefined;
    if (entity !== undefined && entity.type !== "topic" && entity.settings.forwardTo !== undefined) return undefined;
    return { reason, description, source: part === "messages" ? source : undefined };
  }

  /**
   * Whether a message that has arrived may be delivered; one that has expired, or was delivered too often, is moved on.
   */
  async admit(arrival: TakenArrival): Promise<boolean> {
    const { queue, channel, message, received } = arrival;
    const { entity } = queue;
    if (queue.part !== "messages" || entity.type === "topic") return true;
    const isOver = expiryOf(queue, received) <= this.clock.now();
    const { unreadable, deliveryCount } = received;
    if (!isOver && unreadable === undefined && deliveryCount < queue.maxDeliveryCount) return true;
    const mark = isOver
      ? timeToLiveOver
      : unreadable === undefined
        ? tooManyDeliveries(deliveryCount)
        : { reason: unreadable.code, description: unreadable.message, source: undefined };
    if (!isOver || entity.settings.deadLetteringOnMessageExpiration)
      await this.bury(arrival, brokerDeadLetter(received.envelope, mark), mark);
    channel.acknowledge(message);
    return false;
  }

  /** Returns a message whose lock has ended, with one delivery more, or dead-letters it, perhaps changed, when that was the last. */
  async giveBack(held: HeldMessage, envelope?: Envelope): Promise<void> {
    const { queue, channel, message } = held;
    const deliveryCount = held.deliveryCount + 1;
    if (deliveryCount < queue.maxDeliveryCount) channel.reject(message);
    else {
      const mark = tooManyDeliveries(deliveryCount);
      const received = { ...this.read(queue, message), deliveryCount };
      await this.bury({ ...held, received }, brokerDeadLetter(envelope ?? received.envelope, mark), mark);
      channel.acknowledge(message);
    }
    await channel.flush();
  }

  /** Releases the locks that fit. */
  releaseAll(fits: (held: HeldMessage) => boolean): Promise<unknown> {
    return Promise.all(
      this.locks.filter(fits).map(async (held) => {
        this.locks.remove(held);
        held.channel.returnMessage(held.message);
        await held.channel.flush().catch(() => undefined);
      }),
    );
  }

  /** Resolves when locks that have run out are returned to the broker. */
  async settled(): Promise<void> {
    await Promise.all(this.#returns);
  }

  async close(): Promise<void> {
    await this.settled();
    this.locks.close();
    await this.log.close();
    await Promise.all([this.consuming, this.#publishing, this.#declaring].map((connection) => connection.close()));
  }

  #published(
    target: SendableEntity<EntityAge> | undefined,
    envelope: Envelope,
    facts: MessageFacts,
  ): PublishableMessage {
    return writeMessage(envelope, facts, this.#reachesTopic(target) ? filterHeaders(envelope) : undefined);
  }

  /** Whether rules will see the message. */
  #reachesTopic(target: SendableEntity<EntityAge> | undefined): boolean {
    if (target === undefined || target.type === "topic") return target !== undefined;
    const { forwardTo } = target.settings;
    const next = forwardTo === undefined ? undefined : this.log.find(forwardTo);
    return next !== undefined && next.type !== "subscription" && this.#reachesTopic(next);
  }

  #destination(target: SendableEntity<EntityAge>): Destination {
    const { address } = target;
    const name = this.topology.nameOf(address);
    return target.type === "topic"
      ? { exchange: name, routingKey: "", mandatory: false, address }
      : { exchange: "", routingKey: name, mandatory: true, address };
  }

  async #prepareLadder(target: SendableEntity<EntityAge>): Promise<void> {
    const name = this.topology.nameOf(target.address);
    if (this.#scheduled.has(name)) return;
    this.#ladderDeclared ??= this.topology
      .call("Declaring the ladder of delays", (channel) => this.#ladder.declare(channel))
      .catch((error: unknown) => {
        this.#ladderDeclared = undefined;
        throw error;
      });
    await this.#ladderDeclared;
    await this.topology.call(`Scheduling on '${target.address}'`, async (channel) => {
      const key = this.#ladder.binding(name);
      if (target.type === "topic") await channel.bindExchange(name, this.#ladder.exit, key);
      else await channel.bindQueue(name, this.#ladder.exit, key);
    });
    this.#scheduled.add(name);
  }

  #track(work: Promise<void>): void {
    // The broker itself returns the others when their channel ends.
    const tracked = work.catch(() => undefined).finally(() => this.#returns.delete(tracked));
    this.#returns.add(tracked);
  }
}

const scheduledAt = ({ scheduledEnqueueTimeUtc }: Envelope["brokerProperties"]): number =>
  scheduledEnqueueTimeUtc?.getTime() ?? 0;

/** When a message expires in a queue, in milliseconds since 1970; `Infinity` means never. */
export function expiryOf({ entity, part }: BrokerQueue, { expiresAt, enqueuedAt, isForeign }: RabbitmqMessage): number {
  if (part !== "messages" || entity.type === "topic") return Infinity;
  return isForeign ? expiresAt : Math.min(expiresAt, enqueuedAt + maxTimeToLive(entity));
}
