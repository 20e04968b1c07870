// Multiplexed request and reply: many requesters share one queue for replies, each with its own session.
import { createClient, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({ queues: { squares: {}, replies: { requiresSession: true } } });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });

client.startResponder("squares", {
  processRequest: ({ body }) => ({ body: Number(body) ** 2 }),
  processError: ({ error }) => console.error(error),
});

// The session is accepted before the request goes out, so that no reply can come too early.
const one = client.createRequester("squares", { replyTo: "replies", replyToSessionId: true });
const other = client.createRequester("squares", { replyTo: "replies", replyToSessionId: true });
const replies = await Promise.all([one.request({ body: 3 }), other.request({ body: 4 })]);
console.log(replies.map(({ body }) => body));
console.log(replies.every(({ sessionId }, index) => sessionId === [one, other][index]?.replyToSessionId));

await client.close();

// prints:
// [ 9, 16 ]
// true
