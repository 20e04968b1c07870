import { ServiceBusClient } from "@azure/service-bus";
import { json } from "../../codecs/json/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { type Figure, median } from "./harness.ts";
import { buildPackage } from "./serve/built-package.ts";
import { startServerProcess } from "./serve/server-process.ts";

const messages = 10_000;
const rounds = 5;
/** Rounds before those that count: compilers are at work in them. */
const warmUp = 2;
const atOnce = 16;
const prefetchCount = 200;
const queue = "q";
const body = { orderId: "ORD-2026-000481", total: 228.49 };

/** Milliseconds of a client for the messages of a round. */
interface Contender {
  send(): Promise<number>;
  receive(): Promise<number>;
  close(): Promise<void>;
}

/** The client's own throughput on `sobre serve`, next to that of the official client on the same server. */
export async function bench(): Promise<readonly Figure[]> {
  const server = await startServerProcess("sobre", buildPackage());
  const { connectionString } = server;
  const contenders = {
    ours: await ours(connectionString, 0),
    "ours, prefetching": await ours(connectionString, prefetchCount),
    official: await official(connectionString),
  };
  const sent: Record<string, number[]> = {};
  const received: Record<string, number[]> = {};
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const times = [await contender.send(), await contender.receive()] as const;
      if (round < 0) continue;
      (sent[name] ??= []).push(times[0]);
      (received[name] ??= []).push(times[1]);
    }
  }
  for (const contender of Object.values(contenders)) await contender.close();
  await server.close();
  for (const [what, told] of [["sending", sent] as const, ["receiving", received] as const])
    for (const [name, times] of Object.entries(told))
      console.log(`  ${what}, ${name}: ${((median(times) * 1000) / messages).toFixed(0)} µs a message`);
  return [
    { name: "sending, 16 at a time, official client = 1", measured: ratio(sent, "ours"), ...atLeast(1.5) },
    {
      name: "receiving, 16 at a time, default options, official client = 1",
      measured: ratio(received, "ours"),
      ...atLeast(1.5),
    },
    {
      name: `receiving, prefetching ${prefetchCount}, official client = 1`,
      measured: ratio(received, "ours, prefetching"),
      ...atLeast(2),
    },
  ];
}

/** The official client's time over that of the contender, median of the rounds. */
const ratio = (told: Record<string, readonly number[]>, name: string): number =>
  median((told["official"] ?? []).map((time, round) => time / (told[name]?.[round] ?? Number.NaN)));

const atLeast = (target: number): Omit<Figure, "name" | "measured"> => ({
  bound: "least",
  target,
  floor: target * 0.85,
  unit: "×",
});

async function ours(connectionString: string, prefetch: number): Promise<Contender> {
  const engine = azureEngine({ connectionString });
  const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
  const sender = client.createSender(queue);
  return {
    send: () => timed(() => sixteen(() => sender.sendMessages({ body, contentType: "application/json" }))),
    receive: () =>
      timed(async () => {
        const gate = counting();
        const processor = client.startProcessor(
          queue,
          { processMessage: gate.one, processError: ({ error }) => gate.fail(error) },
          { maxConcurrentCalls: atOnce, prefetchCount: prefetch },
        );
        await gate.all;
        await processor.close();
      }),
    async close() {
      await client.close();
      await engine.close();
    },
  };
}

async function official(connectionString: string): Promise<Contender> {
  const client = new ServiceBusClient(connectionString);
  const sender = client.createSender(queue);
  return {
    send: () => timed(() => sixteen(() => sender.sendMessages({ body, contentType: "application/json" }))),
    receive: () =>
      timed(async () => {
        const gate = counting();
        const receiver = client.createReceiver(queue);
        receiver.subscribe(
          { processMessage: gate.one, processError: async ({ error }) => gate.fail(error) },
          { maxConcurrentCalls: atOnce },
        );
        await gate.all;
        await receiver.close();
      }),
    close: () => client.close(),
  };
}

async function sixteen(send: () => Promise<void>): Promise<void> {
  let left = messages;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await send();
    }),
  );
}

function counting(): {
  readonly all: Promise<void>;
  readonly one: () => Promise<void>;
  readonly fail: (error: unknown) => void;
} {
  const gate: { resolve?: () => void; reject?: (error: unknown) => void } = {};
  const all = new Promise<void>((resolve, reject) => Object.assign(gate, { resolve, reject }));
  let left = messages;
  return {
    all,
    fail: (error) => gate.reject?.(error),
    async one() {
      left--;
      if (left === 0) gate.resolve?.();
    },
  };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
