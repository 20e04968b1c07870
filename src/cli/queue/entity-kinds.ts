import type {
  EngineAdmin,
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
  TopicRuntimeProperties,
} from "../../core/engine/admin.ts";
import { type Command, Option, spanOf, spanText, wholeNumber } from "../commander.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { Misuse, namingOption } from "../terminal.ts";

/** The kinds of entities that have options. */
export type OptionHolder = "queue" | "topic" | "subscription";

/** The options of queues, topics and subscriptions together. */
export type AnyEntityOptions = QueueOptions & Omit<SubscriptionOptions, "rules">;

interface Declared {
  /** The flag after the dashes, with its value. */
  readonly flag: string;
  readonly says: string;
  readonly of: readonly OptionHolder[];
  readonly kind: "span" | "count" | "kilobytes" | "text" | "flag" | "status";
}

const everything = ["queue", "topic", "subscription"] as const;
const receivable = ["queue", "subscription"] as const;
const sendable = ["queue", "topic"] as const;

/** Every option under its name in the engine; flags are the names of `@azure/service-bus` with dashes. */
const declared: { readonly [Name in keyof Required<AnyEntityOptions>]: Declared } = {
  lockDuration: { flag: "lock-duration <TIME>", says: "default: 1m", of: receivable, kind: "span" },
  maxDeliveryCount: { flag: "max-delivery-count <N>", says: "default: 10", of: receivable, kind: "count" },
  requiresSession: { flag: "requires-session", says: "messages have sessions", of: receivable, kind: "flag" },
  requiresDuplicateDetection: {
    flag: "requires-duplicate-detection",
    says: "drop messages whose id was seen before",
    of: sendable,
    kind: "flag",
  },
  duplicateDetectionHistoryTimeWindow: {
    flag: "duplicate-detection-history-time-window <TIME>",
    says: "default: 10m",
    of: sendable,
    kind: "span",
  },
  defaultMessageTimeToLive: {
    flag: "default-message-time-to-live <TIME>",
    says: "default: no limit",
    of: everything,
    kind: "span",
  },
  deadLetteringOnMessageExpiration: {
    flag: "dead-lettering-on-message-expiration",
    says: "dead-letter expired messages",
    of: receivable,
    kind: "flag",
  },
  deadLetteringOnFilterEvaluationExceptions: {
    flag: "no-dead-lettering-on-filter-evaluation-exceptions",
    says: "drop messages whose filter fails",
    of: ["subscription"],
    kind: "flag",
  },
  forwardTo: { flag: "forward-to <ENTITY>", says: "default: none", of: receivable, kind: "text" },
  forwardDeadLetteredMessagesTo: {
    flag: "forward-dead-lettered-messages-to <ENTITY>",
    says: "default: none",
    of: receivable,
    kind: "text",
  },
  autoDeleteOnIdle: { flag: "auto-delete-on-idle <TIME>", says: "default: never", of: everything, kind: "span" },
  maxSizeInMegabytes: { flag: "max-size-in-megabytes <N>", says: "default: 1024", of: sendable, kind: "count" },
  maxMessageSizeInBytes: {
    flag: "max-message-size-in-kilobytes <N>",
    says: "default: 1024",
    of: sendable,
    kind: "kilobytes",
  },
  enablePartitioning: { flag: "enable-partitioning", says: "spread over partitions", of: sendable, kind: "flag" },
  status: { flag: "status <STATUS>", says: "Disabled, SendDisabled, …", of: everything, kind: "status" },
  enableBatchedOperations: {
    flag: "no-enable-batched-operations",
    says: "for clients that compare it",
    of: everything,
    kind: "flag",
  },
  userMetadata: { flag: "user-metadata <TEXT>", says: "any text", of: everything, kind: "text" },
};

const entries = Object.entries(declared);

/** Gives a command the options of a kind of entity. */
export function withEntityOptions(command: Command, holder: OptionHolder): Command {
  for (const [, option] of entries) if (option.of.includes(holder)) command.addOption(commanderOption(option));
  return command;
}

function commanderOption({ flag, says, kind }: Declared): Option {
  const name = `--${flag.split(" ")[0] ?? ""}`;
  const option = new Option(`--${flag}`, says);
  switch (kind) {
    case "span":
      return option.argParser(spanOf(name));
    case "count":
    case "kilobytes":
      return option.argParser(wholeNumber(name, 1));
    case "status":
      return option.argParser(statusOf);
    case "text":
    case "flag":
      return option;
    default:
      return kind satisfies never;
  }
}

