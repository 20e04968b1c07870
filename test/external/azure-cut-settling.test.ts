import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { expect, it } from "vitest";
import { startServer } from "../../src/serve/server/index.ts";
import { next } from "./azure-scenario.support.ts";

it("the official client takes no confirmation for that of a message from before a cut", async () => {
  await using server = await startServer({ queues: ["q"], control: true });
  const client = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 2, timeoutInMs: 4000 } });
  const sender = client.createSender("q");
  const receiver = client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 });
  await sender.sendMessages({ body: "before" });
  const before = await next(receiver);
  const cut = await fetch(`http://localhost:${server.port}/$control/faults`, {
    method: "POST",
    body: JSON.stringify({ kind: "cut" }),
  });
  expect(cut.status).toBe(204);
  await sender.sendMessages({ body: "behind" });
  const behind = await next(receiver);

  const completed: string[] = [];
  const complete = async (message: ServiceBusReceivedMessage): Promise<void> => {
    await receiver.completeMessage(message).then(
      () => completed.push(String(message.body)),
      () => undefined,
    );
  };
  const both = [behind, before].map(complete);
  await Promise.race(both);

  // The broker has not been asked about the other one, whose link is gone: the client may wait for that, or give up.
  expect(completed).toEqual(["behind"]);
  const left = await server.engine.peek("q", { maxMessages: 10 });
  expect(left).toHaveLength(1);
  await client.close();
}, 30_000);
