import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, startServer } from "../../src/serve/server/index.ts";

describe("the official client", () => {
  let server: Server;
  let client: ServiceBusClient;

  beforeAll(async () => {
    server = await startServer({ queues: ["q"] });
    client = new ServiceBusClient(server.connectionString);
  });

  afterAll(async () => {
    await client.close();
    await server.close();
  });

  it("sends, receives and completes", async () => {
    await client
      .createSender("q")
      .sendMessages({ body: { hello: 1 }, messageId: "1", applicationProperties: { a: 1 } });
    const receiver = client.createReceiver("q");

    const [message] = await receiver.receiveMessages(1);
    if (message !== undefined) await receiver.completeMessage(message);

    expect(message?.body).toEqual({ hello: 1 });
    expect(message?.messageId).toBe("1");
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });
});
