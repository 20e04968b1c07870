import { describe, expect, it } from "vitest";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { serveAzure } from "./served.support.ts";

describe("the administration over Atom", () => {
  it("shows what topics hold and when entities were created, changed and used, as the engine behind it does", async () => {
    const served = await serveAzure({ queues: ["q"], topics: { t: { subscriptions: ["s"] } } });
    const { engine, server, clock } = served;
    const scheduledEnqueueTimeUtc = new Date(clock.now() + 60_000);
    await clock.advance(1000);
    await engine.schedule("t", [
      createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { scheduledEnqueueTimeUtc } }),
    ]);
    await clock.advance(1000);
    await engine.admin.updateQueue("q", { maxDeliveryCount: 3 });

    const both = [engine.admin, server.engine.admin].map((admin) =>
      Promise.all([
        admin.getTopicRuntimeProperties("t"),
        admin.getQueueRuntimeProperties("q"),
        admin.getSubscriptionRuntimeProperties("t", "s"),
      ]),
    );
    const [[topic, queue, subscription] = [], [ownTopic, ownQueue, ownSubscription] = []] = await Promise.all(both);
    await served.close();

    expect(topic).toEqual(ownTopic);
    expect(queue).toEqual(ownQueue);
    expect(subscription).toEqual(ownSubscription);
    expect(topic).toMatchObject({ subscriptionCount: 1, scheduledMessageCount: 1 });
    expect((queue?.modifiedAt.getTime() ?? 0) - (queue?.createdAt.getTime() ?? 0)).toBe(2000);
  });
});
