import { SobreError } from "../errors/sobre-error.ts";
import { type DurationLike, toMilliseconds } from "../time/duration.ts";
import { checkOptionNames, type OptionNames } from "../options/option-names.ts";
import type {
  EntityOptions,
  EntityStatus,
  QueueOptions,
  ReceivableOptions,
  SendableOptions,
  SubscriptionOptions,
  TopicOptions,
} from "./admin.ts";
import { parseAddress } from "./address.ts";

/** {@link EntityOptions} with the defaults filled in and durations in milliseconds; `Infinity` is for ever. */
export interface EntitySettings {
  readonly defaultMessageTimeToLive: number;
  readonly autoDeleteOnIdle: number;
  readonly status: EntityStatus;
  readonly userMetadata: string;
}

/** {@link SendableOptions} likewise. */
export interface SendableSettings extends EntitySettings {
  readonly maxMessageSizeInBytes: number;
  readonly maxSizeInMegabytes: number;
  readonly requiresDuplicateDetection: boolean;
  readonly duplicateDetectionHistoryTimeWindow: number;
  readonly enablePartitioning: boolean;
}

/** {@link ReceivableOptions} likewise. */
export interface ReceivableSettings extends EntitySettings {
  readonly lockDuration: number;
  readonly maxDeliveryCount: number;
  readonly deadLetteringOnMessageExpiration: boolean;
  readonly requiresSession: boolean;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
}

/** {@link QueueOptions} likewise. */
export interface QueueSettings extends SendableSettings, ReceivableSettings {}

/** {@link TopicOptions} likewise. */
export interface TopicSettings extends SendableSettings {}

/** {@link SubscriptionOptions} likewise; rules are kept apart. */
export interface SubscriptionSettings extends ReceivableSettings {
  readonly deadLetteringOnFilterEvaluationExceptions: boolean;
}

const minute = 60_000;
const statuses: readonly EntityStatus[] = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"];

const entityNames: OptionNames<EntityOptions> = {
  defaultMessageTimeToLive: true,
  autoDeleteOnIdle: true,
  status: true,
  userMetadata: true,
};

const topicNames: OptionNames<TopicOptions> = {
  ...entityNames,
  maxMessageSizeInBytes: true,
  maxSizeInMegabytes: true,
  requiresDuplicateDetection: true,
  duplicateDetectionHistoryTimeWindow: true,
  enablePartitioning: true,
};

const receivableNames: OptionNames<ReceivableOptions> = {
  lockDuration: true,
  maxDeliveryCount: true,
  deadLetteringOnMessageExpiration: true,
  requiresSession: true,
  forwardTo: true,
  forwardDeadLetteredMessagesTo: true,
};

const queueNames: OptionNames<QueueOptions> = { ...topicNames, ...receivableNames };

const subscriptionNames: OptionNames<SubscriptionOptions> = {
  ...entityNames,
  ...receivableNames,
  deadLetteringOnFilterEvaluationExceptions: true,
  rules: true,
};

/** @throws SobreError `InvalidArgument` naming the option, also one that there is none of. */
export function queueSettings(options: QueueOptions = {}): QueueSettings {
  checkOptionNames(options, queueNames);
  return { ...sendable(options), ...receivable(options) };
}

/** @throws SobreError `InvalidArgument` naming the option, also one that there is none of. */
export function topicSettings(options: TopicOptions = {}): TopicSettings {
  checkOptionNames(options, topicNames);
  return sendable(options);
}

/** @throws SobreError `InvalidArgument` naming the option, also one that there is none of. */
export function subscriptionSettings(options: SubscriptionOptions = {}): SubscriptionSettings {
  checkOptionNames(options, subscriptionNames);
  return {
    ...entity(options),
    ...receivable(options),
    deadLetteringOnFilterEvaluationExceptions: flag(
      "deadLetteringOnFilterEvaluationExceptions",
      options.deadLetteringOnFilterEvaluationExceptions,
      true,
    ),
  };
}

/** What cannot change once an entity exists. */
const fixed = ["requiresSession", "requiresDuplicateDetection", "enablePartitioning"] as const;

