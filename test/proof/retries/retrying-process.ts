import { messageProperties } from "../../../src/client/client/index.ts";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";

/**
 * Sends messages and handles them with retries until it is killed: `node retrying-process.ts DIRECTORY LIFE [last]`;
 * the last one sends nothing and ends when all are handled. A line says what was `sent ID` and `done ID`.
 */
const [directory = "", life = "", last] = process.argv.slice(2);
const isLast = last !== undefined;
const sends = isLast ? 0 : 20;
const limits = { maxDeliveryCount: 100_000 };
const queues = { plain: limits, dedup: { ...limits, requiresDuplicateDetection: true } };
const engine = await durableEngine({ directory, queues });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
const say = (line: string): void => void writeSync(1, `${line}\n`);

say("open");
for (const queue of Object.keys(queues)) {
  client.startProcessor(
    queue,
    {
      processMessage({ messageId, applicationProperties }) {
        const waited = Number(applicationProperties[messageProperties.delayedRetries] ?? 0);
        if (waited < Number(String(messageId).at(-1)) % 4) throw new Error("transient");
        say(`done ${queue}-${String(messageId)}`);
      },
      processError: ({ errorSource, error }) => {
        if (errorSource !== "handler") console.error(errorSource, error);
      },
    },
    { retries: { immediate: 1, delayed: [10, 20, 30, 40] }, maxConcurrentCalls: 4 },
  );
  const sender = client.createSender(queue);
  for (let count = 0; count < sends; count++) {
    const messageId = `${life}-${count}`;
    await sender.sendMessages({ body: count, messageId });
    say(`sent ${queue}-${messageId}`);
  }
}
while (await isBusy()) await sleep(10);
const dead = await Promise.all(
  Object.keys(queues).map((queue) => engine.peek(`${queue}/$DeadLetterQueue`, { maxMessages: 1 })),
);
for (const [letter] of dead)
  if (letter !== undefined) say(`dead ${String(letter.envelope.brokerProperties.messageId)}`);
await client.close();
await engine.close();

async function isBusy(): Promise<boolean> {
  if (!isLast) return true;
  for (const queue of Object.keys(queues)) if ((await engine.peek(queue, { maxMessages: 1 })).length > 0) return true;
  return false;
}
