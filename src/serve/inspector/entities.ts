import { parseAddress, subQueueSuffix, subscriptionAddress } from "../../core/engine/address.ts";
import type {
  EngineAdmin,
  QueueOptions,
  QueueRuntimeProperties,
  SubscriptionOptions,
} from "../../core/engine/admin.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { EntityDetail, EntitySummary } from "./api.ts";

/** Lists the entities of a broker for which `isShown` holds, with their counts, in order of path. */
export async function listEntities(
  engine: Engine,
  isShown: (path: string) => boolean,
): Promise<readonly EntitySummary[]> {
  const { admin } = engine;
  const entities: EntitySummary[] = [];
  for (const name of await admin.listQueues())
    if (isShown(name)) entities.push(...(await unlessGone(() => queueFacts(admin, name))));
  for (const topic of await admin.listTopics())
    if (isShown(topic)) entities.push(...(await unlessGone(() => topicFacts(admin, topic))));
  if (engine.capabilities.inspect.level === "refused") return entities;
  return Promise.all(entities.map((entity) => inspected(engine, entity)));
}

/** Dead letters whose reasons are counted. */
const maxCountedDeadLetters = 1000;

/** Reasons that are shown. */
const maxReasons = 3;

/** The entity in detail, and its active messages without the deferred ones; as it is when it was deleted since. */
async function inspected({ inspection }: Engine, entity: EntitySummary): Promise<EntitySummary> {
  const { path, kind, deadLetter } = entity;
  const deadLetters = `${path}${subQueueSuffix.deadLetter}`;
  const [found = entity] = await unlessGone(async () => {
    const { active, deferred, locked, oldestEnqueuedTimeUtc: oldest } = await inspection.counts(path);
    const own = { deferred, locked, oldest: oldest?.toISOString() ?? null, oldestDeadLetter: null, reasons: [] };
    if (kind === "topic" || deadLetter === 0) return [{ ...entity, active, detail: own }];
    const { oldestEnqueuedTimeUtc: oldestDead } = await inspection.counts(deadLetters);
    const { sums } = await inspection.deadLetters(deadLetters, { maxMessages: maxCountedDeadLetters });
    const reasons = sums.slice(0, maxReasons).map(({ reason = "", count }) => ({ reason, count }));
    const detail: EntityDetail = { ...own, oldestDeadLetter: oldestDead?.toISOString() ?? null, reasons };
    return [{ ...entity, active, detail }];
  });
  return found;
}

/** The messages of a dead-letter queue; `null` where the broker does not count them. */
export async function messageCountOf(engine: Engine, address: string): Promise<number | null> {
  try {
    if (engine.capabilities.inspect.level !== "refused") return (await engine.inspection.counts(address)).active;
    const { name, subQueue } = parseAddress(address);
    if (subQueue !== "deadLetter") return null;
    const [topic = "", subscription] = name.split(/\/subscriptions\//i);
    const { admin } = engine;
    const counts =
      subscription === undefined
        ? await admin.getQueueRuntimeProperties(name)
        : await admin.getSubscriptionRuntimeProperties(topic, subscription);
    return counts.deadLetterMessageCount;
  } catch {
    return null;
  }
}

async function queueFacts(admin: EngineAdmin, name: string): Promise<readonly EntitySummary[]> {
  const [options, counts] = await Promise.all([admin.getQueue(name), admin.getQueueRuntimeProperties(name)]);
  return [factOf(name, "queue", options, counts)];
}

/** The topic and its subscriptions. */
async function topicFacts(admin: EngineAdmin, topic: string): Promise<readonly EntitySummary[]> {
  const [{ status = "Active" }, counts] = await Promise.all([
    admin.getTopic(topic),
    admin.getTopicRuntimeProperties(topic),
  ]);
  const { scheduledMessageCount: scheduled, sizeInBytes } = counts;
  const own = {
    status,
    requiresSession: false,
    active: 0,
    deadLetter: 0,
    scheduled,
    transferDeadLetter: 0,
    sizeInBytes,
  };
  const facts: EntitySummary[] = [{ path: topic, kind: "topic", ...own, detail: null }];
  for (const name of await admin.listSubscriptions(topic))
    facts.push(...(await unlessGone(() => subscriptionFacts(admin, topic, name))));
  return facts;
}

async function subscriptionFacts(admin: EngineAdmin, topic: string, name: string): Promise<readonly EntitySummary[]> {
  const [options, counts] = await Promise.all([
    admin.getSubscription(topic, name),
    admin.getSubscriptionRuntimeProperties(topic, name),
  ]);
  return [factOf(subscriptionAddress(topic, name), "subscription", options, counts)];
}

/** None for an entity that was deleted since it was listed. */
async function unlessGone<T>(facts: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await facts();
  } catch (error) {
    if (error instanceof SobreError && error.code === "MessagingEntityNotFound") return [];
    throw error;
  }
}

const factOf = (
  path: string,
  kind: "queue" | "subscription",
  { status = "Active", requiresSession = false }: QueueOptions | SubscriptionOptions,
  counts: QueueRuntimeProperties,
): EntitySummary => ({
  path,
  kind,
  status,
  requiresSession,
  active: counts.activeMessageCount,
  deadLetter: counts.deadLetterMessageCount,
  scheduled: counts.scheduledMessageCount,
  transferDeadLetter: counts.transferDeadLetterMessageCount,
  sizeInBytes: counts.sizeInBytes,
  detail: null,
});
