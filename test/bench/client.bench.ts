import { Ajv2020 } from "ajv/dist/2020.js";
import rhea from "rhea";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { decodeMessage } from "../../src/wire/amqp/message/decode-message.ts";
import type { DeliveryFacts } from "../../src/wire/amqp/message/envelope-annotations.ts";
import { encodeMessage } from "../../src/wire/amqp/message/encode-message.ts";
import { tokenOf } from "../../src/wire/amqp/message/lock-tag.ts";
import { createClient } from "../../src/client/create-client.ts";
import type { ClientOptions, Metrics, ProcessorOptions } from "../../src/client/client/index.ts";
import { createMessageReader } from "../../src/client/client/message-reader.ts";
import { handedOver } from "../../src/client/client/received-message.ts";
import { ReplySenders } from "../../src/client/client/replies.ts";
import { createRetry } from "../../src/client/client/retry.ts";
import { Signals } from "../../src/client/client/signals.ts";
import { systemClock } from "../../src/core/time/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import type { Envelope } from "../../src/core/envelope/index.ts";
import { receivedDelivery } from "../../src/broker/azure/received-delivery.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { jsonSchema } from "../../src/core/json-schema/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";
import { compare, type Figure, median } from "./harness.ts";
import { type OfficialConversions, officialConversions } from "./official-conversions.ts";
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

/** For messages that are only converted. */
const replies = new ReplySenders({
  engine: memoryEngine(),
  serializer: createSerializer({ codecs: [json()] }),
  stages: [],
  clock: systemClock,
  retry: createRetry(systemClock),
  tracing: undefined,
  signals: new Signals({ name: "memory" }).root,
  closed: () => undefined,
});

const count = 5_000;
const rounds = 21;

/** The cost of the client around engine and codecs, and of its conversions compared with the official client's. */
export async function bench(): Promise<readonly Figure[]> {
  // The conversions first: what the processor leaves behind is not theirs to clear away.
  const conversions = await conversionFigures();
  return [...(await processorFigures()), ...conversions];
}

const properties = {
  messageId: "5f1b6a7c-8d9e-4f1a-8b3c-4d5e6f708192",
  subject: "OrderPlaced",
  correlationId: "c-1",
  sessionId: "s-1",
  timeToLive: 60_000,
  applicationProperties: { tenant: "a", attempt: 1, express: true },
};

interface Sent {
  readonly name: string;
  readonly message: typeof properties & { readonly body: unknown; readonly contentType: string };
  /** Whether the official client reads the body as JSON, too. */
  readonly isJson: boolean;
  /** The least that is asked of the way to AMQP bytes and back. Default: 3. */
  readonly back?: number;
}

/** JSON of two lengths, since both clients leave it to the engine, and bytes, which leave the conversions alone. */
const sent: readonly Sent[] = [
  {
    name: "JSON of 450 bytes",
    message: { ...properties, body: order, contentType: "application/json" },
    isJson: true,
    // JSON.parse and JSON.stringify take most of it, in either client.
    back: 2.5,
  },
  {
    name: "JSON of 40 bytes",
    message: { ...properties, body: { id: "ORD-2026-000481", total: 228.49 }, contentType: "application/json" },
    isJson: true,
  },
  {
    name: "450 bytes",
    message: { ...properties, body: Buffer.alloc(450, 7), contentType: "application/octet-stream" },
    isJson: false,
  },
];

/**
 * From value to AMQP message bytes and back, against the official client's conversions with rhea's codec: once the same
 * bytes back without a broker between, and once as a send and a receive, where a broker has added what it says of a
 * delivery and each client makes the message that its users receive, with lock token, times and numbers.
 */
async function conversionFigures(): Promise<readonly Figure[]> {
  const official = await officialConversions();
  return sent.flatMap((one) => conversionsOf(one, official));
}

function conversionsOf({ name, message, isJson, back = 3 }: Sent, official: OfficialConversions): readonly Figure[] {
  const { toRheaMessage, fromRheaMessage, defaultDataTransformer, ServiceBusMessageImpl } = official;
  const serializer = createSerializer({ codecs: [json(), bytes()] });
  const read = createMessageReader({ serializer, stages: [] });
  const officialBytes = (): Buffer => rhea.message.encode(toRheaMessage(message, defaultDataTransformer));
  const sobreBytes = (): Uint8Array => encodeMessage(serializer.serialize(message));
  const officialDelivered = delivered(officialBytes());
  const sobreDelivered = delivered(sobreBytes());
  const text = JSON.stringify(message.body);
  const comparison = compare({
    json: () => (keep = [JSON.stringify(message.body), JSON.parse(text)]),
    official: () => fromRheaMessage(rhea.message.decode(officialBytes()), { skipParsingBodyAsJson: !isJson }),
    sobre: () => {
      const envelope = decodeMessage(sobreBytes());
      // They are read when they are asked for, and the official client gives them in any case.
      keep = [envelope.brokerProperties, envelope.applicationProperties];
      return serializer.deserialize(envelope);
    },
    officialReceived: () => {
      keep = officialBytes();
      const received = rhea.message.decode(officialDelivered);
      return new ServiceBusMessageImpl(received, { tag }, true, "peekLock", !isJson, false);
    },
    sobreReceived: () => {
      keep = sobreBytes();
      const delivery = receivedDelivery(sobreDelivered, tokenOf(tag));
      const result = read(delivery.envelope);
      return result instanceof Promise ? result : handedOver(delivery, result, replies);
    },
  });
  const spent = (contender: string): string => `${Math.round(comparison.nanoseconds[contender] ?? 0)}`;
  console.log(
    `  nanoseconds from value to bytes and back, ${name}: official ${spent("official")}, sobre ${spent("sobre")}; as received: official ${spent("officialReceived")}, sobre ${spent("sobreReceived")}`,
  );
  if (isJson) {
    const share = (contender: string): string => `${Math.round(100 * comparison.ratio("json", contender))} %`;
    console.log(`  of that JSON.parse and JSON.stringify: official ${share("official")}, sobre ${share("sobre")}`);
  }
  const limits = { bound: "least", target: 3, floor: 2.6, unit: "×" } as const;
  return [
    {
      ...limits,
      target: back,
      floor: Math.min(limits.floor, back),
      name: `to AMQP bytes and back, ${name}, to the official client`,
      measured: comparison.ratio("official", "sobre"),
    },
    {
      ...limits,
      name: `sent and received, ${name}, to the official client`,
      measured: comparison.ratio("officialReceived", "sobreReceived"),
    },
  ];
}

