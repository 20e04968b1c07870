// Multiplexing: interleaved streams through one queue, separated and kept in order by session.
import { createClient, createSerializer, json, memoryEngine } from "sobre";

const engine = memoryEngine({ queues: { readings: { requiresSession: true } } });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });

const sender = client.createSender("readings");
for (const value of [1, 2, 3]) {
  await sender.sendMessages(["kitchen", "cellar"].map((sessionId) => ({ sessionId, body: value })));
}

const streams = new Map<string, unknown[]>();
let resolve = (): void => undefined;
const done = new Promise<void>((end) => (resolve = end));
let count = 0;
client.startSessionProcessor(
  "readings",
  {
    processMessage({ body }, { session }) {
      streams.set(session.sessionId, [...(streams.get(session.sessionId) ?? []), body]);
      if (++count === 6) resolve();
    },
    processError: ({ error }) => console.error(error),
  },
  { maxConcurrentSessions: 2 },
);
await done;
console.log(Object.fromEntries([...streams].toSorted(([a], [b]) => a.localeCompare(b))));

await client.close();

// prints:
// { cellar: [ 1, 2, 3 ], kitchen: [ 1, 2, 3 ] }
