import type { Calls } from "./calls.ts";
import { arrived, effect, gone, merged } from "./known.ts";

/** Creates, changes and deletes a queue with messages. */
export async function manageQueue(calls: Calls): Promise<void> {
  const { admin } = calls.engine;
  const address = `extra-${calls.name}-${calls.next()}`;
  const entity = `entity ${address}`;
  await calls.call("create a queue", { [entity]: "one" }, () => admin.createQueue(address, { userMetadata: "one" }));
  const messages = [calls.message(), calls.message()];
  const known = messages.map((message) => arrived(address, message));
  const sender = await calls.engine.openSender(address);
  const effects = merged(known.map((one) => effect(one, {})));
  await calls.call("send", effects, () => sender.send(messages));
  await calls.call("update a queue", { [entity]: "two" }, () => admin.updateQueue(address, { userMetadata: "two" }));
  if (admin.clear !== undefined && calls.random.chance(0.5))
    await calls.call("clear a queue", gone(...known), async () => admin.clear?.(address));
  await calls.call("delete a queue", { [entity]: "", ...gone(...known) }, () => admin.deleteQueue(address));
}

/** Creates, changes and deletes a topic with a subscription, a rule and a message. */
export async function manageTopic(calls: Calls): Promise<void> {
  const { admin } = calls.engine;
  const topic = `topic-${calls.name}-${calls.next()}`;
  const address = `${topic}/Subscriptions/all`;
  const [ofTopic, ofSubscription, rule] = [`entity ${topic}`, `entity ${address}`, `rule ${address} big`];
  await calls.call("create a topic", { [ofTopic]: "one" }, () => admin.createTopic(topic, { userMetadata: "one" }));
  await calls.call("create a subscription", { [ofSubscription]: "one" }, () =>
    admin.createSubscription(topic, "all", { userMetadata: "one" }),
  );
  const expression = `size > ${calls.next()}`;
  await calls.call("create a rule", { [rule]: expression }, () =>
    admin.createRule(topic, "all", "big", { filter: { kind: "sql", expression } }),
  );
  const message = calls.message();
  const one = arrived(address, message);
  const sender = await calls.engine.openSender(topic);
  await calls.call("send to a topic", effect(one, {}), () => sender.send([message]));
  await calls.call("update a topic", { [ofTopic]: "two" }, () => admin.updateTopic(topic, { userMetadata: "two" }));
  await calls.call("update a subscription", { [ofSubscription]: "two" }, () =>
    admin.updateSubscription(topic, "all", { userMetadata: "two" }),
  );
  await calls.call("delete a rule", { [rule]: "" }, () => admin.deleteRule(topic, "all", "big"));
  const removed = { [ofSubscription]: "", ...gone(one) };
  if (calls.random.chance(0.5))
    await calls.call("delete a subscription", removed, () => admin.deleteSubscription(topic, "all"));
  await calls.call("delete a topic", { [ofTopic]: "", ...removed }, () => admin.deleteTopic(topic));
}
