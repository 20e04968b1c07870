import { checkEntityName, subscriptionAddress } from "../../core/engine/address.ts";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../../core/engine/admin.ts";
import { checkRule, checkRules } from "../../core/engine/check-rule.ts";
import {
  checkFixed,
  queueSettings,
  type QueueSettings,
  subscriptionSettings,
  type SubscriptionSettings,
  topicSettings,
  type TopicSettings,
} from "../../core/engine/entity-settings.ts";
import { entityExists, entityNotFound, illegalSubscriptionName } from "../../core/engine/refusals.ts";
import { defaultRuleName, type RuleInit, type RuleProperties } from "../../core/engine/rules.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { EntityLookup } from "./directory.ts";
import type { Entity, SubscriptionEntity, TopicEntity } from "./entities.ts";
import { checkForwarding, type PendingEntities } from "./forwarding.ts";
import { compileRule, type Rule } from "./rule.ts";

/** An entity to create. */
export type NewEntity<Own> =
  | { readonly type: "queue"; readonly address: string; readonly settings: QueueSettings }
  | { readonly type: "topic"; readonly address: string; readonly settings: TopicSettings }
  | {
      readonly type: "subscription";
      readonly address: string;
      readonly settings: SubscriptionSettings;
      readonly name: string;
      readonly topic: TopicEntity<Own>;
      readonly rules: readonly RuleProperties[];
    };

/** A change of the entities that has been checked. */
export type EntityChange<Own> =
  | { readonly kind: "create"; readonly entity: NewEntity<Own> }
  | { readonly kind: "update"; readonly entity: Entity<Own>; readonly settings: Entity<unknown>["settings"] }
  | { readonly kind: "delete"; readonly entity: Entity<Own> }
  | {
      readonly kind: "addRule";
      readonly subscription: SubscriptionEntity<Own>;
      readonly rule: RuleProperties;
    }
  | {
      readonly kind: "deleteRule";
      readonly subscription: SubscriptionEntity<Own>;
      readonly rule: Rule<SubscriptionEntity<Own>>;
    };

const defaultRule: RuleProperties = { name: defaultRuleName, filter: { kind: "true" } };

const subscriptionName = /^[\p{L}\p{N}](?:[\p{L}\p{N}_\-.]{0,48}[\p{L}\p{N}])?$/u;

/**
 * A new queue.
 *
 * @param pending Entities that are created together with it, to which it may forward.
 * @throws SobreError `MessagingEntityAlreadyExists`, `MessagingEntityNotFound` for a target of forwarding, or `InvalidArgument`.
 */
export function newQueue<Own>(
  entities: EntityLookup<Own>,
  name: string,
  options?: QueueOptions,
  pending?: PendingEntities,
): EntityChange<Own> {
  checkEntityName(name);
  const settings = queueSettings(options);
  if (entities.find(name) !== undefined) throw entityExists(name);
  checkForwarding(entities, { address: name, settings }, pending);
  return { kind: "create", entity: { type: "queue", address: name, settings } };
}

/** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
export function newTopic<Own>(entities: EntityLookup<Own>, name: string, options?: TopicOptions): EntityChange<Own> {
  checkEntityName(name);
  const settings = topicSettings(options);
  if (entities.find(name) !== undefined) throw entityExists(name);
  return { kind: "create", entity: { type: "topic", address: name, settings } };
}

/** @throws SobreError `MessagingEntityNotFound`, `MessagingEntityAlreadyExists`, `QuotaExceeded`, or `InvalidArgument`. */
export function newSubscription<Own>(
  entities: EntityLookup<Own>,
  topicName: string,
  name: string,
  options?: SubscriptionOptions,
  pending?: PendingEntities,
): EntityChange<Own> {
  const topic = entities.topic(topicName);
  if (typeof name !== "string" || !subscriptionName.test(name)) throw illegalSubscriptionName();
  const settings = subscriptionSettings(options);
  const rules = options?.rules === undefined ? [defaultRule] : checkRules(options.rules);
  const address = subscriptionAddress(topic.address, name);
  if (entities.find(address) !== undefined) throw entityExists(address);
  checkForwarding(entities, { address, settings }, pending);
  const names = new Set<string>();
  for (const rule of rules) {
    if (names.has(rule.name.toLowerCase())) throw ruleExists(address, rule);
    names.add(rule.name.toLowerCase());
  }
  topic.rules.checkRoom(rules.map((rule) => compileRule(undefined, rule)));
  return { kind: "create", entity: { type: "subscription", address, settings, name, topic, rules } };
}

/**
 * New settings of an entity; the options given replace the existing ones.
 *
 * @throws SobreError `InvalidArgument`, or `MessagingEntityNotFound` for a new target of forwarding.
 */
export function newSettings<Own>(
  entities: EntityLookup<Own>,
  entity: Entity<Own>,
  options: QueueOptions & SubscriptionOptions,
): EntityChange<Own> {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalidOption("options", "must be an object");
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const merged = { ...entity.settings, ...given };
  const settings =
    entity.type === "subscription"
      ? subscriptionSettings(merged)
      : entity.type === "topic"
        ? topicSettings(merged)
        : queueSettings(merged);
  checkFixed(entity.settings, settings);
  checkForwarding(entities, { address: entity.address, settings, before: entity.settings });
  return { kind: "update", entity, settings };
}

/** @throws SobreError `MessagingEntityAlreadyExists`, `QuotaExceeded`, or `InvalidArgument`. */
export function newRule<Own>(subscription: SubscriptionEntity<Own>, name: string, init: RuleInit): EntityChange<Own> {
  const rule = checkRule(name, init);
  if (subscription.rules.has(name.toLowerCase())) throw ruleExists(subscription.address, rule);
  subscription.topic.rules.checkRoom([compileRule(undefined, rule)]);
  return { kind: "addRule", subscription, rule };
}

/** @throws SobreError `MessagingEntityNotFound`, or `InvalidArgument`. */
export function oldRule<Own>(subscription: SubscriptionEntity<Own>, name: string): EntityChange<Own> {
  if (typeof name !== "string") throw invalidOption("name", "must name a rule");
  const rule = subscription.rules.get(name.toLowerCase());
  if (rule === undefined) throw entityNotFound(`${subscription.address}/Rules/${name}`);
  return { kind: "deleteRule", subscription, rule };
}

/** Gives a subscription a rule; its topic has it once a directory has the subscription. */
export function compileInto<Own>(
  subscription: SubscriptionEntity<Own>,
  properties: RuleProperties,
): Rule<SubscriptionEntity<Own>> {
  const rule = compileRule(subscription, properties);
  subscription.rules.set(properties.name.toLowerCase(), rule);
  return rule;
}

/** Adds a rule to a subscription and its topic. */
export function addRule<Own>(subscription: SubscriptionEntity<Own>, properties: RuleProperties): void {
  subscription.topic.rules.add(compileInto(subscription, properties));
}

/** Removes a rule from a subscription and its topic. */
export function deleteRule<Own>({ rules, topic }: SubscriptionEntity<Own>, rule: Rule<SubscriptionEntity<Own>>): void {
  rules.delete(rule.properties.name.toLowerCase());
  topic.rules.delete(rule);
}

const ruleExists = (address: string, { name }: RuleProperties): Error => entityExists(`${address}/Rules/${name}`);