/** @throws SobreError `InvalidArgument` when an update would change what is set at creation. */
export function checkFixed(before: Partial<QueueSettings>, after: Partial<QueueSettings>): void {
  const changed = fixed.find((name) => before[name] !== after[name]);
  if (changed === undefined) return;
  throw new SobreError("InvalidArgument", `${changed} is set at creation. Create another entity to change it.`, {
    path: `$.${changed}`,
  });
}

function entity(options: EntityOptions): EntitySettings {
  const { status = "Active", userMetadata = "" } = options;
  if (!statuses.includes(status)) throw illegal("status", `must be one of ${statuses.join(", ")}`);
  if (typeof userMetadata !== "string" || userMetadata.length > 1024)
    throw illegal("userMetadata", "must be text of at most 1,024 characters");
  return {
    defaultMessageTimeToLive: span("defaultMessageTimeToLive", options.defaultMessageTimeToLive, [
      Infinity,
      1,
      Infinity,
    ]),
    autoDeleteOnIdle: span("autoDeleteOnIdle", options.autoDeleteOnIdle, [Infinity, 5 * minute, Infinity]),
    status,
    userMetadata,
  };
}

function sendable(options: SendableOptions): SendableSettings {
  const { requiresDuplicateDetection, duplicateDetectionHistoryTimeWindow, enablePartitioning } = options;
  return {
    ...entity(options),
    maxMessageSizeInBytes: whole("maxMessageSizeInBytes", options.maxMessageSizeInBytes, [2 ** 20, 1, 100 * 2 ** 20]),
    maxSizeInMegabytes: whole("maxSizeInMegabytes", options.maxSizeInMegabytes, [1024, 1, 2 ** 31 - 1]),
    requiresDuplicateDetection: flag("requiresDuplicateDetection", requiresDuplicateDetection, false),
    duplicateDetectionHistoryTimeWindow: span(
      "duplicateDetectionHistoryTimeWindow",
      duplicateDetectionHistoryTimeWindow,
      [10 * minute, 1, 7 * 24 * 60 * minute],
    ),
    enablePartitioning: flag("enablePartitioning", enablePartitioning, false),
  };
}

function receivable(options: ReceivableOptions & EntityOptions): ReceivableSettings {
  return {
    ...entity(options),
    lockDuration: span("lockDuration", options.lockDuration, [minute, 1, 5 * minute]),
    maxDeliveryCount: whole("maxDeliveryCount", options.maxDeliveryCount, [10, 1, 2 ** 31 - 1]),
    deadLetteringOnMessageExpiration: flag(
      "deadLetteringOnMessageExpiration",
      options.deadLetteringOnMessageExpiration,
      false,
    ),
    requiresSession: flag("requiresSession", options.requiresSession, false),
    forwardTo: target("forwardTo", options.forwardTo),
    forwardDeadLetteredMessagesTo: target("forwardDeadLetteredMessagesTo", options.forwardDeadLetteredMessagesTo),
  };
}

/** Default, least, most. */
type Range = readonly [number, number, number];

function span(name: string, duration: DurationLike | undefined, [fallback, least, most]: Range): number {
  if (duration === undefined) return fallback;
  const milliseconds = toMilliseconds(duration, name);
  if (milliseconds >= least && milliseconds <= most) return milliseconds;
  throw illegal(name, `must be from ${least} to ${most} milliseconds`);
}

function whole(name: string, value: number | undefined, [fallback, least, most]: Range): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw illegal(name, `must be a whole number from ${least} to ${most}`);
}

function flag(name: string, value: boolean | undefined, fallback: boolean): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? fallback;
  throw illegal(name, "must be true or false");
}

/** Empty text is none, as in the official configuration files. */
function target(name: string, address: string | undefined): string | undefined {
  if (address === undefined || address === "") return undefined;
  if (typeof address === "string" && parseAddress(address).subQueue === undefined) return address;
  throw illegal(name, "must name a queue or topic, not a sub-queue");
}

const illegal = (name: string, why: string): SobreError =>
  new SobreError("InvalidArgument", `${name} ${why}.`, { path: `$.${name}` });
