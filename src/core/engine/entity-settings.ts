import { SobreError } from "../errors/sobre-error.ts";
import { checkNames, checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { type DurationLike, readDuration, wantedDuration } from "../time/duration.ts";
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

type Setting<Option> = DurationLike extends Option ? number : Option;

/** Options with the defaults filled in and durations in milliseconds; `Infinity` is unlimited. */
type Settings<Options> = {
  readonly [Name in keyof Options]-?: Name extends `forward${string}`
    ? string | undefined
    : Setting<Exclude<Options[Name], undefined>>;
};

/** {@link EntityOptions} with the defaults filled in and durations in milliseconds; `Infinity` is unlimited. */
export interface EntitySettings extends Settings<EntityOptions> {}

/** {@link SendableOptions} likewise. */
export interface SendableSettings extends Settings<SendableOptions> {}

/** {@link ReceivableOptions} likewise. */
export interface ReceivableSettings extends Settings<EntityOptions & ReceivableOptions> {}

/** {@link QueueOptions} likewise. */
export interface QueueSettings extends SendableSettings, ReceivableSettings {}

/** {@link TopicOptions} likewise. */
export interface TopicSettings extends SendableSettings {}

/** {@link SubscriptionOptions} likewise; without the rules. */
export interface SubscriptionSettings extends Settings<Omit<SubscriptionOptions, "rules">> {}

/** Reads one option: its value, or its default. @throws SobreError `InvalidArgument` naming it. */
type Reader<T> = (name: string, value: unknown) => T;
type Readers<T> = { readonly [Name in keyof T]: Reader<T[Name]> };

const minute = 60_000;
const statuses: readonly EntityStatus[] = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"];

// Every option is declared here once, with its default, minimum and maximum.
const entity: Readers<EntitySettings> = {
  defaultMessageTimeToLive: span(Infinity, 1, Infinity),
  autoDeleteOnIdle: span(Infinity, 5 * minute, Infinity),
  status: (name, value = "Active") => {
    const status = statuses.find((one) => one === value);
    if (status === undefined) throw illegal(name, `must be one of ${statuses.join(", ")}`);
    return status;
  },
  userMetadata: (name, value = "") => {
    if (typeof value === "string" && value.length <= 1024) return value;
    throw illegal(name, "must be a string of at most 1,024 characters");
  },
  enableBatchedOperations: flag(true),
};

const topic: Readers<TopicSettings> = {
  ...entity,
  maxMessageSizeInBytes: whole(2 ** 20, 1, 100 * 2 ** 20),
  maxSizeInMegabytes: whole(1024, 1, 2 ** 31 - 1),
  requiresDuplicateDetection: flag(false),
  duplicateDetectionHistoryTimeWindow: span(10 * minute, 1, 7 * 24 * 60 * minute),
  enablePartitioning: flag(false),
};

const receivable: Readers<ReceivableSettings> = {
  ...entity,
  lockDuration: span(minute, 1, 5 * minute),
  maxDeliveryCount: whole(10, 1, 2 ** 31 - 1),
  deadLetteringOnMessageExpiration: flag(false),
  requiresSession: flag(false),
  forwardTo: target,
  forwardDeadLetteredMessagesTo: target,
};

const queue: Readers<QueueSettings> = { ...topic, ...receivable };

const subscription: Readers<SubscriptionSettings> = {
  ...receivable,
  deadLetteringOnFilterEvaluationExceptions: flag(true),
};

/** @throws SobreError `InvalidArgument` naming the option; unknown options are rejected. */
export const queueSettings = (options: QueueOptions = {}): QueueSettings => settings(options, queue, queue);

/** @throws SobreError `InvalidArgument` naming the option; unknown options are rejected. */
export const topicSettings = (options: TopicOptions = {}): TopicSettings => settings(options, topic, topic);

/** @throws SobreError `InvalidArgument` naming the option; unknown options are rejected. */
export const subscriptionSettings = (options: SubscriptionOptions = {}): SubscriptionSettings =>
  settings(options, subscription, { ...subscription, rules: true });

function settings<T extends object>(options: object, readers: Readers<T>, known: Readonly<Record<string, unknown>>): T;
function settings(
  options: object,
  readers: Readonly<Record<string, Reader<unknown>>>,
  known: Readonly<Record<string, unknown>>,
): object {
  checkNames(options, known);
  return Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [name, read(name, Reflect.get(options, name))]),
  );
}

/** The options that cannot change once an entity exists. */
const fixed = ["requiresSession", "requiresDuplicateDetection", "enablePartitioning"] as const;

/** @throws SobreError `InvalidArgument` when an update would change an option that is set at creation. */
export function checkFixed(before: Partial<QueueSettings>, after: Partial<QueueSettings>): void {
  checkOption("before", before, is.object);
  checkOption("after", after, is.object);
  const changed = fixed.find((name) => before[name] !== after[name]);
  if (changed === undefined) return;
  throw illegal(changed, "can only be set at creation. Create a new entity instead");
}

function span(fallback: number, least: number, most: number): Reader<number> {
  return (name, value) => {
    if (value === undefined) return fallback;
    const milliseconds = readDuration(value);
    if (milliseconds === undefined) throw illegal(name, `must be ${wantedDuration}`);
    if (milliseconds >= least && milliseconds <= most) return milliseconds;
    throw illegal(name, `must be from ${least} to ${most} milliseconds`);
  };
}

function whole(fallback: number, least: number, most: number): Reader<number> {
  return (name, value = fallback) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw illegal(name, `must be a whole number from ${least} to ${most}`);
  };
}

function flag(fallback: boolean): Reader<boolean> {
  return (name, value = fallback) => {
    if (typeof value === "boolean") return value;
    throw illegal(name, "must be true or false");
  };
}

/** An empty string means none, as in the official configuration files. */
function target(name: string, address: unknown): string | undefined {
  if (address === undefined || address === "") return undefined;
  if (typeof address === "string" && parseAddress(address).subQueue === undefined) return address;
  throw illegal(name, "must name a queue or topic, not a sub-queue");
}

function illegal(name: string, why: string): SobreError {
  return new SobreError("InvalidArgument", `${name} ${why}.`, { path: `$.${name}` });
}