/** By-products of a contender, kept so that nothing is optimised away. */
export let keep: unknown;

const tag = Buffer.from("9f2b4c6d8e0f4a1b8c3d5e6f70819203", "hex");

/** The message as a broker delivers it: the same bare message behind a header and its own annotations. */
function delivered(encoded: Uint8Array): Buffer {
  const now = new Date();
  const delivery: DeliveryFacts = {
    lockToken: tokenOf(tag),
    lockedUntilUtc: now,
    sequenceNumber: 1_234n,
    enqueuedSequenceNumber: 1_234n,
    enqueuedTimeUtc: now,
    expiresAtUtc: undefined,
    deliveryCount: 0,
    state: "active",
    deadLetterSource: undefined,
    deadLetterReason: undefined,
    deadLetterErrorDescription: undefined,
  };
  return Buffer.from(encodeMessage(decodeMessage(encoded), { delivery }));
}

/** A processor with JSON and validation, against the same engine, codec and validator called by hand. */
async function processorFigures(): Promise<readonly Figure[]> {
  const Order = defineMessage("bench.order", { 1: jsonSchema(schema) });
  const serializer = createSerializer({ codecs: [json()] });
  const applicationProperties = { "sobre-type": "bench.order", "sobre-version": 1 };
  const envelope = serializer.serialize({ body: order, applicationProperties });
  const ratios: number[] = [];
  const times: { byHand: number; processor: number }[] = [];
  const withFeatures: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const first = round % 2 === 0;
    const before = first ? await byHand(envelope) : 0;
    const equipped = first ? await byProcessor(envelope, Order, features) : 0;
    const processor = await byProcessor(envelope, Order);
    const after = first ? equipped : await byProcessor(envelope, Order, features);
    const hand = first ? before : await byHand(envelope);
    // The first rounds warm the optimiser up.
    if (round < 3) continue;
    ratios.push(processor / hand);
    times.push({ byHand: hand, processor });
    withFeatures.push(after / processor);
  }
  const each = (pick: (entry: { byHand: number; processor: number }) => number): string =>
    `${Math.round(median(times.map(pick)) / count)}`;
  console.log(
    `  nanoseconds a message: by hand ${each(({ byHand: time }) => time)}, processor ${each(({ processor: time }) => time)}`,
  );
  return [
    {
      name: "processor, times engine, codec and validator by hand",
      measured: median(ratios),
      bound: "most",
      target: 1.35,
      floor: 1.6,
      unit: "×",
    },
    {
      name: "processor with every feature on and none used, times one without",
      measured: median(withFeatures),
      bound: "most",
      target: 1.1,
      floor: 1.2,
      unit: "×",
    },
  ];
}

/** The options for failing handlers and for watching. */
interface Features {
  readonly processor: Pick<ProcessorOptions, "retries" | "pauseWhen">;
  readonly client: Pick<ClientOptions, "onEvent" | "metrics">;
}

/** Takes the durations of handlers, and is never asked for the counts. */
const metrics: Metrics = {
  start: () => ({ handled: (entity, seconds, error) => void (keep = [entity, seconds, error]), stop: () => undefined }),
};

const features: Features = {
  processor: {
    retries: { immediate: 2, delayed: ["10s", "1m"], retryable: () => true },
    pauseWhen: { failureRate: 0.5, error: () => true },
  },
  client: { onEvent: (event) => void (keep = event), metrics },
};

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
    for (const delivery of await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 })) {
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

async function byProcessor(
  envelope: Envelope,
  type: ReturnType<typeof defineMessage>,
  used: Features = { processor: {}, client: {} },
): Promise<number> {
  const engine = memoryEngine({ queues: ["orders"] });
  await (await engine.openSender("orders")).send(Array.from({ length: count }, () => envelope));
  const client = createClient({ ...used.client, engine, serializer: createSerializer({ codecs: [json()] }) });
  let handled = 0;
  const start = process.cpuUsage();
  await new Promise<void>((resolve, reject) => {
    client.startProcessor(
      "orders",
      {
        async processMessage({ body }) {
          if (body !== undefined && ++handled === count) resolve();
        },
        processError: ({ error }) => reject(error),
      },
      { ...used.processor, messageTypes: [type] },
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
