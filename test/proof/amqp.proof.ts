import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeValue } from "../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../src/core/amqp-values/encode-value.ts";
import { toTypedJson } from "../../codecs/amqp/index.ts";
import { decodeMessage } from "../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../src/wire/amqp/message/write-message.ts";
import { amend, type Envelope, sizeOf } from "../../src/core/envelope/index.ts";
import { AmqpMap } from "../../src/core/values/typed.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { type Random, seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

const counts = { share: 1_000_000, full: 10_000_000 };
/** The cost that one hostile input may have, in milliseconds and bytes. */
const most = { milliseconds: 50, bytes: 64 * 1024 * 1024 };
/** How often each is read; the least of its times counts. */
const turns = 3;

const folder = fileURLToPath(new URL("../../fixtures/amqp/", import.meta.url));

/** No mutated value or message does anything but be read, keep its content, or be refused with a SobreError. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const total = full ? counts.full : counts.share;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const hostile = proveBounds();
    const { read, refused } = proveMutations(seed, total);
    return `${total} mutated inputs: ${read} read and written again unchanged, ${refused} refused with a SobreError; ${hostile} hostile ones within ${most.milliseconds} ms and 64 MB`;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function proveMutations(seed: number, total: number): { readonly read: number; readonly refused: number } {
  const random = seeded(seed);
  const values = load("values.jsonl");
  const messages = load("messages.jsonl");
  let read = 0;
  for (let done = 0; done < total; done++) {
    const isMessage = random.chance(0.5);
    const bytes = mutate(random.pick(isMessage ? messages : values), random, isMessage ? messages : values);
    const outcome = attempt(() => (isMessage ? checkMessage(bytes) : checkValue(bytes, done)));
    if (outcome) read++;
  }
  if (read < total / 20)
    throw new Error(`Only ${read} of ${total} mutated inputs were read: the proof proves too little.`);
  return { read, refused: total - read };
}

/** Whether `run` returned; any error but a SobreError is thrown on. */
function attempt(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof SobreError) return false;
    throw error;
  }
}

function checkValue(bytes: Uint8Array, turn: number): void {
  attempt(() => decodeValue(bytes, { mode: "plain" }));
  attempt(() => decodeValue(bytes, { lenient: true, mode: turn % 2 === 0 ? "plain" : "typed" }));
  const value = decodeValue(bytes);
  const again = decodeValue(encodeValue(value));
  if (!Buffer.from(encodeValue(again)).equals(encodeValue(value))) throw changed(bytes);
  if (turn % 16 === 0 && JSON.stringify(toTypedJson(again)) !== JSON.stringify(toTypedJson(value)))
    throw changed(bytes);
}

function checkMessage(bytes: Uint8Array): void {
  attempt(() => decodeMessage(bytes, { lenient: true, check: true }));
  const envelope = decodeMessage(bytes, { check: true });
  if (!Buffer.from(encodeMessage(envelope)).equals(bytes)) throw changed(bytes);
  checkAmended(amend(envelope, { applicationProperties: { added: 1 } }));
  const message = parseMessage(bytes);
  const written = writeMessage(message);
  if (!Buffer.from(writeMessage(parseMessage(written))).equals(written)) throw changed(bytes);
}

function checkAmended(envelope: Envelope): void {
  const bytes = encodeMessage(envelope);
  if (sizeOf(envelope) !== bytes.byteLength) throw changed(bytes);
  if (decodeMessage(bytes).applicationProperties["added"] !== 1) throw changed(bytes);
}

function changed(bytes: Uint8Array): Error {
  return new Error(`What was read was not written again the same: ${Buffer.from(bytes).toString("hex")}`);
}

