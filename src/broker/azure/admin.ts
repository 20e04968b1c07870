import { subscriptionAddress, checkEntityName } from "../../core/engine/address.ts";
import { checkEntity } from "../../core/engine/arguments.ts";
import { anObject, checkOption } from "../../core/options/option-checks.ts";
import { checkRule, checkRules } from "../../core/engine/check-rule.ts";
import type {
  EngineAdmin,
  EntityTimes,
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
  TopicOptions,
  TopicRuntimeProperties,
} from "../../core/engine/admin.ts";
import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type DescribedEntity, readDescription, writeDescription } from "../../wire/http/atom-description.ts";
import { readRule, writeRule } from "../../wire/http/atom-rule.ts";
import { child, type HttpXmlElement } from "../../wire/http/xml.ts";
import type { AtomClient } from "./atom-client.ts";

type Options = QueueOptions & TopicOptions & SubscriptionOptions;

/** Manages a broker's entities over Atom; `enter` throws when the connection is closed. */
export function atomAdmin(atom: AtomClient, enter: () => void): EngineAdmin {
  const ask = async <T>(operation: () => Promise<T>): Promise<T> => {
    enter();
    return operation();
  };
  const exists = (what: DescribedEntity, path: string): Promise<boolean> =>
    ask(async () => (await read(atom, what, path).catch(absent)) !== undefined);
  const names = (path: string): Promise<readonly string[]> =>
    ask(async () => (await atom.list(path)).map(({ name }) => name));
  const write = async (
    what: DescribedEntity,
    path: string,
    options: Options,
    mode: "create" | "update",
  ): Promise<void> => {
    const { maxMessageSizeInBytes = 0 } = options;
    if (maxMessageSizeInBytes % 1024 !== 0)
      throw new SobreError("InvalidArgument", "maxMessageSizeInBytes must be a multiple of 1,024.", {
        path: "$.maxMessageSizeInBytes",
      });
    await atom.write(path, what, writeDescription(what, options, undefined), mode);
  };
  const update = (what: DescribedEntity, path: string, options: Options): Promise<void> =>
    ask(async () => {
      checkOption("options", options, anObject);
      const before = readDescription(what, await read(atom, what, path));
      // The service resets settings that an update leaves out to their defaults.
      return write(what, path, { ...before, ...givenOptions(options) }, "update");
    });
  return {
    createQueue: (name, options = {}) =>
      ask(async () => {
        checkEntityName(name);
        queueSettings(options);
        return write("Queue", name, options, "create");
      }),
    getQueue: (name) => ask(async () => readDescription("Queue", await read(atom, "Queue", name))),
    updateQueue: (name, options) => update("Queue", name, options),
    deleteQueue: (name) => ask(() => removeEntity(atom, "Queue", name)),
    queueExists: (name) => exists("Queue", name),
    listQueues: () => names("$Resources/Queues"),
    getQueueRuntimeProperties: (name) => ask(async () => countsOf(name, await read(atom, "Queue", name))),

    createTopic: (name, options = {}) =>
      ask(async () => {
        checkEntityName(name);
        topicSettings(options);
        return write("Topic", name, options, "create");
      }),
    getTopic: (name) => ask(async () => readDescription("Topic", await read(atom, "Topic", name))),
    updateTopic: (name, options) => update("Topic", name, options),
    deleteTopic: (name) => ask(() => removeEntity(atom, "Topic", name)),
    topicExists: (name) => exists("Topic", name),
    listTopics: () => names("$Resources/Topics"),
    getTopicRuntimeProperties: (name) => ask(async () => topicCountsOf(name, await read(atom, "Topic", name))),

    createSubscription: (topic, name, options = {}) => ask(() => createSubscription(atom, topic, name, options)),
    getSubscription: (topic, name) =>
      ask(async () =>
        readDescription("Subscription", await read(atom, "Subscription", subscriptionAddress(topic, name))),
      ),
    updateSubscription: async (topic, name, options) =>
      update("Subscription", subscriptionAddress(topic, name), options),
    deleteSubscription: (topic, name) => ask(() => atom.remove(subscriptionAddress(topic, name))),
    subscriptionExists: async (topic, name) => exists("Subscription", subscriptionAddress(topic, name)),
    listSubscriptions: (topic) => names(`${topic}/Subscriptions`),
    getSubscriptionRuntimeProperties: (topic, name) =>
      ask(async () => countsOf(name, await read(atom, "Subscription", subscriptionAddress(topic, name)))),

    createRule: (topic, subscription, name, rule) =>
      ask(() => writeOne(atom, subscriptionAddress(topic, subscription), checkRule(name, rule))),
    deleteRule: (topic, subscription, name) =>
      ask(async () => {
        checkEntity(name);
        await atom.remove(`${subscriptionAddress(topic, subscription)}/Rules/${name}`);
      }),
    listRules: (topic, subscription) =>
      ask(async () => {
        const entries = await atom.list(`${subscriptionAddress(topic, subscription)}/Rules`);
        return entries.map(({ name, description }) => ({ name, ...readRule(description) }));
      }),
  };
}

