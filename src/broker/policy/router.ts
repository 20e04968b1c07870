import type { Envelope } from "../../core/envelope/envelope.ts";
import { entityDisabled, invalidOperation, messageTooLarge, unequalKeys } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerDeadLetter, type DeadLetterMark } from "./dead-letter.ts";
import {
  headerTooLarge,
  noSessionId,
  ruleFailed,
  timeToLiveOver,
  tooManyHops,
  transferRefused,
} from "./dead-letter-marks.ts";
import {
  type Entity,
  maxTimeToLive,
  type Part,
  type QueueEntity,
  type ReceivableEntity,
  type SendableEntity,
  type SubscriptionEntity,
  type TopicEntity,
} from "./entities.ts";
import { activeAt, type Arrival, changed, type Incoming, scheduledArrival } from "./incoming.ts";
import { hasUnequalKeys, partitionKeyOf } from "./partitions.ts";
import { withProperties } from "./relabelled-envelope.ts";
import type { Rule } from "./rule.ts";
import { Effort } from "./sql/effort.ts";

/** Maximum number of times that a message may be forwarded. */
const maxHops = 4;

/** The latest time that a `Date` can represent, in milliseconds since 1970. */
const lastTime = 8.64e15;

/** The facts that a dead letter keeps from its time in the queue. */
export type DeadLetterPast = Pick<Arrival<unknown>, "enqueuedAt" | "deliveryCount">;

/** The destination of a sender, and the queue that it sends via. */
export interface SendRoute<Own> {
  readonly target: SendableEntity<Own>;
  readonly through: QueueEntity<Own> | undefined;
}

/**
 * Decides which messages an entity accepts, and where they go from there: arrival, copies by rule, forwarding, expiry and
 * dead-lettering. An engine's own router stores the outcome.
 *
 * Nothing here waits. Where the next entity's answer must be waited for, {@link transfer} notes the message and returns.
 */
export abstract class Router<Own, Sequence> {
  /** Consumes a sequence number of an entity for a message that is not kept there; `key` determines the partition. */
  protected abstract pass(entity: Entity<Own>, key: string | undefined): Sequence;

  /** Puts a message into a queue of an entity. */
  protected abstract place(entity: Entity<Own>, part: Part, arrival: Arrival<Sequence>, now: number): void;

  /** Puts a message into an entity until its scheduled time. */
  protected abstract hold(entity: SendableEntity<Own>, arrival: Arrival<Sequence>, at: number): void;

  /** Has another entity accept a message, now or later. One that is refused comes back by {@link failTransfer}. */
  protected abstract transfer(
    from: ReceivableEntity<Own>,
    incoming: Incoming<Sequence>,
    target: string,
    now: number,
  ): void;

  /** @throws SobreError for an envelope that cannot be stored. */
  protected abstract checkEnvelope(entity: Entity<Own>, envelope: Envelope): void;

  /** Bytes that a stored envelope takes besides its own. */
  protected abstract overheadOf(envelope: Envelope): number;

  /**
   * Checks that an entity can accept messages, except that it has room for them.
   *
   * @returns the bytes that they take.
   * @throws SobreError `MessagingEntityDisabled`, `MessageSizeExceeded`, `InvalidArgument`.
   */
  protected costOf(entity: SendableEntity<Own>, messages: readonly Incoming<Sequence>[]): number {
    const { address, settings } = entity;
    const { status, maxMessageSizeInBytes: most } = settings;
    if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(address, status);
    const isKeyed = settings.enablePartitioning && !requiresSession(entity);
    let cost = 0;
    for (const { size, envelope } of messages) {
      if (isKeyed && hasUnequalKeys(envelope)) throw unequalKeys(address);
      if (size > most) throw messageTooLarge(size, most, address);
      this.checkEnvelope(entity, envelope);
      cost += size + this.overheadOf(envelope);
    }
    return cost;
  }

  /** {@link costOf} for messages of a sender. @throws SobreError the same, or `InvalidOperation` without a session id. */
  protected costOfSend({ target, through }: SendRoute<Own>, messages: readonly Incoming<Sequence>[]): number {
    // Sent via a queue, a message without a session id is dead-lettered where it arrives.
    if (through === undefined && requiresSession(target)) checkSessionIds(target, messages);
    return this.costOf(through ?? target, messages);
  }

