import type {
  EntityTimes,
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
  TopicOptions,
  TopicRuntimeProperties,
} from "../engine/admin.ts";
import { queueSettings, subscriptionSettings, topicSettings } from "../engine/entity-settings.ts";
import { type FieldKind, readField, writeField } from "./atom-field.ts";
import { escaped, type XmlElement } from "./xml.ts";

type Options = QueueOptions & SubscriptionOptions;

/** The element of an option, in the order that the service wants. */
type Field = readonly [element: string, option: keyof Options, kind: FieldKind];

const lock: Field = ["LockDuration", "lockDuration", "duration"];
const size: Field = ["MaxSizeInMegabytes", "maxSizeInMegabytes", "integer"];
const duplicates: Field = ["RequiresDuplicateDetection", "requiresDuplicateDetection", "boolean"];
const sessions: Field = ["RequiresSession", "requiresSession", "boolean"];
const timeToLive: Field = ["DefaultMessageTimeToLive", "defaultMessageTimeToLive", "duration"];
const expired: Field = ["DeadLetteringOnMessageExpiration", "deadLetteringOnMessageExpiration", "boolean"];
const window: Field = ["DuplicateDetectionHistoryTimeWindow", "duplicateDetectionHistoryTimeWindow", "duration"];
const deliveries: Field = ["MaxDeliveryCount", "maxDeliveryCount", "integer"];
const filters: Field = [
  "DeadLetteringOnFilterEvaluationExceptions",
  "deadLetteringOnFilterEvaluationExceptions",
  "boolean",
];
const status: Field = ["Status", "status", "text"];
const forward: Field = ["ForwardTo", "forwardTo", "entity"];
const metadata: Field = ["UserMetadata", "userMetadata", "text"];
const idle: Field = ["AutoDeleteOnIdle", "autoDeleteOnIdle", "duration"];
const partitions: Field = ["EnablePartitioning", "enablePartitioning", "boolean"];
const forwardDead: Field = ["ForwardDeadLetteredMessagesTo", "forwardDeadLetteredMessagesTo", "entity"];
const kilobytes: Field = ["MaxMessageSizeInKilobytes", "maxMessageSizeInBytes", "kilobytes"];

/** Entities that have a description. */
export type Described = "Queue" | "Topic" | "Subscription";

const queueFields = [lock, size, duplicates, sessions, timeToLive, expired, window, deliveries];
const subscriptionFields = [lock, sessions, timeToLive, expired, filters, deliveries];

const fields: Readonly<Record<Described, readonly Field[]>> = {
  Queue: [...queueFields, status, forward, metadata, idle, partitions, forwardDead, kilobytes],
  Topic: [timeToLive, size, duplicates, window, status, metadata, idle, partitions, kilobytes],
  Subscription: [...subscriptionFields, status, forward, metadata, forwardDead, idle],
};

/** The options in a description; what it does not name is left out. @throws SobreError `InvalidArgument`. */
export function readDescription(what: Described, description: XmlElement | undefined): Options {
  const options: Record<string, unknown> = {};
  for (const [element, option, kind] of fields[what]) {
    const found = description?.children.find(({ name }) => name === element);
    if (found === undefined || (found.text.trim() === "" && kind !== "text")) continue;
    options[option] = readField(kind, element, found.text);
  }
  return options;
}

/** Settings that cannot be changed, or that older clients do not know. */
const kept: ReadonlySet<keyof Options> = new Set([
  "requiresSession",
  "requiresDuplicateDetection",
  "enablePartitioning",
  "maxMessageSizeInBytes",
]);

/** Texts that are taken away by leaving them out. */
const cleared = { forwardTo: "", forwardDeadLetteredMessagesTo: "", userMetadata: "" };

/** The options in the description of an update: what it does not name is set back to its default. @throws SobreError `InvalidArgument`. */
export function readUpdate(what: Described, description: XmlElement | undefined): Options {
  const defaults: Readonly<Record<string, unknown>> = {
    ...(what === "Topic" ? topicSettings() : what === "Queue" ? queueSettings() : subscriptionSettings()),
    ...cleared,
  };
  const options: Record<string, unknown> = {};
  for (const [, option] of fields[what]) if (!kept.has(option)) options[option] = defaults[option];
  return { ...options, ...readDescription(what, description) };
}

/** The elements of a description. */
export function writeDescription(
  what: Described,
  options: QueueOptions | TopicOptions | SubscriptionOptions,
  runtime: QueueRuntimeProperties | TopicRuntimeProperties | undefined,
): string {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const elements = fields[what].map(([element, option, kind]) => {
    const text = writeField(kind, given[option]);
    return text === undefined ? "" : `<${element}>${escaped(text)}</${element}>`;
  });
  return `${elements.join("")}<EnableBatchedOperations>true</EnableBatchedOperations>${runtime === undefined ? "" : runtimeElements(runtime)}<EntityAvailabilityStatus>Available</EntityAvailabilityStatus><EnableExpress>false</EnableExpress>`;
}

function runtimeElements(runtime: QueueRuntimeProperties | TopicRuntimeProperties): string {
  const { sizeInBytes, scheduledMessageCount } = runtime;
  const isTopic = "subscriptionCount" in runtime;
  const details = [
    ["ActiveMessageCount", isTopic ? 0 : runtime.activeMessageCount],
    ["DeadLetterMessageCount", isTopic ? 0 : runtime.deadLetterMessageCount],
    ["ScheduledMessageCount", scheduledMessageCount],
    ["TransferMessageCount", 0],
    ["TransferDeadLetterMessageCount", isTopic ? 0 : runtime.transferDeadLetterMessageCount],
  ].map(([name, count]) => `<d2p1:${name}>${count}</d2p1:${name}>`);
  const count = isTopic
    ? `<SubscriptionCount>${runtime.subscriptionCount}</SubscriptionCount><SupportOrdering>true</SupportOrdering>`
    : `<MessageCount>${runtime.totalMessageCount}</MessageCount>`;
  return (
    `<SizeInBytes>${sizeInBytes}</SizeInBytes>${count}${timeElements(runtime)}` +
    `<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">${details.join("")}</CountDetails>`
  );
}

const timeElements = ({ createdAt, modifiedAt, accessedAt }: EntityTimes): string =>
  `<CreatedAt>${createdAt.toISOString()}</CreatedAt><UpdatedAt>${modifiedAt.toISOString()}</UpdatedAt>` +
  `<AccessedAt>${accessedAt.toISOString()}</AccessedAt>`;
