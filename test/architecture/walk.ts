import { ServiceBusClient } from "@azure/service-bus";
import { instrumentSources, printJourney } from "./walk.support.ts";

// Counts how one message of the official client walks through the server: `node test/architecture/walk.ts`.

instrumentSources();
const { startServer } = await import("../../src/serve/server/index.ts");
await using server = await startServer({ queues: ["walk"] });
const client = new ServiceBusClient(server.connectionString);
const sender = client.createSender("walk");
const receiver = client.createReceiver("walk");

await printJourney("served", async () => {
  await sender.sendMessages({
    body: { orderId: 1 },
    contentType: "application/json",
    applicationProperties: { region: "eu" },
  });
  const [message] = await receiver.receiveMessages(1);
  if (message === undefined) throw new Error("The message did not come back.");
  await receiver.completeMessage(message);
});
await client.close();