  /** Accepts a message that was checked and admitted, now or at its scheduled time. */
  protected take(entity: SendableEntity<Own>, incoming: Incoming<Sequence>, now: number): void {
    const at = activeAt(incoming, now);
    if (at > now) this.hold(entity, scheduledArrival(incoming, now), at);
    else this.arrive(entity, incoming, now);
  }

  /** Accepts a message that is ready for delivery, forwarding or copying. */
  arrive(entity: Entity<Own>, incoming: Incoming<Sequence>, now: number): void {
    if (entity.type === "topic") return this.#publish(entity, incoming, now);
    const { envelope, size, enqueuedSequenceNumber, deadLetter } = incoming;
    const { sessionId, partitionKey, timeToLive = Infinity } = envelope.brokerProperties;
    const { forwardTo, requiresSession: isOfSessions } = entity.settings;
    if (forwardTo !== undefined) return this.forward(entity, this.#numbered(entity, incoming), forwardTo, now);
    if (isOfSessions && sessionId === undefined)
      return this.#deadLetterArrival(entity, this.#numbered(entity, incoming), noSessionId, now);
    // On session entities the session id is the partition key.
    const isReplaced = isOfSessions && partitionKey !== undefined && partitionKey !== sessionId;
    const expiresAt = now + Math.min(timeToLive, maxTimeToLive(entity));
    const arrival = {
      envelope:
        isReplaced && sessionId !== undefined ? withProperties(envelope, { partitionKey: sessionId }) : envelope,
      size,
      enqueuedAt: now,
      // A time that a Date cannot represent means never.
      expiresAt: expiresAt > lastTime ? Infinity : expiresAt,
      deliveryCount: 0,
      enqueuedSequenceNumber,
      deadLetter,
    };
    this.place(entity, "messages", arrival, now);
  }

  /** Forwards a message; if the target refuses it, it goes to the transfer dead-letter queue of `from`. */
  forward(from: ReceivableEntity<Own>, incoming: Incoming<Sequence>, target: string, now: number): void {
    const hops = incoming.hops + 1;
    if (hops > maxHops) this.failTransfer(from, incoming, tooManyHops, now);
    else this.transfer(from, { ...incoming, hops }, target, now);
  }

  /** Accepts a message for another entity, sent via a queue that assigns its first sequence number. */
  protected sendVia(through: QueueEntity<Own>, incoming: Incoming<Sequence>, target: string, now: number): void {
    const enqueuedSequenceNumber = this.pass(through, incoming.envelope.brokerProperties.viaPartitionKey);
    this.forward(through, { ...incoming, enqueuedSequenceNumber }, target, now);
  }

  /** Puts a message with a marked envelope into the dead-letter queue, or forwards it if dead letters are forwarded. */
  bury(
    entity: ReceivableEntity<Own>,
    incoming: Incoming<Sequence>,
    deadLetter: DeadLetterMark,
    { enqueuedAt, deliveryCount }: DeadLetterPast,
    now: number,
  ): void {
    const target = entity.settings.forwardDeadLetteredMessagesTo;
    if (target !== undefined) {
      const forwarded = { ...deadLetter, source: entity.address };
      return this.forward(entity, { ...incoming, deadLetter: forwarded }, target, now);
    }
    const times = { enqueuedAt, expiresAt: Infinity, deliveryCount };
    const { envelope, size, enqueuedSequenceNumber } = incoming;
    this.place(entity, "deadLetters", { envelope, size, ...times, enqueuedSequenceNumber, deadLetter }, now);
  }

  /** Dead-letters a message that has left a queue, for a reason of the broker's own. */
  deadLetter(
    entity: ReceivableEntity<Own>,
    incoming: Incoming<Sequence>,
    mark: DeadLetterMark,
    past: DeadLetterPast,
    now: number,
  ): void {
    this.bury(entity, changed(incoming, brokerDeadLetter(incoming.envelope, mark)), mark, past, now);
  }

  /** Drops an expired message that has left a queue, or dead-letters it if the settings say so. */
  expire(entity: ReceivableEntity<Own>, incoming: Incoming<Sequence>, past: DeadLetterPast, now: number): void {
    if (entity.settings.deadLetteringOnMessageExpiration) this.deadLetter(entity, incoming, timeToLiveOver, past, now);
  }

  /** Puts a message that could not be forwarded into the transfer dead-letter queue. */
  protected failTransfer(
    from: ReceivableEntity<Own>,
    incoming: Incoming<Sequence>,
    mark: DeadLetterMark,
    now: number,
  ): void {
    const { envelope, size, enqueuedSequenceNumber } = changed(incoming, brokerDeadLetter(incoming.envelope, mark));
    const deadLetter = { ...mark, source: incoming.deadLetter?.source };
    const times = { enqueuedAt: now, expiresAt: Infinity, deliveryCount: 0 };
    this.place(from, "transferDeadLetters", { envelope, size, ...times, enqueuedSequenceNumber, deadLetter }, now);
  }

  /** Takes back a message that the next entity has not accepted. @throws the error unless it is a refusal. */
  protected refused(from: ReceivableEntity<Own>, incoming: Incoming<Sequence>, error: unknown, now: number): void {
    if (!(error instanceof SobreError)) throw error;
    this.failTransfer(from, incoming, transferRefused(error), now);
  }

  /** Copies a message of a topic to the subscriptions whose rules accept it. */
  #publish(topic: TopicEntity<Own>, incoming: Incoming<Sequence>, now: number): void {
    const { envelope } = incoming;
    const number = this.pass(topic, partitionKeyOf(envelope));
    const numbered = { ...incoming, enqueuedSequenceNumber: incoming.enqueuedSequenceNumber ?? number };
    const subject = { envelope, effort: new Effort() };
    const matched = new Map<SubscriptionEntity<Own>, Rule<SubscriptionEntity<Own>>[]>();
    const failed = new Map<SubscriptionEntity<Own>, unknown>();
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
    for (const [subscription, rules] of matched) this.#copy(subscription, numbered, rules, subject.effort, now);
    for (const [subscription, error] of failed) this.#failRule(subscription, numbered, error, now);
  }

