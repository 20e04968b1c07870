import { durableEngine } from "../../../src/broker/durable/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { count } from "./million.ts";

/**
 * `node --expose-gc million-process.ts fill|start DIRECTORY` sends the messages to an engine in a directory, or starts
 * one on them, and prints as JSON the bytes that this takes; `milliseconds` are those of the start.
 */
const [what = "", directory = ""] = process.argv.slice(2);
const before = used();
const start = performance.now();
const engine = await durableEngine({ directory, queues: { q: { maxSizeInMegabytes: 1_000_000 } } });
const milliseconds = performance.now() - start;
if (what === "fill") await fill();
const resident = process.memoryUsage.rss();
const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("q");
if (totalMessageCount !== count) throw new Error(`There are ${totalMessageCount} messages.`);
console.log(JSON.stringify({ milliseconds, resident, perMessage: (used() - before) / count }));
await engine.close();

async function fill(): Promise<void> {
  const sender = await engine.openSender("q");
  const batch = 100;
  for (let sent = 0; sent < count; sent += batch * 8)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        sender.send(Array.from({ length: batch }, (_message, place) => message(sent + index * batch + place))),
      ),
    );
}

/** A message with its own bytes. */
function message(number: number): ReturnType<typeof createEnvelope> {
  const payload = new Uint8Array(1024).fill(number);
  return createEnvelope({ payload, brokerProperties: { messageId: String(number) } });
}

/** Bytes that this process has in use after a collection. */
function used(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
