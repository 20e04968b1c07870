import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dataContractJson, dataContractXml, nbfx } from "../../codecs/dotnet/index.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { type Decoder, defaultDecodeLimits } from "../../src/codec/index.ts";
import { SobreError } from "../../src/errors/index.ts";
import { type Random, seeded } from "../random.ts";

const total = 1_000_000;
/** Bodies of other formats that are sniffed. */
const bodies = 500_000;
/** Milliseconds that one input may take; a noisy machine gets a second chance. */
const slowest = 50;

const folder = fileURLToPath(new URL("../../fixtures/legacy/dotnet/", import.meta.url));

interface Family {
  readonly decoder: Decoder;
  readonly seeds: readonly Uint8Array[];
  readonly share: number;
}

/** Mutated payloads of .NET's serializers are read or refused with a SobreError that names the byte, and quickly. */
export async function prove(): Promise<string> {
  const random = seeded(6_2026);
  const families: readonly Family[] = [
    { decoder: nbfx(), seeds: seeds("nbfx-*.bin"), share: 0.6 },
    { decoder: dataContractXml(), seeds: seeds("xml-*.bin"), share: 0.2 },
    { decoder: dataContractJson(), seeds: seeds("json-*.bin"), share: 0.2 },
  ];
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const counts: string[] = [];
  for (const { decoder, seeds: payloads, share } of families) {
    if (payloads.length === 0) throw new Error(`There are no seeds for ${decoder.name}.`);
    let read = 0;
    const count = Math.round(total * share);
    for (let done = 0; done < count; done++)
      if (isRead(decoder, mutate(random, random.pick(payloads), payloads))) read++;
    counts.push(`${decoder.name} read ${read} of ${count}`);
  }
  if (Object.getOwnPropertyNames(Object.prototype).join() !== before) throw new Error("Object.prototype was polluted.");
  proveSniffs(random);
  return `${total} mutated payloads: ${counts.join(", ")}, the others refused with code and offset; ${bodies} bodies of other formats, none taken for .NET's`;
}

function seeds(pattern: string): readonly Uint8Array[] {
  const files = globSync(pattern, { cwd: folder }).toSorted();
  return files.map((file) => new Uint8Array(readFileSync(`${folder}${file}`)));
}

/** Whether it was read; throws when it was refused in any other way than it should be. */
function isRead(decoder: Decoder, payload: Uint8Array): boolean {
  const start = performance.now();
  const isOk = attempt(decoder, payload);
  if (performance.now() - start <= slowest) return isOk;
  const again = performance.now();
  attempt(decoder, payload);
  const took = performance.now() - again;
  if (took > slowest) throw new Error(`${decoder.name} took ${took} ms: ${Buffer.from(payload).toString("hex")}`);
  return isOk;
}

const context = {
  contentType: undefined,
  applicationProperties: {},
  bodyKind: "data",
  limits: defaultDecodeLimits,
} as const;

function attempt(decoder: Decoder, payload: Uint8Array): boolean {
  try {
    decoder.decode(payload, context);
    return true;
  } catch (error) {
    if (error instanceof SobreError && typeof error.offset === "number" && error.offset <= payload.length) return false;
    throw new Error(`${decoder.name} broke on ${Buffer.from(payload).toString("hex")}`, { cause: error });
  }
}

/** Flips bytes, cuts, doubles and joins pieces. */
function mutate(random: Random, payload: Uint8Array, others: readonly Uint8Array[]): Uint8Array {
  const at = (): number => random.integer(payload.length);
  switch (random.integer(6)) {
    case 0:
      return payload.subarray(0, at());
    case 1: {
      const other = random.pick(others);
      return joined(payload.subarray(0, at()), other.subarray(random.integer(other.length)));
    }
    case 2: {
      const [start, end] = [at(), at()].toSorted((a, b) => a - b);
      return joined(payload.subarray(0, end), payload.subarray(start));
    }
    case 3:
      return joined(payload.subarray(0, at()), random.bytes(1 + random.integer(4)));
    default: {
      const changed = payload.slice();
      for (let flips = 1 + random.integer(4); flips > 0; flips--) changed[at()] = random.integer(256);
      return changed;
    }
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const whole = new Uint8Array(left.length + right.length);
  whole.set(left);
  whole.set(right, left.length);
  return whole;
}

/** No body of another format is strongly taken for one of .NET's. */
function proveSniffs(random: Random): void {
  const decoders = [nbfx(), dataContractXml(), dataContractJson()];
  const encoders = [json(), msgpack(), protobuf({ protos, type: "proof.Body" })];
  const encodeContext = { contentType: undefined, applicationProperties: {} };
  for (let done = 0; done < bodies; done++) {
    const text = Array.from({ length: random.integer(4) }, () => random.text()).join("@");
    const value = { name: text, count: random.integer(2 ** 31), tags: [random.text()], ratio: random.integer(9) / 7 };
    const encoder = encoders[done % 4];
    const payload = encoder ? encoder.encode(value, encodeContext).payload : new TextEncoder().encode(`@${text}`);
    for (const decoder of decoders) {
      if (decoder.sniff?.(payload) === "strong")
        throw new Error(`${decoder.name} claims ${Buffer.from(payload).toString("hex")}`);
    }
  }
}

const protos = `syntax = "proto3"; package proof;
message Body { int32 count = 8; string name = 9; repeated string tags = 10; double ratio = 11; }`;
