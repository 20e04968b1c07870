// Simple request and reply: a queue for requests, a queue of the requester's own for replies.
import { createClient, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({ queues: ["prices", "my-replies"] });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });

client.startResponder("prices", {
  processRequest: ({ body }) => ({ body: { sku: body, cents: 1_250 } }),
  processError: ({ error }) => console.error(error),
});

const requester = client.createRequester("prices", { replyTo: "my-replies" });
const reply = await requester.request({ body: "A-100" }, { timeoutInMs: 5_000 });
console.log(reply.body, reply.correlationId === undefined ? "unmatched" : "matched");

await client.close();

// prints:
// { sku: 'A-100', cents: 1250 } matched
