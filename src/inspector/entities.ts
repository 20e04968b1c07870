import { subscriptionAddress } from "../engine/address.ts";
import type { EngineAdmin, QueueOptions, QueueRuntimeProperties, SubscriptionOptions } from "../engine/admin.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { EntityFact } from "./api.ts";

/** Lists the entities of a broker for which `isShown` holds, with their counts, in order of path. */
export async function listEntities(
  admin: EngineAdmin,
  isShown: (path: string) => boolean,
): Promise<readonly EntityFact[]> {
  const entities: EntityFact[] = [];
  for (const name of await admin.listQueues())
    if (isShown(name)) entities.push(...(await unlessGone(() => queueFacts(admin, name))));
  for (const topic of await admin.listTopics())
    if (isShown(topic)) entities.push(...(await unlessGone(() => topicFacts(admin, topic))));
  return entities;
}

async function queueFacts(admin: EngineAdmin, name: string): Promise<readonly EntityFact[]> {
  const [options, counts] = await Promise.all([admin.getQueue(name), admin.getQueueRuntimeProperties(name)]);
  return [factOf(name, "queue", options, counts)];
}

/** The topic and its subscriptions. */
async function topicFacts(admin: EngineAdmin, topic: string): Promise<readonly EntityFact[]> {
  const [{ status = "Active" }, counts] = await Promise.all([
    admin.getTopic(topic),
    admin.getTopicRuntimeProperties(topic),
  ]);
  const { scheduledMessageCount: scheduled, sizeInBytes } = counts;
  const own = { status, requiresSession: false, active: 0, deadLetter: 0, scheduled, sizeInBytes };
  const facts: EntityFact[] = [{ path: topic, kind: "topic", ...own }];
  for (const name of await admin.listSubscriptions(topic))
    facts.push(...(await unlessGone(() => subscriptionFacts(admin, topic, name))));
  return facts;
}

async function subscriptionFacts(admin: EngineAdmin, topic: string, name: string): Promise<readonly EntityFact[]> {
  const [options, counts] = await Promise.all([
    admin.getSubscription(topic, name),
    admin.getSubscriptionRuntimeProperties(topic, name),
  ]);
  return [factOf(subscriptionAddress(topic, name), "subscription", options, counts)];
}

/** None for an entity that was deleted since it was listed. */
async function unlessGone(facts: () => Promise<readonly EntityFact[]>): Promise<readonly EntityFact[]> {
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
): EntityFact => ({
  path,
  kind,
  status,
  requiresSession,
  active: counts.activeMessageCount,
  deadLetter: counts.deadLetterMessageCount,
  scheduled: counts.scheduledMessageCount,
  sizeInBytes: counts.sizeInBytes,
});
