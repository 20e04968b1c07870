import { Ajv2020 } from "ajv/dist/2020.js";
import { json } from "../../codecs/json/index.ts";
import { createClient } from "../../src/client/index.ts";
import { createSerializer } from "../../src/codec/index.ts";
import type { Envelope } from "../../src/envelope/index.ts";
import { memoryEngine } from "../../src/engines/memory/index.ts";
import { defineMessage } from "../../src/message/index.ts";
import { type Figure, median } from "./harness.ts";
import { order } from "./order.ts";

const schema = {
  type: "object",
  properties: {
    id: { type: "string" },
    placed: { type: "string" },
    customer: { type: "object", required: ["id", "name"] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, quantity: { type: "integer" }, price: { type: "number" } },
        required: ["sku", "quantity", "price"],
      },
    },
    total: { type: "number" },
  },
  required: ["id", "lines", "total"],
} as const;

const count = 5_000;
const rounds = 15;

/** A processor with JSON and validation, against the same engine, codec and validator called by hand. */
export async function bench(): Promise<readonly Figure[]> {
  const Order = defineMessage("bench.order", { 1: schema });
  const serializer = createSerializer({ codecs: [json()] });
  const applicationProperties = { "sobre-type": "bench.order", "sobre-version": 1 };
  const envelope = serializer.serialize({ body: order, applicationProperties });
  const ratios: number[] = [];
  const times: { byHand: number; processor: number }[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const first = round % 2 === 0;
    const before = first ? await byHand(envelope) : 0;
    const processor = await byProcessor(envelope, Order);
    const hand = first ? before : await byHand(envelope);
    // The first rounds warm the optimiser up.
    if (round < 3) continue;
    ratios.push(processor / hand);
    times.push({ byHand: hand, processor });
  }
  const each = (pick: (entry: { byHand: number; processor: number }) => number): string =>
    `${Math.round(median(times.map(pick)) / count)}`;
  console.log(
    `  nanoseconds a message: by hand ${each(({ byHand: time }) => time)}, processor ${each(({ processor: time }) => time)}`,
  );
  return [
    {
      name: "processor with JSON and validation, times engine, codec and validator by hand",
      measured: median(ratios),
      bound: "most",
      target: 1.35,
      floor: 1.6,
      unit: "×",
    },
  ];
}

/** Nanoseconds to receive, read, check and complete all messages, with nothing around. */
async function byHand(envelope: Envelope): Promise<number> {
  const engine = memoryEngine({ queues: ["orders"] });
  await (await engine.openSender("orders")).send(Array.from({ length: count }, () => envelope));
  const validate = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
    schema,
  );
  const serializer = createSerializer({ codecs: [json()] });
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  let handled = 0;
  const handle = async (body: unknown): Promise<void> => {
    if (body !== undefined) handled++;
  };
  // What was built up is not the contender's to clear away.
  globalThis.gc?.();
  const start = process.cpuUsage();
  for (;;) {
    if (handled === count) break;
    for (const delivery of await receiver.receive({ maxMessages: 1, maxWaitTime: 60_000 })) {
      const result = serializer.deserialize(delivery.envelope);
      if (!result.ok || !validate(result.body) || delivery.lockToken === undefined) throw new Error("It is an order.");
      await handle(result.body);
      await engine.settle("orders", delivery.lockToken, { kind: "complete" });
    }
  }
  const spent = nanosecondsSince(start);
  await engine.close();
  return spent;
}

async function byProcessor(envelope: Envelope, type: ReturnType<typeof defineMessage>): Promise<number> {
  const engine = memoryEngine({ queues: ["orders"] });
  await (await engine.openSender("orders")).send(Array.from({ length: count }, () => envelope));
  const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
  let handled = 0;
  // What was built up is not the contender's to clear away.
  globalThis.gc?.();
  const start = process.cpuUsage();
  await new Promise<void>((resolve, reject) => {
    client.createProcessor(
      "orders",
      {
        async processMessage({ body }) {
          if (body !== undefined && ++handled === count) resolve();
        },
        processError: ({ error }) => reject(error),
      },
      { messageTypes: [type] },
    );
  });
  const spent = nanosecondsSince(start);
  await client.close();
  await engine.close();
  return spent;
}

/** Time of this process only, so that a busy machine does not count. */
function nanosecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1_000;
}
