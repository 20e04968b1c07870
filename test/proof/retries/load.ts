import { messageProperties } from "../../../src/client/client/index.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const total = 100_000;
const wave = 5_000;
const delay = 10_000;
/** Milliseconds of one advance: a delayed message may come so much later. */
const turn = 100;

/**
 * 100,000 messages of which a fifth fail once: all are handled, the delayed ones within 10 % of their time, and memory
 * is the same after the last as after the first.
 */
export async function loaded(detectsDuplicates: boolean): Promise<string> {
  const clock = new ManualClock();
  // Ids are remembered for the window, and are not what is measured here.
  const dedup = { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: delay } as const;
  const engine = memoryEngine({ clock, queues: { orders: detectsDuplicates ? dedup : {} } });
  const client = createClient({ engine, clock, serializer: createSerializer({ codecs: [json()] }) });
  const failedAt = new Map<number, number>();
  const handled = new Uint8Array(total);
  let left = total;
  let latest = 0;
  const processor = client.startProcessor(
    "orders",
    {
      processMessage({ body, applicationProperties }) {
        const number = Number(body);
        const before = failedAt.get(number);
        if (number % 5 === 0 && applicationProperties[messageProperties.delayedRetries] === undefined) {
          failedAt.set(number, clock.now());
          throw new Error("transient");
        }
        if (before !== undefined) latest = Math.max(latest, Math.abs(clock.now() - before - delay));
        failedAt.delete(number);
        const times = (handled[number] ?? 0) + 1;
        handled[number] = times;
        if (times > 1) throw new Error(`Message ${number} was handled again.`);
        left--;
      },
      processError: () => undefined,
    },
    { retries: { delayed: [delay] }, maxConcurrentCalls: 16 },
  );
  const sender = client.createSender("orders");
  const heaps: number[] = [];
  for (const first of Array.from({ length: total / wave }, (_, number) => number * wave)) {
    await sender.sendMessages(Array.from({ length: wave }, (_, index) => ({ body: first + index })));
    const until = clock.now() + 10 * delay;
    const isBusy = (): boolean => left > total - first - wave && clock.now() < until;
    while (isBusy()) await clock.advance(turn);
    // Ids leave the window of duplicates.
    await clock.advance(2 * delay);
    heaps.push(heapUsed());
  }
  await processor.close();
  await engine.close();
  const [, after = NaN, ...others] = heaps;
  const grown = (others.at(-1) ?? NaN) / after;
  if (left > 0) throw new Error(`${left} of ${total} messages were not handled.`);
  if (latest > delay / 10) throw new Error(`A delayed message came ${latest} ms from its time, of ${delay} ms.`);
  if (grown > 1.1) throw new Error(`Memory grew from ${after} to ${others.at(-1)} bytes.`);
  const share = ((100 * latest) / delay).toFixed(1);
  return `${total} messages ${detectsDuplicates ? "behind timers" : "as copies"}, delayed ones ${share} % off, memory ${grown.toFixed(2)} times`;
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc === "function") Reflect.apply(gc, undefined, []);
  return process.memoryUsage().heapUsed;
}
