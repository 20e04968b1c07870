import type { SubscriptionOptions } from "../../core/engine/admin.ts";
import { checkRules } from "../../core/engine/check-rule.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { defaultRuleName, type RuleProperties } from "../../core/engine/rules.ts";
import type { SubscriptionSettings, TopicSettings } from "../../core/engine/entity-settings.ts";
import { subscriptionAddress } from "../../core/engine/address.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Entity } from "./entity.ts";
import { changed, type Incoming } from "./incoming.ts";
import type { Numbering } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import type { Meter } from "./meter.ts";
import { type Limits, ReceivableEntity, type Transfer } from "./receivable-entity.ts";
import { headerTooLarge, ruleFailed } from "../policy/dead-letter-marks.ts";
import { entityExists, entityNotFound } from "../../core/engine/refusals.ts";
import type { Effort } from "../policy/sql/effort.ts";
import { compileRule, type Rule } from "../policy/rule.ts";
import type { Subscriber } from "./subscriber.ts";
import type { RuleIndex } from "../policy/rule-index.ts";

const defaultRule: RuleProperties = { name: defaultRuleName, filter: { kind: "true" } };

/** The topic of a subscription. */
interface Topic extends Entity {
  readonly settings: TopicSettings;
  readonly transfer: Transfer;
  readonly rules: RuleIndex<Subscriber>;
  readonly subscriptions: Pick<Map<string, unknown>, "delete">;
}

/** A subscription: the messages of a topic that its rules accept, received like those of a queue. */
export class SubscriptionEntity extends ReceivableEntity implements Subscriber {
  readonly name: string;
  readonly topic: Topic;
  override settings: SubscriptionSettings;
  readonly numbering: Numbering;
  readonly meter: Meter;
  readonly messages: MessageQueue;
  /** By name in lower case. */
  readonly #rules = new Map<string, Rule<Subscriber>>();

  constructor(topic: Topic, name: string, settings: SubscriptionSettings) {
    super(subscriptionAddress(topic.address, name), topic.timeline, topic.transfer);
    this.name = name;
    this.topic = topic;
    this.settings = settings;
    this.numbering = topic.numbering;
    this.meter = topic.meter;
    this.messages = new MessageQueue(this, this.timeline);
  }

  protected override get longestTimeToLive(): number {
    return Math.min(this.settings.defaultMessageTimeToLive, this.topic.settings.defaultMessageTimeToLive);
  }

  get limits(): Limits {
    return this.topic.settings;
  }

  /** Sets the initial rules; by default the one that accepts everything. */
  startWith(rules: NonNullable<SubscriptionOptions["rules"]> = [defaultRule]): void {
    for (const rule of checkRules(rules)) this.addRule(rule);
  }

  /** @throws SobreError `MessagingEntityAlreadyExists`, `InvalidArgument`. */
  addRule(properties: RuleProperties): void {
    const { name } = properties;
    if (this.#rules.has(name.toLowerCase())) throw entityExists(`${this.address}/Rules/${name}`);
    const rule = compileRule(this, properties);
    this.topic.rules.add(rule);
    this.#rules.set(name.toLowerCase(), rule);
    this.facts?.rule(properties);
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  deleteRule(name: string): void {
    if (typeof name !== "string") throw invalidOption("name", "must name a rule");
    const rule = this.#rules.get(name.toLowerCase());
    if (rule === undefined) throw entityNotFound(`${this.address}/Rules/${name}`);
    this.#rules.delete(name.toLowerCase());
    this.topic.rules.delete(rule);
    this.facts?.ruleDeleted(name);
  }

  /** In order of their names. */
  listRules(): readonly RuleProperties[] {
    return [...this.#rules.values()]
      .map(({ properties }) => properties)
      .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** Leaves its topic. */
  unsubscribe(): void {
    this.topic.subscriptions.delete(this.name.toLowerCase());
    this.dropRules();
  }

  dropRules(): void {
    for (const rule of this.#rules.values()) this.topic.rules.delete(rule);
    this.#rules.clear();
  }

  /** Makes one copy for all rules without an action, and one for each rule with an action. */
  take(incoming: Incoming, rules: readonly Rule<Subscriber>[], effort: Effort, now: number): void {
    if (rules.some(({ act }) => act === undefined)) this.arrive(incoming, now);
    for (const { act } of rules) {
      if (act === undefined) continue;
      try {
        const envelope = act({ envelope: incoming.envelope, effort });
        this.facts?.check(envelope);
        this.arrive(changed(incoming, envelope), now);
      } catch (error) {
        this.fail(incoming, error, now);
      }
    }
  }

  /** Dead-letters a message whose rule failed, if the settings say so. */
  fail(incoming: Incoming, error: unknown, now: number): void {
    if (!(error instanceof SobreError)) throw error;
    const tooLarge = error.code === "MessageSizeExceeded";
    if (!tooLarge && !this.settings.deadLetteringOnFilterEvaluationExceptions) return;
    this.deadLetterArrival(incoming, tooLarge ? headerTooLarge : ruleFailed(error), now);
  }
}
