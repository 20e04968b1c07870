// An idempotent handler: completing fails, the message is redelivered, and the work is not done twice.
import { createClient, createSerializer, idempotent, json, memoryInbox } from "sobre";
import { testEngine } from "sobre/testing";

const { engine, clock, faults } = testEngine({ queues: ["payments"] });
const client = createClient({ engine, clock, serializer: createSerializer({ codecs: [json()] }) });

client.startProcessor("payments", {
  processMessage: idempotent(memoryInbox(), ({ body, deliveryCount }) => {
    console.log("paid", body, "on delivery", deliveryCount + 1);
  }),
  processError: ({ errorSource, code }) => console.log("failed:", errorSource, code),
});

faults.loseLock();
await client.createSender("payments").sendMessages({ messageId: "invoice-1", body: 99 });
await clock.advance(0);
console.log("left:", (await client.createReceiver("payments").peekMessages(1)).length);

await client.close();

// prints:
// paid 99 on delivery 1
// failed: settle MessageLockLost
// left: 0
