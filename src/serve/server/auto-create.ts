import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { FirstUse } from "./amqp/served-connection.ts";

/** Creates the queue, or the topic and subscription, of an address as its first use requires, unless they exist. */
export async function autoCreate(engine: Engine, entity: string, use?: FirstUse): Promise<string | undefined> {
  const [, topic, subscription] = /^(.+)\/subscriptions\/([^/]+)$/i.exec(entity) ?? [];
  const { admin } = engine;
  if (topic === undefined || subscription === undefined) {
    if ((await admin.queueExists(entity)) || (await admin.topicExists(entity))) return undefined;
    return made(entity, admin.createQueue(entity, use));
  }
  if (!(await admin.topicExists(topic))) await made(topic, admin.createTopic(topic));
  if (await admin.subscriptionExists(topic, subscription)) return undefined;
  return made(entity, admin.createSubscription(topic, subscription, use));
}

/** Another link may have created it first. */
async function made(entity: string, creation: Promise<void>): Promise<string | undefined> {
  try {
    await creation;
    return entity;
  } catch (error) {
    if (error instanceof SobreError && error.code === "MessagingEntityAlreadyExists") return undefined;
    throw error;
  }
}
