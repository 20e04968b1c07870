import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { engineKinds, openScene, type Scene } from "./azure-scenario.support.ts";

const bodies = (messages: readonly ServiceBusReceivedMessage[]): readonly unknown[] => messages.map(({ body }) => body);

describe.each(engineKinds)(
  "the official client, when an entity of a %s engine is deleted and created again",
  (kind) => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(kind);
    });
    afterAll(() => scene.close());

    it("goes on with its sender, and with a receiver that has not asked for messages meanwhile", async () => {
      const { client, engine } = await scene.open({ queues: ["q"] });
      const [sender, receiver] = [client.createSender("q"), client.createReceiver("q")];
      await sender.sendMessages({ body: "old" });
      expect(bodies(await receiver.receiveMessages(1))).toEqual(["old"]);

      await engine.admin.deleteQueue("q");
      await engine.admin.createQueue("q");

      // A send that the client has written before it reads the end of its link would wait for its own time-out.
      await vi.waitFor(() => receiver.peekMessages(1), { timeout: 10_000 });
      await sender.sendMessages({ body: "new" });
      expect(bodies(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }))).toEqual(["new"]);
    });

    it("goes on with schedules, peeks and rules", async () => {
      const { client, engine } = await scene.open({ topics: { t: { subscriptions: { s: {} } } } });
      const sender = client.createSender("t");
      const receiver = client.createReceiver("t", "s");
      const rules = client.createRuleManager("t", "s");
      const later = new Date(Date.now() + 3_600_000);
      const all = async (): Promise<readonly number[]> => [
        (await sender.scheduleMessages({ body: "later" }, later)).length,
        (await receiver.peekMessages(1)).length,
        (await Array.fromAsync(rules.listRules())).length,
      ];
      expect(await all()).toEqual([1, 0, 1]);

      await engine.admin.deleteTopic("t");
      await engine.admin.createTopic("t");
      await engine.admin.createSubscription("t", "s");

      await vi.waitFor(async () => expect(await all()).toEqual([1, 0, 1]), { timeout: 10_000 });
    });

    it("learns at once that the session it holds is gone", async () => {
      const { client, engine } = await scene.open({ queues: { q: { requiresSession: true } } });
      const session = await client.acceptSession("q", "one");

      await engine.admin.deleteQueue("q");
      await engine.admin.createQueue("q", { requiresSession: true });

      await vi.waitFor(() => expect(session.isClosed).toBe(true), { timeout: 5000 }).catch(() => undefined);
      await expect(session.receiveMessages(1, { maxWaitTimeInMs: 1000 })).rejects.toThrow();
      const again = await client.acceptSession("q", "one");
      await again.setSessionState("new");
      expect(await again.getSessionState()).toBe("new");
    });
  },
);
