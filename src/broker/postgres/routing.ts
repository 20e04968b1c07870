import { brokerDeadLetter, type DeadLetterMark } from "../policy/dead-letter.ts";
import { duplicateKey } from "../policy/duplicate-key.ts";
import { partitionCount, partitionKeyOf, partitionOfKey } from "../policy/partitions.ts";
import {
  headerTooLarge,
  noSessionId,
  ruleFailed,
  timeToLiveOver,
  tooManyHops,
  transferRefused,
} from "../policy/dead-letter-marks.ts";
import type { Rule } from "../policy/rule.ts";
import { Effort } from "../policy/sql/effort.ts";
import { checkProperties } from "../../wire/amqp/message/kept-envelope.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { assignedIdSize, withMessageId, withProperties } from "../policy/relabelled-envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Directory } from "./directory.ts";
import { isOfDatabase } from "./failures.ts";
import {
  type Entity,
  isPartitioned,
  laneOf,
  type Lane,
  longestTimeToLive,
  type Part,
  type Queue,
  type Receivable,
  type Sendable,
  type Subscription,
  type Topic,
} from "./entities.ts";
import { checkIds, type Intake } from "./intake.ts";
import type { Incoming, Passed, Placement } from "./placement.ts";

/** Maximum number of times that a message may be forwarded. */
const maxHops = 4;

/** The latest time that a `Date` can represent, in milliseconds since 1970. */
const lastTime = 8.64e15;

let turn = 0;

/** The facts that a dead letter keeps from its time in the queue. */
type Past = Pick<Placement, "enqueuedAt" | "deliveryCount">;

/** The view of the database that a {@link Routing} has. */
export interface RoutingStore {
  readonly directory: Directory;
  readonly intake: Intake;
  /** Whether the id was seen within the window; records it if not. */
  seen(entity: Sendable, key: string): Promise<boolean>;
}

/** Routes messages to the queues that will hold them, applying each entity's rules and forwarding. */
export class Routing {
  readonly placements: Placement[] = [];
  /** The sequence numbers to consume. */
  readonly passed: Passed[] = [];
  readonly #store: RoutingStore;
  readonly #now: number;

  constructor(store: RoutingStore, now: number) {
    this.#store = store;
    this.#now = now;
  }

  /** Checks before an entity accepts messages, within the same transaction. */
  get intake(): Intake {
    return this.#store.intake;
  }

  /** Accepts a checked message, now or at its scheduled time; a duplicate is discarded. */
  async accept(entity: Sendable, incoming: Incoming): Promise<void> {
    const admitted = await this.#admit(entity, incoming);
    if (admitted === undefined) return;
    const at = admitted.envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? 0;
    if (at > this.#now) this.#schedule(entity, admitted, at);
    else await this.arrive(entity, admitted);
  }

  /** Schedules a checked message, under its sequence number if it has one; a duplicate is discarded. */
  async schedule(entity: Sendable, incoming: Incoming, number?: bigint): Promise<void> {
    const admitted = await this.#admit(entity, incoming);
    if (admitted === undefined) return;
    const at = admitted.envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? 0;
    this.#schedule(entity, admitted, Math.max(at, this.#now), number);
  }

  /** Accepts a message that is ready for delivery, forwarding or copying. */
  async arrive(entity: Entity, incoming: Incoming): Promise<void> {
    if (entity.type === "topic") return this.#publish(entity, incoming);
    const { forwardTo, requiresSession } = entity.settings;
    const { sessionId, partitionKey, timeToLive = Infinity } = incoming.envelope.brokerProperties;
    if (forwardTo !== undefined) return this.forward(entity, this.#numbered(entity, incoming), forwardTo);
    if (requiresSession && sessionId === undefined)
      return this.#deadLetterArrival(entity, this.#numbered(entity, incoming), noSessionId);
    const expiresAt = this.#now + Math.min(timeToLive, longestTimeToLive(entity));
    // On session entities the session id is the partition key.
    const isReplaced = requiresSession && partitionKey !== undefined && partitionKey !== sessionId;
    const envelope =
      isReplaced && sessionId !== undefined
        ? withProperties(incoming.envelope, { partitionKey: sessionId })
        : incoming.envelope;
    this.#place(entity, 0, {
      ...incoming,
      envelope,
      enqueuedAt: this.#now,
      // A time that a Date cannot represent means never.
      expiresAt: expiresAt > lastTime ? Infinity : expiresAt,
      deliveryCount: 0,
    });
  }

