// Re-drive: what nobody could read waits in the dead-letter queue, is repaired there and goes back to where it was.
import { amend, createClient, createEnvelope, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({ queues: ["orders"] });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
const orders = client.createReceiver("orders", { onUnreadable: "dead-letter" });

// A sender forgot the closing bracket.
const payload = new TextEncoder().encode('{"id":7');
const broken = createEnvelope({ payload, brokerProperties: { contentType: "application/json", messageId: "order-7" } });
await client.createSender("orders").sendEnvelopes(broken);
console.log("received:", (await orders.receiveMessages(1)).length);

const deadLetters = "orders/$DeadLetterQueue";
const { entries } = await client.redrive(deadLetters, { dryRun: true });
console.log("there:", entries[0]?.messageId, entries[0]?.deadLetterReason);

const report = await client.redrive(deadLetters, {
  // It is sent before it is taken from the dead-letter queue, so that nothing is lost in between.
  repair: (envelope) => amend(envelope, { payload: new Uint8Array([...envelope.payload, 0x7d]) }),
});
console.log("sent back:", report.sent, "failed:", report.failed);

for (const message of await orders.receiveMessages(1)) {
  console.log("received:", message.body, "after", message.applicationProperties["sobre-redrives"], "re-drive");
  await orders.completeMessage(message);
}
await client.close();

// prints:
// received: 0
// there: order-7 Unreadable
// sent back: 1 failed: 0
// received: { id: 7 } after 1 re-drive
