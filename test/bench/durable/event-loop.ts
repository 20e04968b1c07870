import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../../../src/core/engine/index.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { type Figure, median } from "../harness.ts";

const message = createEnvelope({ payload: new Uint8Array(1024).fill(7), brokerProperties: { messageId: "order-1" } });
const queues = { q: { maxSizeInMegabytes: 1_000_000 } };

/** Messages of a burst, which are sent each on its own, received together and settled each on its own. */
const burst = 50;
/** Bursts of a round, one about every five milliseconds. */
const bursts = 200;

/** How long the event loop is kept by a durable engine, against one in memory under the same load. */
export async function eventLoop(directory: string): Promise<Figure> {
  const memory = memoryEngine({ queues });
  const durable = await durableEngine({ directory: join(directory, "loop"), queues });
  const ratios: number[] = [];
  for (let round = -1; round < 9; round++) {
    const kept = (await delay(durable)) / (await delay(memory));
    if (round >= 0) ratios.push(kept);
  }
  await Promise.all([memory.close(), durable.close()]);
  return {
    name: "p99 delay of the event loop against the engine in memory",
    measured: median(ratios),
    bound: "most",
    target: 2,
    floor: 3,
    unit: "×",
  };
}

/** The 99th percentile of the delays of the event loop under load, in nanoseconds. */
async function delay(engine: Engine): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  const sender = await engine.openSender("q");
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  const turnOver = async (): Promise<void> => {
    await Promise.all(Array.from({ length: burst }, () => sender.send([message])));
    const deliveries = await receiver.receive({ maxMessages: burst, maxWaitTimeInMs: 0 });
    await Promise.all(
      deliveries.map(async ({ lockToken }) => {
        if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "complete" });
      }),
    );
  };
  const running: Promise<void>[] = [];
  histogram.enable();
  for (let index = 0; index < bursts; index++) {
    running.push(turnOver());
    await pause(5);
  }
  histogram.disable();
  await Promise.all(running);
  await Promise.all([sender.close(), receiver.close()]);
  return histogram.percentile(99);
}