  /** Forwards a message; if the target refuses it, it goes to the transfer dead-letter queue of `from`. */
  async forward(from: Receivable, incoming: Incoming, target: string): Promise<void> {
    const hops = incoming.hops + 1;
    if (hops > maxHops) return this.#failTransfer(from, incoming, tooManyHops);
    let entity: Sendable;
    try {
      entity = this.#store.directory.sendable(target);
      await this.#store.intake.check(entity, [incoming]);
    } catch (error) {
      // An error of the database fails the send, which may be repeated: the target has refused nothing.
      if (!(error instanceof SobreError) || isOfDatabase(error)) throw error;
      return this.#failTransfer(from, incoming, transferRefused(error));
    }
    return this.accept(entity, { ...incoming, hops });
  }

  /** Accepts a message for another entity, sent via a queue that assigns its first sequence number. */
  async transfer(through: Queue, incoming: Incoming, target: string): Promise<void> {
    const first = this.pass(through, incoming.envelope.brokerProperties.viaPartitionKey);
    await this.forward(through, { ...incoming, first }, target);
  }

  /** Puts a message with a marked envelope into the dead-letter queue, or forwards it if dead letters are forwarded. */
  async bury(
    entity: Receivable,
    incoming: Incoming,
    mark: DeadLetterMark,
    { enqueuedAt, deliveryCount }: Past,
  ): Promise<void> {
    const target = entity.settings.forwardDeadLetteredMessagesTo;
    if (target !== undefined)
      return this.forward(entity, { ...incoming, mark: { ...mark, source: entity.name } }, target);
    this.#place(entity, 1, { ...incoming, mark, enqueuedAt, deliveryCount, expiresAt: Infinity });
  }

  /** Deletes an expired message, or dead-letters it if the settings say so. */
  async expire(entity: Receivable, incoming: Incoming, past: Past): Promise<void> {
    if (!entity.settings.deadLetteringOnMessageExpiration) return;
    const buried = changed(incoming, brokerDeadLetter(incoming.envelope, timeToLiveOver));
    await this.bury(entity, buried, timeToLiveOver, past);
  }

  /** Consumes a sequence number of an entity for a message that passes through. */
  pass(entity: Entity, key: string | undefined): Passed {
    const lane = laneOf(entity, 0);
    const passed = { lane, partition: partitionOf(lane, key) };
    this.passed.push(passed);
    return passed;
  }