const statuses = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"];

function statusOf(text: string): string {
  if (statuses.includes(text)) return text;
  throw new Misuse(`--status must be one of ${statuses.join(", ")}`);
}

/** The options that a command line gives an entity, in the engine's names and units. */
export function givenOptions(parsed: Readonly<Record<string, unknown>>, holder: OptionHolder): AnyEntityOptions {
  const given = entries.flatMap(([name, { flag, kind, of }]): readonly (readonly [string, unknown])[] => {
    const value = parsed[attributeOf(flag)];
    if (!of.includes(holder) || value === undefined) return [];
    return [[name, kind === "kilobytes" ? Number(value) * 1024 : value]];
  });
  return Object.fromEntries(given);
}

/** The name under which commander keeps an option. */
function attributeOf(flag: string): string {
  const [name = ""] = flag.replace(/^no-/, "").split(" ");
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The message of an error about a setting, behind the option that gives it. */
export const settingNamed: (error: SobreError) => string = namingOption(
  Object.fromEntries(entries.map(([name, { flag }]) => [`$.${name}`, `--${flag.split(" ")[0]}`])),
);

/** The settings of an entity by name, as a person writes them; `undefined` ones are left out. */
export function settingsText(settings: AnyEntityOptions): readonly (readonly [string, string])[] {
  return entries.flatMap(([name, { kind }]): readonly (readonly [string, string])[] => {
    const value: unknown = Reflect.get(settings, name);
    if (value === undefined || value === "") return [];
    if (kind === "span")
      return [[name, value === Infinity && name === "autoDeleteOnIdle" ? "never" : spanText(Number(value))]];
    if (kind === "flag") return [[name, value === true ? "yes" : "no"]];
    return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
  });
}

/** The names that lead to an entity, from the topic down. */
export type Path = readonly string[];

/** The administration of one kind of entity. */
export interface EntityKind {
  readonly holder: OptionHolder;
  /** The arguments that lead to one. */
  readonly names: readonly string[];
  create(admin: EngineAdmin, path: Path, options: AnyEntityOptions): Promise<void>;
  remove(admin: EngineAdmin, path: Path): Promise<void>;
  /** The names of those below a path without the last name. */
  list(admin: EngineAdmin, path: Path): Promise<readonly string[]>;
  settings(admin: EngineAdmin, path: Path): Promise<AnyEntityOptions>;
  counts(admin: EngineAdmin, path: Path): Promise<Partial<QueueRuntimeProperties & TopicRuntimeProperties>>;
}

/** Commander has seen to it that every name is there. */
const at = (path: Path, index: number): string => path[index] ?? "";

export const kinds: Readonly<Record<OptionHolder, EntityKind>> = {
  queue: {
    holder: "queue",
    names: ["QUEUE"],
    create: (admin, path, options) => admin.createQueue(at(path, 0), options),
    remove: (admin, path) => admin.deleteQueue(at(path, 0)),
    list: (admin) => admin.listQueues(),
    settings: (admin, path) => admin.getQueue(at(path, 0)),
    counts: (admin, path) => admin.getQueueRuntimeProperties(at(path, 0)),
  },
  topic: {
    holder: "topic",
    names: ["TOPIC"],
    create: (admin, path, options) => admin.createTopic(at(path, 0), options),
    remove: (admin, path) => admin.deleteTopic(at(path, 0)),
    list: (admin) => admin.listTopics(),
    settings: (admin, path) => admin.getTopic(at(path, 0)),
    counts: (admin, path) => admin.getTopicRuntimeProperties(at(path, 0)),
  },
  subscription: {
    holder: "subscription",
    names: ["TOPIC", "SUBSCRIPTION"],
    create: (admin, path, options) => admin.createSubscription(at(path, 0), at(path, 1), options),
    remove: (admin, path) => admin.deleteSubscription(at(path, 0), at(path, 1)),
    list: (admin, path) => admin.listSubscriptions(at(path, 0)),
    settings: (admin, path) => admin.getSubscription(at(path, 0), at(path, 1)),
    counts: (admin, path) => admin.getSubscriptionRuntimeProperties(at(path, 0), at(path, 1)),
  },
};
