import type {
  EntityTimes,
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
  TopicOptions,
  TopicRuntimeProperties,
} from "../../core/engine/admin.ts";
import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import { type HttpXmlElement, escaped } from "./xml.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type DurationLike, readIsoDuration, toMilliseconds } from "../../core/time/duration.ts";

type Options = QueueOptions & SubscriptionOptions;

/** The element of an option, in the order that the service wants. */
type Field = readonly [element: string, option: keyof Options, kind: AtomFieldKind];

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
const batched: Field = ["EnableBatchedOperations", "enableBatchedOperations", "boolean"];
const kilobytes: Field = ["MaxMessageSizeInKilobytes", "maxMessageSizeInBytes", "kilobytes"];

/** Entities that have a description. */
export type DescribedEntity = "Queue" | "Topic" | "Subscription";

const queueFields = [lock, size, duplicates, sessions, timeToLive, expired, window, deliveries, batched];
const subscriptionFields = [lock, sessions, timeToLive, expired, filters, deliveries, batched];

const fields: Readonly<Record<DescribedEntity, readonly Field[]>> = {
  Queue: [...queueFields, status, forward, metadata, idle, partitions, forwardDead, kilobytes],
  Topic: [timeToLive, size, duplicates, window, batched, status, metadata, idle, partitions, kilobytes],
  Subscription: [...subscriptionFields, status, forward, metadata, forwardDead, idle],
};

/** The options in a description; what it does not name is left out. @throws SobreError `InvalidArgument`. */
export function readDescription(what: DescribedEntity, description: HttpXmlElement | undefined): Options {
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
export function readUpdate(what: DescribedEntity, description: HttpXmlElement | undefined): Options {
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
  what: DescribedEntity,
  options: QueueOptions | TopicOptions | SubscriptionOptions,
  runtime: QueueRuntimeProperties | TopicRuntimeProperties | undefined,
): string {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const elements = fields[what].map(([element, option, kind]) => {
    const text = writeField(kind, given[option]);
    return text === undefined ? "" : `<${element}>${escaped(text)}</${element}>`;
  });
  return `${elements.join("")}${runtime === undefined ? "" : runtimeElements(runtime)}<EntityAvailabilityStatus>Available</EntityAvailabilityStatus><EnableExpress>false</EnableExpress>`;
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
    ? `<SubscriptionCount>${runtime.subscriptionCount}</SubscriptionCount><SupportOrdering>true</SupportOrdering>` +
      `<SqlFilterCount>${runtime.sqlFilterCount}</SqlFilterCount>` +
      `<CorrelationFilterCount>${runtime.correlationFilterCount}</CorrelationFilterCount>`
    : `<MessageCount>${runtime.totalMessageCount}</MessageCount>`;
  return (
    `<SizeInBytes>${sizeInBytes}</SizeInBytes>${count}${timeElements(runtime)}` +
    `<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">${details.join("")}</CountDetails>`
  );
}

const timeElements = ({ createdAt, modifiedAt, accessedAt }: EntityTimes): string =>
  `<CreatedAt>${createdAt.toISOString()}</CreatedAt><UpdatedAt>${modifiedAt.toISOString()}</UpdatedAt>` +
  `<AccessedAt>${accessedAt.toISOString()}</AccessedAt>`;

/** How the value of an element is written. */
type AtomFieldKind = "duration" | "boolean" | "integer" | "text" | "entity" | "kilobytes";

/** Unlimited, as .NET's maximum TimeSpan. */
const forEver = "P10675199DT2H48M5.4775807S";
const forEverMilliseconds = 10_675_199 * 86_400_000;

/** Writes an option; `undefined` when there is nothing to write. */
function writeField(kind: AtomFieldKind, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (kind === "duration") return isDuration(value) ? isoDuration(toMilliseconds(value, "duration")) : undefined;
  if (kind === "kilobytes") return String(Math.floor(Number(value) / 1024));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

/** Reads an option. @throws SobreError `InvalidArgument` naming the element. */
function readField(kind: AtomFieldKind, name: string, text: string): unknown {
  const value = text.trim();
  switch (kind) {
    case "text":
      return text;
    // Clients give the whole URI of the entity.
    case "entity":
      return value.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*\//i, "");
    case "boolean":
      if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
      break;
    case "integer":
      if (/^-?\d{1,15}$/.test(value)) return Number(value);
      break;
    case "kilobytes":
      if (/^\d{1,12}$/.test(value)) return Number(value) * 1024;
      break;
    case "duration": {
      const milliseconds = readIsoDuration(value);
      if (milliseconds === undefined) break;
      return milliseconds >= forEverMilliseconds ? Infinity : milliseconds;
    }
    default:
      return kind satisfies never;
  }
  throw new SobreError("InvalidArgument", `The element ${name} is not a valid ${kind}.`, { path: `$.${name}` });
}

const isDuration = (value: unknown): value is DurationLike => typeof value === "number" || typeof value === "string";

/** Milliseconds as an ISO 8601 duration. */
function isoDuration(milliseconds: number): string {
  if (milliseconds >= forEverMilliseconds) return forEver;
  const days = Math.floor(milliseconds / 86_400_000);
  const hours = Math.floor(milliseconds / 3_600_000) % 24;
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const seconds = (milliseconds % 60_000) / 1000;
  const time = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 ? `${seconds}S` : ""}`;
  if (days > 0) return `P${days}D${time === "" ? "" : `T${time}`}`;
  return `PT${time === "" ? "0S" : time}`;
}
