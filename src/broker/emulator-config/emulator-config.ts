import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../../core/engine/admin.ts";
import type { RuleFilter, RuleProperties } from "../../core/engine/rules.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { compileJsonSchema } from "../../core/json-schema/ajv.ts";
import type {
  EmulatorConfig,
  EmulatorProperties,
  EmulatorRule,
  EmulatorSubscription,
  EmulatorTopic,
} from "./config.ts";
import { emulatorConfigSchema } from "./schema.ts";

/** A configured topic and its subscriptions by name. */
export interface ConfiguredTopic extends TopicOptions {
  readonly subscriptions: Readonly<Record<string, SubscriptionOptions>>;
}

/** A configured shared access key. */
export interface ConfiguredKey {
  readonly key: string;
  /** Default: all. */
  readonly rights?: readonly ("Send" | "Listen" | "Manage")[] | undefined;
}

/** Entities by name, in the form of `memoryEngine`'s options. */
export interface ConfiguredEntities {
  readonly queues: Readonly<Record<string, QueueOptions>>;
  readonly topics: Readonly<Record<string, ConfiguredTopic>>;
}

/** A configured namespace: its entities, and the keys that open it. */
export interface ConfiguredNamespace {
  /** Options of an engine. */
  readonly entities: ConfiguredEntities;
  /** Shared access keys by name, in the form of `startServer`'s options; `undefined` if there are none. */
  readonly keys: Readonly<Record<string, ConfiguredKey>> | undefined;
}

/** Maximum number of problems listed in an error. */
const maxProblems = 5;

let problemsOf: ReturnType<typeof compileJsonSchema> | undefined;

/**
 * Reads a `Config.json` of the official emulator, as text (comments allowed) or object; omitted settings have that
 * format's defaults (3 deliveries, 1 hour to live, a duplicate window of 20 seconds). The emulator's own limits do not
 * apply.
 *
 * @throws SobreError `InvalidArgument` with the JSON paths of the mistakes, at most five.
 * @example
 * ```ts
 * const Queues = [{ Name: "orders", Properties: { LockDuration: "PT30S" } }];
 * const { entities } = emulatorConfig({ UserConfig: { Namespaces: [{ Name: "sbemulatorns", Queues }] } });
 * const engine = memoryEngine(entities);
 * console.log(await engine.admin.listQueues()); // [ 'orders' ]
 * ```
 */
export function emulatorConfig(source: string | EmulatorConfig): ConfiguredNamespace {
  const config: unknown = typeof source === "string" ? parse(source) : source;
  problemsOf ??= compileJsonSchema(emulatorConfigSchema);
  // Of a condition, what is wrong under it says more.
  const problems = problemsOf(config).filter(({ message }) => message !== 'must match "then" schema');
  if (problems.length > 0) {
    const shown = problems.slice(0, maxProblems).map(({ path, message }) => `${path} ${inWords(message)}`);
    const more = problems.length > maxProblems ? `; and ${problems.length - maxProblems} more` : "";
    throw new SobreError("InvalidArgument", `The configuration is wrong: ${shown.join("; ")}${more}.`, {
      path: problems[0]?.path,
    });
  }
  const { keys, queues, topics } = entitiesOf(config);
  return {
    entities: { queues: unique(queues, "Queues"), topics: unique(topics, "Topics") },
    keys: keys.length === 0 ? undefined : unique(keys, "SharedAccessKeys"),
  };
}

const inWords = (message: string): string => (message === "boolean schema is false" ? "is not allowed here" : message);

function parse(text: string): unknown {
  // Editors on Windows put a byte order mark in front.
  const json = withoutComments(text.replace(/^\uFEFF/, ""));
  try {
    return JSON.parse(json);
  } catch (error) {
    const what = "The configuration is not JSON. Only comments may be added to JSON.";
    throw new SobreError("InvalidArgument", what, { path: "$", cause: error });
  }
}