  async #publish(topic: Topic, incoming: Incoming): Promise<void> {
    const number = this.pass(topic, partitionKeyOf(incoming.envelope));
    const numbered = { ...incoming, first: incoming.first ?? number };
    const { envelope } = incoming;
    const subject = { envelope, effort: new Effort() };
    const matched = new Map<Subscription, Rule<Subscription>[]>();
    const failed = new Map<Subscription, unknown>();
    for (const rule of topic.rules.candidates(envelope)) {
      try {
        if (!rule.matches(subject)) continue;
        const rules = matched.get(rule.subscription);
        if (rules === undefined) matched.set(rule.subscription, [rule]);
        else rules.push(rule);
      } catch (error) {
        failed.set(rule.subscription, error);
      }
    }
    for (const [subscription, rules] of matched) await this.#copy(subscription, numbered, rules, subject.effort);
    for (const [subscription, error] of failed) await this.#failRule(subscription, numbered, error);
  }

  /** Makes one copy for all rules without an action, and one for each rule with an action. */
  async #copy(
    subscription: Subscription,
    incoming: Incoming,
    rules: readonly Rule<Subscription>[],
    effort: Effort,
  ): Promise<void> {
    if (rules.some(({ act }) => act === undefined)) await this.arrive(subscription, incoming);
    for (const { act } of rules) {
      if (act === undefined) continue;
      let copy: Incoming;
      try {
        const envelope = act({ envelope: incoming.envelope, effort });
        checkProperties(envelope);
        checkIds(envelope);
        copy = changed(incoming, envelope);
      } catch (error) {
        await this.#failRule(subscription, incoming, error);
        continue;
      }
      await this.arrive(subscription, copy);
    }
  }

  /** Dead-letters a message whose rule failed, if the settings say so. */
  async #failRule(subscription: Subscription, incoming: Incoming, error: unknown): Promise<void> {
    if (!(error instanceof SobreError)) throw error;
    const tooLarge = error.code === "MessageSizeExceeded";
    if (!tooLarge && !subscription.settings.deadLetteringOnFilterEvaluationExceptions) return;
    await this.#deadLetterArrival(subscription, incoming, tooLarge ? headerTooLarge : ruleFailed(error));
  }

  /** Dead-letters a message that the entity did not accept. */
  #deadLetterArrival(entity: Receivable, incoming: Incoming, mark: DeadLetterMark): Promise<void> {
    const buried = changed(incoming, brokerDeadLetter(incoming.envelope, mark));
    return this.bury(entity, buried, mark, { enqueuedAt: this.#now, deliveryCount: 0 });
  }

  #failTransfer(from: Receivable, incoming: Incoming, mark: DeadLetterMark): void {
    const buried = changed(incoming, brokerDeadLetter(incoming.envelope, mark));
    const facts = { enqueuedAt: this.#now, expiresAt: Infinity, deliveryCount: 0 };
    this.#place(from, 2, { ...buried, ...facts, mark: { ...mark, source: incoming.mark?.source } });
  }

  #schedule(entity: Sendable, incoming: Incoming, at: number, number?: bigint): void {
    const facts = { enqueuedAt: this.#now, expiresAt: Infinity, deliveryCount: 0, mark: undefined };
    this.#place(entity, 0, { ...incoming, ...facts }, { number, at });
  }

  #place(
    entity: Entity,
    part: Part,
    {
      envelope,
      size,
      first,
      mark,
      enqueuedAt,
      expiresAt,
      deliveryCount,
    }: Omit<Incoming, "hops"> & Pick<Placement, "enqueuedAt" | "expiresAt" | "deliveryCount">,
    schedule?: { readonly number: bigint | undefined; readonly at: number },
  ): void {
    const lane = laneOf(entity, part);
    this.placements.push({
      lane,
      partition: partitionOf(lane, partitionKeyOf(envelope)),
      number: schedule?.number,
      first,
      envelope,
      size,
      enqueuedAt,
      expiresAt,
      deliveryCount,
      mark,
      scheduledFor: schedule?.at,
    });
  }

  #numbered(entity: Entity, incoming: Incoming): Incoming {
    return incoming.first === undefined
      ? { ...incoming, first: this.pass(entity, partitionKeyOf(incoming.envelope)) }
      : incoming;
  }

  async #admit(entity: Sendable, incoming: Incoming): Promise<Incoming | undefined> {
    const envelope = withMessageId(incoming.envelope);
    const { messageId = "", sessionId, partitionKey } = envelope.brokerProperties;
    const idSize = envelope === incoming.envelope ? incoming.idSize : assignedIdSize;
    if (entity.settings.requiresDuplicateDetection) {
      const key = entity.settings.enablePartitioning ? (sessionId ?? partitionKey) : undefined;
      if (await this.#store.seen(entity, duplicateKey(messageId, key))) return undefined;
    }
    return idSize === 0 ? incoming : { ...incoming, envelope, size: incoming.size + idSize, idSize: 0 };
  }
}

/** The partition of a key; without a key, partitions take turns. */
export function partitionOf(lane: Lane, key: string | undefined): number {
  if (!isPartitioned(lane)) return 0;
  return key === undefined ? turn++ % partitionCount : partitionOfKey(key);
}

/** The same message with another envelope. */
const changed = (incoming: Incoming, envelope: Envelope): Incoming =>
  envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: sizeOfEnvelope(envelope) };
