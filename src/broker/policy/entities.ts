import { subQueueSuffix } from "../../core/engine/address.ts";
import type { QueueSettings, SubscriptionSettings, TopicSettings } from "../../core/engine/entity-settings.ts";
import { entityDisabled, invalidOperation, messageTooLarge } from "../../core/engine/refusals.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { Rule } from "./rule.ts";
import type { RuleIndex } from "./rule-index.ts";

// The entities as the policy sees them. An engine adds what it stores of each as `Own`.

/** A queue. */
export type QueueEntity<Own> = Own & {
  readonly type: "queue";
  readonly address: string;
  readonly settings: QueueSettings;
};

/** A topic. */
export type TopicEntity<Own> = Own & {
  readonly type: "topic";
  readonly address: string;
  readonly settings: TopicSettings;
  /** By name in lower case. */
  readonly subscriptions: Map<string, SubscriptionEntity<Own>>;
  /** The rules of all its subscriptions. */
  readonly rules: RuleIndex<SubscriptionEntity<Own>>;
};

/** A subscription. */
export type SubscriptionEntity<Own> = Own & {
  readonly type: "subscription";
  readonly address: string;
  readonly settings: SubscriptionSettings;
  /** Without the name of its topic. */
  readonly name: string;
  readonly topic: TopicEntity<Own>;
  /** By name in lower case; the topic's index has the same. */
  readonly rules: Map<string, Rule<SubscriptionEntity<Own>>>;
};

/** An entity that accepts sends. */
export type SendableEntity<Own> = QueueEntity<Own> | TopicEntity<Own>;

/** An entity to receive from. */
export type ReceivableEntity<Own> = QueueEntity<Own> | SubscriptionEntity<Own>;

/** An entity of an engine. */
export type Entity<Own> = QueueEntity<Own> | TopicEntity<Own> | SubscriptionEntity<Own>;

/** Which of the queues of an entity: that of its messages, or a sub-queue. A topic has only the first, for scheduled messages. */
export type Part = "messages" | "deadLetters" | "transferDeadLetters";

/** The parts in a fixed order, which stores rely on. */
export const parts: readonly Part[] = ["messages", "deadLetters", "transferDeadLetters"];

/** The ends of the addresses of an entity's queues. */
export const partSuffixes: Readonly<Record<Part, string>> = {
  messages: "",
  deadLetters: subQueueSuffix.deadLetter,
  transferDeadLetters: subQueueSuffix.transferDeadLetter,
};

/** One of the queues of an entity, and what the entity's settings say about it. */
export class EntityQueue<Own> {
  readonly entity: Entity<Own>;
  readonly part: Part;
  /** For error messages. */
  readonly address: string;
  /** Whether messages are received by session. */
  readonly requiresSession: boolean;
  /** Whether sequence numbers contain a partition. */
  readonly isPartitioned: boolean;

  constructor(entity: Entity<Own>, part: Part) {
    this.entity = entity;
    this.part = part;
    this.address = `${entity.address}${partSuffixes[part]}`;
    this.requiresSession = part === "messages" && entity.type !== "topic" && entity.settings.requiresSession;
    this.isPartitioned = part === "messages" && sizedEntity(entity).settings.enablePartitioning;
  }

  /** Milliseconds. */
  get lockDuration(): number {
    const { entity } = this;
    return entity.type === "topic" ? Infinity : entity.settings.lockDuration;
  }

  /** The number of deliveries after which a message is dead-lettered; `Infinity` in a sub-queue. */
  get maxDeliveryCount(): number {
    const { entity } = this;
    return this.part !== "messages" || entity.type === "topic" ? Infinity : entity.settings.maxDeliveryCount;
  }

  /** The error for receiving, if it is refused now; sub-queues refuse nothing. */
  get receiveRefusal(): SobreError | undefined {
    const { entity } = this;
    return this.part !== "messages" || entity.type === "topic" ? undefined : receiveRefusal(entity);
  }

  /** The error for peeking, if it is refused now. */
  get peekRefusal(): SobreError | undefined {
    const { address, settings } = this.entity;
    return settings.status === "Disabled" ? entityDisabled(address, settings.status) : undefined;
  }
}

function receiveRefusal({ address, settings }: ReceivableEntity<unknown>): SobreError | undefined {
  const { status, forwardTo } = settings;
  if (status === "Disabled" || status === "ReceiveDisabled") return entityDisabled(address, status);
  if (forwardTo === undefined) return undefined;
  return invalidOperation(`'${address}' forwards its messages to '${forwardTo}'. Receive from there.`);
}

/** The entity whose size limits apply to an entity: of a subscription, its topic. */
export const sizedEntity = <Own>(entity: Entity<Own>): SendableEntity<Own> =>
  entity.type === "subscription" ? entity.topic : entity;

/** Maximum time to live of a message in an entity, in milliseconds. */
export const maxTimeToLive = (entity: ReceivableEntity<unknown>): number =>
  entity.type === "subscription"
    ? Math.min(entity.settings.defaultMessageTimeToLive, entity.topic.settings.defaultMessageTimeToLive)
    : entity.settings.defaultMessageTimeToLive;

/** @throws SobreError `MessageSizeExceeded` for a session state of more bytes than a message may have. */
export function checkStateSize(entity: Entity<unknown>, bytes: number): void {
  const { maxMessageSizeInBytes: most } = sizedEntity(entity).settings;
  if (bytes > most) throw messageTooLarge(bytes, most, entity.address);
}

/** Maximum bytes of everything in a queue, or in a topic and its subscriptions. */
export const maxBytesOf = ({ settings }: SendableEntity<unknown>): number => settings.maxSizeInMegabytes * 2 ** 20;