  /** Makes one copy for all rules without an action, and one for each rule with an action. */
  #copy(
    subscription: SubscriptionEntity<Own>,
    incoming: Incoming<Sequence>,
    rules: readonly Rule<SubscriptionEntity<Own>>[],
    effort: Effort,
    now: number,
  ): void {
    if (rules.some(({ act }) => act === undefined)) this.arrive(subscription, incoming, now);
    for (const { act } of rules) {
      if (act === undefined) continue;
      let copy: Incoming<Sequence>;
      try {
        const envelope = act({ envelope: incoming.envelope, effort });
        this.checkEnvelope(subscription, envelope);
        copy = changed(incoming, envelope);
      } catch (error) {
        this.#failRule(subscription, incoming, error, now);
        continue;
      }
      this.arrive(subscription, copy, now);
    }
  }

  /** Dead-letters a message whose rule failed, if the settings say so. */
  #failRule(subscription: SubscriptionEntity<Own>, incoming: Incoming<Sequence>, error: unknown, now: number): void {
    if (!(error instanceof SobreError)) throw error;
    const isTooLarge = error.code === "MessageSizeExceeded";
    if (!isTooLarge && !subscription.settings.deadLetteringOnFilterEvaluationExceptions) return;
    this.#deadLetterArrival(subscription, incoming, isTooLarge ? headerTooLarge : ruleFailed(error), now);
  }

  /** Dead-letters a message that the entity did not accept. */
  #deadLetterArrival(
    entity: ReceivableEntity<Own>,
    incoming: Incoming<Sequence>,
    mark: DeadLetterMark,
    now: number,
  ): void {
    this.deadLetter(entity, incoming, mark, { enqueuedAt: now, deliveryCount: 0 }, now);
  }

  /** The message with a sequence number on the entity that accepted it first; consumes one if it has none yet. */
  #numbered(entity: Entity<Own>, incoming: Incoming<Sequence>): Incoming<Sequence> {
    const enqueuedSequenceNumber =
      incoming.enqueuedSequenceNumber ?? this.pass(entity, partitionKeyOf(incoming.envelope));
    return { ...incoming, enqueuedSequenceNumber };
  }
}

function checkSessionIds({ address }: SendableEntity<unknown>, messages: readonly Incoming<unknown>[]): void {
  if (messages.some(({ envelope }) => envelope.brokerProperties.sessionId === undefined))
    throw invalidOperation(`Messages to '${address}' need a sessionId, since it requires sessions.`);
}

const requiresSession = (entity: SendableEntity<unknown>): boolean =>
  entity.type === "queue" && entity.settings.requiresSession;
