import { type ServiceBusReceivedMessage, ServiceBusClient } from "@azure/service-bus";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startServer } from "../../../src/serve/server/index.ts";
import { counting } from "./fast-paths.support.ts";

describe("the fast paths of frames and messages", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are taken by at least 95 of 100 frames of the official client, sending and receiving, settling one by one and in bulk", async () => {
    await using server = await startServer({ queues: ["q"] });
    const client = new ServiceBusClient(server.connectionString);
    const sender = client.createSender("q");
    const receiver = client.createReceiver("q");
    const take = async (count: number): Promise<ServiceBusReceivedMessage[]> => {
      const taken: ServiceBusReceivedMessage[] = [];
      while (taken.length < count) taken.push(...(await receiver.receiveMessages(count - taken.length)));
      return taken;
    };
    const hits = counting();

    for (let index = 0; index < 60; index++)
      await sender.sendMessages({
        body: { index },
        contentType: "application/json",
        applicationProperties: { region: "eu" },
        ...(index % 2 === 0 ? { messageId: `${index}`, subject: "one", correlationId: "c" } : {}),
      });
    for (const message of await take(30)) await receiver.completeMessage(message);
    await Promise.all((await take(30)).map((message) => receiver.completeMessage(message)));
    await sender.sendMessages(Array.from({ length: 60 }, (_, index) => ({ body: Buffer.from(`${index}`) })));
    await Promise.all((await take(60)).map((message) => receiver.completeMessage(message)));

    const { transfers, dispositions, deliveries } = hits();
    expect(transfers.all).toBeGreaterThan(60);
    // That client joins what it settles in one turn.
    expect(dispositions.all).toBeGreaterThanOrEqual(32);
    expect(deliveries.all).toBe(120);
    for (const { short, all } of [transfers, dispositions, deliveries])
      expect(short / all).toBeGreaterThanOrEqual(0.95);
    await client.close();
  });
});