type Named<T> = readonly (readonly [string, T])[];

function entitiesOf(config: unknown): {
  readonly keys: Named<ConfiguredKey>;
  readonly queues: Named<QueueOptions>;
  readonly topics: Named<ConfiguredTopic>;
} {
  if (!isConfig(config)) return { keys: [], queues: [], topics: [] };
  const [{ SharedAccessKeys = [], Queues = [], Topics = [] } = {}] = config.UserConfig.Namespaces;
  return {
    keys: SharedAccessKeys.map(({ Name, Key, Rights }) => [Name, { key: Key, rights: Rights }]),
    queues: Queues.map(({ Name, Properties = {} }) => [Name, queueOptions(Properties)]),
    topics: Topics.map((topic) => [topic.Name, topicOptions(topic)]),
  };
}

/** The schema has looked at it. */
function isConfig(_value: unknown): _value is EmulatorConfig {
  return true;
}

function topicOptions({ Properties = {}, Subscriptions = [] }: EmulatorTopic): ConfiguredTopic {
  const subscriptions = Subscriptions.map((subscription): [string, SubscriptionOptions] => [
    subscription.Name,
    subscriptionOptions(subscription),
  ]);
  return { ...sendable, ...uncapitalized(Properties), subscriptions: unique(subscriptions, "Subscriptions") };
}

function subscriptionOptions({ Properties = {}, Rules = [] }: EmulatorSubscription): SubscriptionOptions {
  return {
    ...receivable,
    ...uncapitalized(Properties),
    rules: Rules.length === 0 ? undefined : Rules.map(ruleOf),
  };
}

// The defaults of the format; the schema lets each kind of entity have its own properties only.
const common = { defaultMessageTimeToLive: "PT1H" };
const sendable = { ...common, duplicateDetectionHistoryTimeWindow: "PT20S" };
const receivable = { ...common, maxDeliveryCount: 3 };

const queueOptions = (properties: EmulatorProperties): QueueOptions => ({
  ...sendable,
  ...receivable,
  ...uncapitalized(properties),
});

type Uncapitalized<T> = { readonly [Name in keyof T as Uncapitalize<Name & string>]: T[Name] };

/** The members under the names that they have here. */
function uncapitalized<T extends object>(members: T): Uncapitalized<T>;
function uncapitalized(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`,
      value,
    ]),
  );
}

function ruleOf({ Name, Properties }: EmulatorRule): RuleProperties {
  const action =
    Properties.Action === undefined
      ? undefined
      : ({ kind: "sql", expression: Properties.Action.SqlExpression } as const);
  return { name: Name, filter: filterOf(Properties), action };
}

function filterOf({ SqlFilter, CorrelationFilter = {} }: EmulatorRule["Properties"]): RuleFilter {
  if (SqlFilter !== undefined) return { kind: "sql", expression: SqlFilter.SqlExpression };
  const { Label, Properties, ...others } = CorrelationFilter;
  return { kind: "correlation", ...uncapitalized(others), subject: Label, applicationProperties: Properties };
}

/** Names are compared without case. */
function unique<T>(entities: Named<T>, what: string): Readonly<Record<string, T>> {
  const seen = new Set<string>();
  for (const [name] of entities) {
    if (seen.has(name.toLowerCase()))
      throw new SobreError("InvalidArgument", `The configuration has two ${what} named "${name}".`, {
        path: `$..${what}`,
      });
    seen.add(name.toLowerCase());
  }
  return Object.fromEntries(entities);
}

/** Strings, which are kept, and the comments between them. */
const stringsAndComments = /"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g;

/** Blanks out `//` and block comments, so that offsets stay what they were. */
function withoutComments(json: string): string {
  return json.replaceAll(stringsAndComments, (piece) =>
    piece.startsWith('"') ? piece : piece.replaceAll(/[^\n\r]/g, " "),
  );
}