/** One to three changes: a byte, a cut, a removed or inserted stretch, a stretch of another input, an extreme size. */
function mutate(seed: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let bytes = seed;
  for (let left = 1 + random.integer(3); left > 0; left--) {
    const at = random.integer(bytes.byteLength + 1);
    const length = random.integer(8);
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at + length);
    const other = random.pick(others);
    bytes = random.pick([
      () => Buffer.concat([before, Uint8Array.of(random.integer(256)), bytes.subarray(at + 1)]),
      () => Buffer.concat([before, Uint8Array.of((bytes[at] ?? 0) ^ (1 << random.integer(8))), bytes.subarray(at + 1)]),
      () => before,
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, random.bytes(length), bytes.subarray(at)]),
      () => Buffer.concat([before, other.subarray(random.integer(other.byteLength))]),
      () => Buffer.concat([before, Uint8Array.of(0xff, 0xff, 0xff, 0xff), bytes.subarray(at + 4)]),
    ])();
  }
  return bytes;
}

/** Every hostile input, and some too large to keep as files, within the bounds. */
function proveBounds(): number {
  const inputs = [...load("hostile.jsonl"), ...grown()];
  for (const bytes of inputs) {
    let least = Infinity;
    // Compiling and collecting garbage only add to a turn.
    for (let turn = 0; turn < turns; turn++) {
      const heap = process.memoryUsage().heapUsed;
      const start = process.threadCpuUsage();
      for (const read of [() => encodeValue(decodeValue(bytes)), () => decodeMessage(bytes, { check: true })])
        attempt(() => void read());
      const { user, system } = process.threadCpuUsage(start);
      const grownBy = process.memoryUsage().heapUsed - heap;
      if (grownBy > most.bytes) throw new Error(`Took ${grownBy} bytes: ${name(bytes)}`);
      least = Math.min(least, user + system);
    }
    // Two attempts share the time of two.
    if (least > 2 * most.milliseconds * 1000) throw new Error(`Took ${least} µs: ${name(bytes)}`);
  }
  return inputs.length;
}

const name = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 40)).toString("hex");

/** Chains of descriptors and nested lists, arrays of arrays that claim much, a map of many keys that collide. */
function grown(): readonly Uint8Array[] {
  return [
    Buffer.alloc(100_000),
    nested(0xd0, 9),
    nested(0xd1, 9),
    nested(0xf0, 9),
    Buffer.concat([Buffer.from("f0000186a8000186a04000", "hex"), Buffer.alloc(100_000, 0x40)]),
    Buffer.concat([Buffer.from("d0000186a4000186a0", "hex"), Buffer.alloc(100_000, 0x45)]),
    Buffer.concat([Buffer.from("d100030d44000186a0", "hex"), Buffer.alloc(200_000, "5401", "hex")]),
    longKeys(16, 8000),
    nestedDescriptors(60, 1),
    nestedDescriptors(20, 10),
  ];
}

function load(file: string): readonly Uint8Array[] {
  const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { hex }: { readonly hex: string } = JSON.parse(line);
    return new Uint8Array(Buffer.from(hex, "hex"));
  });
}

/** A map whose keys are long lists that differ in the last item only. */
function longKeys(keys: number, length: number): Uint8Array {
  const items = Array.from({ length: length - 1 }, () => 7);
  return encodeValue(new AmqpMap(Array.from({ length: keys }, (_, last) => [[...items, last], null])));
}

/** Arrays whose elements show the array of the level below as their descriptor. */
function nestedDescriptors(levels: number, count: number): Uint8Array {
  let inner: Uint8Array = encodeValue(typed.symbol("b"));
  for (let level = 0; level < levels; level++) {
    const content = Buffer.concat([Buffer.from("00a3016100", "hex"), inner, Buffer.of(0x43)]);
    const head = Buffer.alloc(9, 0xf0);
    head.writeUInt32BE(content.byteLength + 4, 1);
    head.writeUInt32BE(count, 5);
    inner = Buffer.concat([head, content]);
  }
  return inner;
}

/** 20,000 compound values of one item, each the item of the one before. */
function nested(code: number, head: number): Uint8Array {
  const depth = 20_000;
  const bytes = Buffer.alloc(depth * head + 1, 0x45);
  for (let level = 0; level < depth; level++) {
    bytes[level * head] = code;
    bytes.writeUInt32BE(bytes.length - level * head - 5, level * head + 1);
    bytes.writeUInt32BE(1, level * head + 5);
  }
  return bytes;
}
