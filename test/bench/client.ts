import { Ajv2020 } from "ajv/dist/2020.js";
import rhea from "rhea";
import { json } from "../../codecs/json/index.ts";
import { decodeMessage, encodeMessage } from "../../src/amqp/index.ts";
import { createClient } from "../../src/client/index.ts";
import { createSerializer } from "../../src/codec/index.ts";
import type { Envelope } from "../../src/envelope/index.ts";
import { memoryEngine } from "../../src/engines/memory/index.ts";
import { defineMessage } from "../../src/message/index.ts";
import { compare, type Figure, median } from "./harness.ts";
import { officialConversions } from "./official-conversions.ts";
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
const rounds = 21;

/** What the client costs around engine and codecs, and what its conversions cost beside the official client's. */
export async function bench(): Promise<readonly Figure[]> {
  // The conversions first: what the processor leaves behind is not theirs to clear away.
  const conversion = await conversionFigure();
  return [await processorFigure(), conversion];
}

/** From value to AMQP message bytes and back, against the official client's conversions with rhea's codec. */
async function conversionFigure(): Promise<Figure> {
  const { toRheaMessage, fromRheaMessage, defaultDataTransformer } = await officialConversions();
  const serializer = createSerializer({ codecs: [json()] });
  const properties = {
    contentType: "application/json",
    messageId: "5f1b6a7c-8d9e-4f1a-8b3c-4d5e6f708192",
    subject: "OrderPlaced",
    correlationId: "c-1",
    sessionId: "s-1",
    timeToLive: 60_000,
    applicationProperties: { tenant: "a", attempt: 1, express: true },
  };
  const message = { body: order, ...properties };
  const comparison = compare({
    official: () => {
      const bytes = rhea.message.encode(toRheaMessage(message, defaultDataTransformer));
      return fromRheaMessage(rhea.message.decode(bytes), { skipParsingBodyAsJson: false });
    },
    sobre: () => serializer.deserialize(decodeMessage(encodeMessage(serializer.serialize(message)))),
  });
  const { nanoseconds } = comparison;
  console.log(
    `  nanoseconds from value to bytes and back: official ${Math.round(nanoseconds["official"] ?? 0)}, sobre ${Math.round(nanoseconds["sobre"] ?? 0)}`,
  );
  return {
    name: "value to AMQP bytes and back, times as fast as the official client",
    measured: comparison.ratio("official", "sobre"),
    bound: "least",
    target: 3,
    floor: 2.6,
    unit: "×",
  };
}

/** A processor with JSON and validation, against the same engine, codec and validator called by hand. */
async function processorFigure(): Promise<Figure> {
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
  return {
    name: "processor, times engine, codec and validator by hand",
    measured: median(ratios),
    bound: "most",
    target: 1.35,
    floor: 1.6,
    unit: "×",
  };
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
