import type { TopicRuntimeProperties } from "../../core/engine/admin.ts";
import type { TopicSettings } from "../../core/engine/entity-settings.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { Entity } from "./entity.ts";
import { type Incoming, moved } from "./incoming.ts";
import { Intake, type IntakeOwner } from "./intake.ts";
import type { Numbering } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import { Meter } from "./meter.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { QueuePolicy } from "./queue-policy.ts";
import type { Transfer } from "./receivable-entity.ts";
import type { Rule } from "../policy/rule.ts";
import type { Subscriber } from "./subscriber.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import type { SubscriptionEntity } from "./subscription-entity.ts";
import { Effort } from "../policy/sql/effort.ts";
import type { Timeline } from "./timeline.ts";

/** A topic: every message is copied to the subscriptions whose rules accept it. Only scheduled messages stay. */
export class TopicEntity extends Entity implements IntakeOwner, QueuePolicy {
  settings: TopicSettings;
  readonly transfer: Transfer;
  readonly numbering: Numbering;
  readonly meter: Meter;
  readonly messages: MessageQueue;
  readonly intake: Intake;
  readonly rules: RuleIndex<Subscriber> = new RuleIndex();
  /** By name in lower case. */
  readonly subscriptions: Map<string, SubscriptionEntity> = new Map();
  readonly lockDuration: number = Infinity;
  readonly maxDeliveryCount: number = Infinity;
  readonly requiresSession: boolean = false;
  readonly canDeadLetter: boolean = false;
  readonly keepsExpired: boolean = false;
  readonly awaited: boolean = false;

  constructor(name: string, settings: TopicSettings, timeline: Timeline, transfer: Transfer, first: bigint) {
    super(name, timeline);
    this.settings = settings;
    this.transfer = transfer;
    this.meter = new Meter(transfer.memory);
    this.numbering = { partitioned: settings.enablePartitioning, first };
    this.messages = new MessageQueue(this, timeline);
    this.intake = new Intake(this);
  }

  arrive(incoming: Incoming, now: number): void {
    const number = this.messages.store.skipNumber(incoming.envelope);
    const numbered = { ...incoming, enqueuedSequenceNumber: incoming.enqueuedSequenceNumber ?? number };
    const matched = new Map<Subscriber, Rule<Subscriber>[]>();
    const failed = new Map<Subscriber, unknown>();
    const { envelope } = incoming;
    const subject = { envelope, effort: new Effort() };
    for (const rule of this.rules.candidates(envelope)) {
      try {
        if (!rule.matches(subject)) continue;
        const rules = matched.get(rule.subscription);
        if (rules === undefined) matched.set(rule.subscription, [rule]);
        else rules.push(rule);
      } catch (error) {
        failed.set(rule.subscription, error);
      }
    }
    for (const [subscription, rules] of matched) subscription.take(numbered, rules, subject.effort, now);
    for (const [subscription, error] of failed) subscription.fail(numbered, error, now);
  }

  activated(message: QueuedMessage, number: bigint, now: number): void {
    this.arrive(moved(message, number), now);
  }

  /** The counts and timestamps of the topic. */
  runtime(): TopicRuntimeProperties {
    return {
      name: this.address,
      subscriptionCount: this.subscriptions.size,
      scheduledMessageCount: this.messages.store.scheduledCount,
      sizeInBytes: this.meter.bytes,
      ...this.times,
    };
  }

  deadLetter(): void {}
  expired(): void {}

  clear(now: number): void {
    this.messages.clear(now);
    this.intake.clear(now);
    for (const subscription of this.subscriptions.values()) subscription.clear(now);
  }

  destroy(refusal: SobreError): void {
    this.messages.destroy(refusal);
    this.intake.destroy();
    for (const subscription of this.subscriptions.values()) subscription.destroy(refusal);
  }
}
