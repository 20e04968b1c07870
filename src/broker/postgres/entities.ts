import type { SobreError } from "../../core/errors/sobre-error.ts";
import type {
  EntitySettings,
  QueueSettings,
  ReceivableSettings,
  SendableSettings,
  SubscriptionSettings,
  TopicSettings,
} from "../../core/engine/entity-settings.ts";
import { subQueueSuffix } from "../../core/engine/address.ts";
import { entityDisabled, invalidOperation } from "../../core/engine/refusals.ts";
import type { Rule } from "../policy/rule.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";

/** The queues of an entity: its messages, its dead letters, and its transfer dead letters. */
export type Part = 0 | 1 | 2;

export const parts: readonly Part[] = [0, 1, 2];

const partsOfEntity = 4;

/** The entity of a queue. */
export const entityOf = (queue: number): number => Math.floor(queue / partsOfEntity);

/** The number of an entity's part in the tables. */
export const queueOf = (entity: number, part: Part): number => entity * partsOfEntity + part;

/** The range of an entity's queue numbers; the end is exclusive. */
export const queuesOf = (entity: number): readonly [from: number, to: number] => [
  entity * partsOfEntity,
  (entity + 1) * partsOfEntity,
];

interface Known {
  readonly id: number;
  /** The address. */
  readonly name: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** A queue as nodes cache it. */
export interface Queue extends Known {
  readonly type: "queue";
  readonly settings: QueueSettings;
}

/** A topic as nodes cache it. */
export interface Topic extends Known {
  readonly type: "topic";
  readonly settings: TopicSettings;
  readonly subscriptions: Set<Subscription>;
  readonly rules: RuleIndex<Subscription>;
}

/** A subscription as nodes cache it. */
export interface Subscription extends Known {
  readonly type: "subscription";
  readonly settings: SubscriptionSettings;
  readonly topic: Topic;
  /** Without the topic's name. */
  readonly shortName: string;
  readonly rules: readonly RuleProperties[];
  /** The same rules, compiled, as the topic's index holds them. */
  readonly compiled: Rule<Subscription>[];
}

/** An entity to which messages can be sent. */
export type Sendable = Queue | Topic;

/** An entity from which messages can be received. */
export type Receivable = Queue | Subscription;

export type Entity = Queue | Topic | Subscription;

/** A queue, subscription or sub-queue, or the scheduled messages of a topic. */
export interface Lane {
  readonly entity: Entity;
  readonly part: Part;
  /** The number in the tables. */
  readonly queue: number;
  readonly address: string;
}

const suffixes = ["", subQueueSuffix.deadLetter, subQueueSuffix.transferDeadLetter] as const;

export const laneOf = (entity: Entity, part: Part): Lane => ({
  entity,
  part,
  queue: queueOf(entity.id, part),
  address: `${entity.name}${suffixes[part]}`,
});

/** Whether its messages are received by session. */
export const hasSessions = ({ entity, part }: Lane): boolean =>
  part === 0 && entity.type !== "topic" && entity.settings.requiresSession;

/** Whether sequence numbers contain a partition. */
export const isPartitioned = ({ entity, part }: Lane): boolean => part === 0 && limitsOf(entity).enablePartitioning;

/** The size limits of an entity; those of a subscription are its topic's. */
export const limitsOf = (entity: Entity): SendableSettings =>
  entity.type === "subscription" ? entity.topic.settings : entity.settings;

/** Maximum time to live of a message there, in milliseconds. */
export const longestTimeToLive = (entity: Receivable): number =>
  entity.type === "subscription"
    ? Math.min(entity.settings.defaultMessageTimeToLive, entity.topic.settings.defaultMessageTimeToLive)
    : entity.settings.defaultMessageTimeToLive;

/** Maximum delivery count, after which a message is dead-lettered; unlimited in a sub-queue. */
export const maxDeliveries = ({ entity, part }: Lane): number =>
  part === 0 && entity.type !== "topic" ? entity.settings.maxDeliveryCount : Infinity;

/** Milliseconds. */
export const lockDuration = ({ entity }: Lane): number =>
  entity.type === "topic" ? Infinity : entity.settings.lockDuration;

/** The error for receiving, if it is refused now. */
export function receiveRefusal({
  name,
  settings,
}: Pick<Receivable, "name"> & { readonly settings: ReceivableSettings }): SobreError | undefined {
  const { status, forwardTo } = settings;
  if (status === "Disabled" || status === "ReceiveDisabled") return entityDisabled(name, status);
  if (forwardTo === undefined) return undefined;
  return invalidOperation(`'${name}' forwards its messages to '${forwardTo}'. Receive from there.`);
}

/** The error for sending, if it is refused now. */
export const sendRefusal = (name: string, { status }: EntitySettings): SobreError | undefined =>
  status === "Disabled" || status === "SendDisabled" ? entityDisabled(name, status) : undefined;
