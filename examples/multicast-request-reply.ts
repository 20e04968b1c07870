// Multicast request and reply: a request to a topic, a reply from every subscription that has something to say.
import { createClient, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({
  queues: ["my-replies"],
  topics: { "who-has": { subscriptions: ["madrid", "lyon", "oslo"] } },
});
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });

const stock = { madrid: 3, lyon: 0, oslo: 12 };
for (const [town, quantity] of Object.entries(stock)) {
  client.startResponder(`who-has/Subscriptions/${town}`, {
    processRequest: () => (quantity > 0 ? { body: { town, quantity } } : undefined),
    processError: ({ error }) => console.error(error),
  });
}

const offers: unknown[] = [];
for await (const { body } of client.requestMany(
  "who-has",
  { body: "A-100" },
  { replyTo: "my-replies", timeoutInMs: 5_000, maxReplies: 2 },
)) {
  offers.push(body);
}
console.log(offers);

await client.close();

// prints:
// [ { town: 'madrid', quantity: 3 }, { town: 'oslo', quantity: 12 } ]
