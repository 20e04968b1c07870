import { subscriptionAddress } from "../engine/address.ts";
import type { EngineAdmin, QueueOptions, QueueRuntimeProperties, SubscriptionOptions } from "../engine/admin.ts";
import type { EntityFact } from "./api.ts";

/** Lists the entities of a broker for which `isShown` holds, with their counts, in order of path. */
export async function listEntities(
  admin: EngineAdmin,
  isShown: (path: string) => boolean,
): Promise<readonly EntityFact[]> {
  const entities: EntityFact[] = [];
  for (const name of await admin.listQueues()) {
    if (!isShown(name)) continue;
    const [options, counts] = await Promise.all([admin.getQueue(name), admin.getQueueRuntimeProperties(name)]);
    entities.push(factOf(name, "queue", options, counts));
  }
  for (const topic of await admin.listTopics()) {
    if (!isShown(topic)) continue;
    const [{ status = "Active" }, counts] = await Promise.all([
      admin.getTopic(topic),
      admin.getTopicRuntimeProperties(topic),
    ]);
    const { scheduledMessageCount: scheduled, sizeInBytes } = counts;
    const own = { status, requiresSession: false, active: 0, deadLetter: 0, scheduled, sizeInBytes };
    entities.push({ path: topic, kind: "topic", ...own });
    for (const name of await admin.listSubscriptions(topic)) {
      const [options, runtime] = await Promise.all([
        admin.getSubscription(topic, name),
        admin.getSubscriptionRuntimeProperties(topic, name),
      ]);
      entities.push(factOf(subscriptionAddress(topic, name), "subscription", options, runtime));
    }
  }
  return entities;
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