/** Options that are given; `undefined` is not. */
const givenOptions = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** The description of an entity. @throws SobreError `MessagingEntityNotFound` when it does not exist. */
async function read(atom: AtomClient, what: DescribedEntity, path: string): Promise<HttpXmlElement> {
  checkEntity(path);
  const description = await atom.read(path);
  if (description.name === `${what}Description`) return description;
  throw new SobreError(
    "MessagingEntityNotFound",
    `The messaging entity '${path}' could not be found: it is not a ${what}.`,
  );
}

function absent(error: unknown): undefined {
  if (!(error instanceof SobreError) || error.code !== "MessagingEntityNotFound") throw error;
}

/** Queues and topics share their names: check that the entity to delete is of the right kind. */
async function removeEntity(atom: AtomClient, what: DescribedEntity, name: string): Promise<void> {
  await read(atom, what, name);
  await atom.remove(name);
}

async function createSubscription(
  atom: AtomClient,
  topic: string,
  name: string,
  { rules, ...options }: SubscriptionOptions,
): Promise<void> {
  subscriptionSettings(options);
  const path = subscriptionAddress(topic, name);
  const [first, ...others] = checkRules(rules ?? []);
  const rule = first === undefined ? "" : `<DefaultRuleDescription>${writeRule(first)}</DefaultRuleDescription>`;
  await atom.write(path, "Subscription", `${writeDescription("Subscription", options, undefined)}${rule}`, "create");
  if (rules?.length === 0) await atom.remove(`${path}/Rules/$Default`);
  try {
    for (const one of others) await writeOne(atom, path, one);
  } catch (error) {
    await atom.remove(path);
    throw error;
  }
}

async function writeOne(atom: AtomClient, subscription: string, rule: RuleProperties): Promise<void> {
  // In Atom this is an action that does nothing.
  if (rule.action?.expression.trim() === "")
    throw new SobreError("InvalidArgument", "The SQL action is empty. Omit it.", { path: "$.action", offset: 0 });
  await atom.write(`${subscription}/Rules/${rule.name}`, "Rule", writeRule(rule), "create");
}

function countsOf(name: string, description: HttpXmlElement): QueueRuntimeProperties {
  const details = child(description, "CountDetails");
  return {
    name,
    activeMessageCount: count(details, "ActiveMessageCount"),
    deadLetterMessageCount: count(details, "DeadLetterMessageCount"),
    scheduledMessageCount: count(details, "ScheduledMessageCount"),
    transferDeadLetterMessageCount: count(details, "TransferDeadLetterMessageCount"),
    totalMessageCount: count(description, "MessageCount"),
    sizeInBytes: count(description, "SizeInBytes"),
    ...timesOf(description),
  };
}

const topicCountsOf = (name: string, description: HttpXmlElement): TopicRuntimeProperties => ({
  name,
  subscriptionCount: count(description, "SubscriptionCount"),
  sqlFilterCount: count(description, "SqlFilterCount"),
  correlationFilterCount: count(description, "CorrelationFilterCount"),
  scheduledMessageCount: count(child(description, "CountDetails"), "ScheduledMessageCount"),
  sizeInBytes: count(description, "SizeInBytes"),
  ...timesOf(description),
});

const timesOf = (description: HttpXmlElement): EntityTimes => ({
  createdAt: time(description, "CreatedAt"),
  modifiedAt: time(description, "UpdatedAt"),
  accessedAt: time(description, "AccessedAt"),
});

const time = (of: HttpXmlElement, element: string): Date => new Date(child(of, element)?.text ?? Number.NaN);

const count = (of: HttpXmlElement | undefined, element: string): number => Number(child(of, element)?.text ?? 0);
