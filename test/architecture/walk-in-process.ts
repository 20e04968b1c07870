import type { Message } from "../../src/core/codec/message.ts";
import { instrumentSources, printJourney } from "./walk.support.ts";

// Counts how one message walks from a sender through the memory engine to a handler, and how an unreadable one walks to
// the dead-letter queue: `node test/architecture/walk-in-process.ts`.

instrumentSources();
const { createClient, createEnvelope, createSerializer, json, memoryEngine } = await import("../../src/index.ts");

const engine = memoryEngine({ queues: ["walk"] });
const client = createClient({ engine, closeEngine: true, serializer: createSerializer({ codecs: [json()] }) });
const sender = client.createSender("walk");
const message: Message = {
  body: { orderId: 1 },
  contentType: "application/json",
  applicationProperties: { region: "eu" },
};
const unreadable = createEnvelope({
  payload: new TextEncoder().encode("{'orderId': 1}"),
  brokerProperties: { contentType: "application/json" },
});

let arrived = Promise.withResolvers<void>();
const processor = client.startProcessor("walk", {
  processMessage: async () => arrived.resolve(),
  processError: async () => arrived.resolve(),
});
async function walk(send: () => Promise<unknown>): Promise<void> {
  arrived = Promise.withResolvers();
  await send();
  await arrived.promise;
  // The completion of the message is still on its way.
  await new Promise(setImmediate);
}

await printJourney("in process", () => walk(() => sender.sendMessages(message)));
await printJourney("dead letter", () => walk(() => sender.sendEnvelopes(unreadable)));
await processor.close();
await client.close();
