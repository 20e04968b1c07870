import { amqp } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { text } from "../../codecs/text/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { type Codec, createSerializer, type WhenUnknown } from "../../src/core/codec/index.ts";
import { type BodyKind, createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { type Random, seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

const counts = { share: 100_000, full: 1_000_000 };
const batch = 1_000;
/** The part of all bodies that each codec reads, or else they prove too little. */
const leastPerCodec = 0.01;

const protos = `syntax = "proto3"; package proof;
message Order { string id = 1; int64 total = 2; repeated Line lines = 3; map<string, double> rates = 4; }
message Line { string sku = 1; uint32 quantity = 2; }`;

const codecs: readonly Codec[] = [
  json(),
  msgpack(),
  protobuf({ protos, type: "proof.Order" }),
  amqp(),
  text(),
  bytes(),
];

const contentTypes = [
  "application/json",
  "application/problem+json; charset=utf-8",
  "application/msgpack",
  "application/x-protobuf",
  "application/x-amqp-value",
  "text/plain",
  "text/plain; charset=utf-16",
  "application/octet-stream",
  "application/x-nobody",
  "application/json, text/plain",
  "constructor/__proto__",
  undefined,
] as const;

/** Every message ends read or dead-lettered with its bytes and a reason, whatever its bytes and its content type. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const total = full ? counts.full : counts.share;
  const random = seeded(seed);
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const reads = new Map<string, number>();
  let mutated = 0;
  let deadLettered = 0;
  for (let done = 0; done < total; done += batch) {
    const whenUnknown = random.pick<WhenUnknown>(["dead-letter", "fallback"]);
    const fallback = random.pick([[], codecs.map(({ name }) => name), ["msgpack", "json"]]);
    const letters = Array.from({ length: batch }, () => letter(random));
    mutated += letters.filter((item) => item.mutated).length;
    const outcome = await process(
      letters.map((item) => item.envelope),
      createSerializer({ codecs, whenUnknown, fallback }),
    );
    for (const codec of outcome.reads) reads.set(codec, (reads.get(codec) ?? 0) + 1);
    deadLettered += outcome.deadLettered;
  }
  if (Object.getOwnPropertyNames(Object.prototype).join() !== before) throw new Error("Object.prototype was polluted.");
  for (const { name } of codecs) {
    if ((reads.get(name) ?? 0) < leastPerCodec * total)
      throw new Error(`${name} read only ${reads.get(name) ?? 0} bodies.`);
  }
  const readBy = Array.from(reads, ([name, count]) => `${name} ${count}`).join(", ");
  return `${total} bodies, ${mutated} of them mutated: read by ${readBy}; ${deadLettered} dead letters, all byte-identical with a reason`;
}

async function process(
  envelopes: readonly Envelope[],
  serializer: ReturnType<typeof createSerializer>,
): Promise<{ readonly reads: readonly string[]; readonly deadLettered: number }> {
  const clock = new ManualClock();
  const client = createClient({ engine: memoryEngine({ clock, queues: { inbox: {} } }), serializer });
  const reads: string[] = [];
  const unexpected: unknown[] = [];
  await client.createSender("inbox").sendEnvelopes(envelopes);
  const processor = client.startProcessor(
    "inbox",
    {
      processMessage: ({ result }) => void (result.ok && reads.push(result.codec)),
      processError: ({ errorSource, error }) => void (errorSource !== "deserialize" && unexpected.push(error)),
    },
    { maxConcurrentCalls: 4 },
  );
  while ((await client.createReceiver("inbox").peekMessages(1)).length > 0) await clock.advance(0);
  await processor.close();
  if (unexpected.length > 0) throw new Error("The processor failed.", { cause: unexpected[0] });
  const deadLetters = await client.createReceiver("inbox/$DeadLetterQueue").peekMessages(envelopes.length);
  if (reads.length + deadLetters.length !== envelopes.length) {
    throw new Error(`${envelopes.length} were sent, ${reads.length} read and ${deadLetters.length} dead-lettered.`);
  }
  for (const { envelope, deadLetterReason, deadLetterErrorDescription } of deadLetters) {
    const original = envelopes[Number(envelope.applicationProperties["number"])];
    if (!original || !sameBytes(original.payload, envelope.payload))
      throw new Error("A dead letter's bytes have changed.");
    if (deadLetterReason !== "Unreadable" || !deadLetterErrorDescription)
      throw new Error("A dead letter has no reason.");
  }
  return { reads, deadLettered: deadLetters.length };
}

let number = 0;

function letter(random: Random): { readonly envelope: Envelope; readonly mutated: boolean } {
  const { payload, bodyKind } = body(random);
  const mutated = random.chance(0.5);
  const envelope = createEnvelope({
    payload: mutated ? mutate(random, payload) : payload,
    bodyKind: random.chance(0.9) ? bodyKind : random.pick<BodyKind>(["data", "value", "sequence"]),
    brokerProperties: { contentType: random.pick(contentTypes) },
    applicationProperties: { number: number++ % batch },
  });
  return { envelope, mutated };
}

/** A valid body of one codec; the content type is drawn apart from it. */
function body(random: Random): { readonly payload: Uint8Array; readonly bodyKind: BodyKind } {
  const codec = random.pick(codecs);
  const context = { contentType: undefined, applicationProperties: {} };
  const { payload, bodyKind = "data" } = codec.encode(valueFor(codec.name, random), context);
  return { payload: payload.slice(), bodyKind };
}

function valueFor(codec: string, random: Random): unknown {
  if (codec === "text") return random.text();
  if (codec === "bytes") return random.bytes(random.integer(40));
  const lines = Array.from({ length: random.integer(4) }, () => ({
    sku: random.text(),
    quantity: random.integer(1000),
  }));
  const order = {
    id: random.text(),
    total: BigInt(random.integer(2 ** 31)) * 4_000_000_007n,
    lines,
    rates: { eur: 1.5, usd: random.integer(9) / 7 },
  };
  return codec === "protobuf" || random.chance(0.5)
    ? order
    : random.pick([order.lines, order.id, 7, null, true, [[[]]], { a: { b: [1, "x"] } }]);
}

function mutate(random: Random, payload: Uint8Array): Uint8Array {
  const changed = payload.slice();
  if (changed.length === 0) return random.bytes(1 + random.integer(8));
  if (random.chance(0.3)) return changed.subarray(0, random.integer(changed.length));
  if (random.chance(0.2)) return new Uint8Array([...changed, ...random.bytes(1 + random.integer(4))]);
  for (let flips = 1 + random.integer(4); flips > 0; flips--)
    changed[random.integer(changed.length)] = random.integer(256);
  return changed;
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
