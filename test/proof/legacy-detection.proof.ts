import { legacy } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { type Random, seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

const total = { share: 50_000, full: 125_000 };

/** No reader of legacy payloads is sure of a body that is JSON, MessagePack, Protobuf or text. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const perKind = full ? total.full : total.share;
  const random = seeded(seed);
  const readers = legacy({ rawDeflate: true });
  const weak = new Map<string, number>();
  for (const [kind, make] of Object.entries(kinds)) {
    for (let done = 0; done < perKind; done++) {
      const payload = make(random);
      for (const reader of readers) {
        const verdict = reader.sniff?.(payload) ?? "weak";
        if (verdict === "strong") {
          throw new Error(`${reader.name} is sure of ${kind}: ${Buffer.from(payload).toString("hex")}`);
        }
        if (verdict === "weak") weak.set(`${reader.name} ${kind}`, (weak.get(`${reader.name} ${kind}`) ?? 0) + 1);
      }
    }
  }
  const sniffed = Array.from(weak, ([what, count]) => `${what} ${count}`)
    .filter((text) => !/^(?:datacontract-json|deflate)/.test(text))
    .toSorted();
  const bodies = perKind * Object.keys(kinds).length;
  return await Promise.resolve(`${bodies} bodies, no strong verdict; weak ones: ${sniffed.join(", ") || "none"}`);
}

const encoder = new TextEncoder();
const packer = msgpack();
const context = { contentType: undefined, applicationProperties: {} };

const kinds: Readonly<Record<string, (random: Random) => Uint8Array>> = {
  JSON: (random) => encoder.encode(JSON.stringify(value(random, 3), undefined, random.integer(3))),
  MessagePack: (random) => packer.encode(value(random, 3), context).payload.slice(),
  Protobuf: protobufBytes,
  text: (random) => encoder.encode(textOf(random)),
};

function value(random: Random, depth: number): unknown {
  switch (random.integer(depth === 0 ? 5 : 8)) {
    case 0:
      return random.text();
    case 1:
      return random.integer(2 ** 31) - 2 ** 30;
    case 2:
      return random.integer(1000) / 8;
    case 3:
      return random.chance(0.5);
    case 4:
      return null;
    case 5:
      return Array.from({ length: random.integer(6) }, () => value(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.integer(6) }, () => [random.text(), value(random, depth - 1)]),
      );
  }
}

/** Fields of the wire format with numbers from 1 to 30; half begin with field 8, whose tag is that of an NBFX element. */
function protobufBytes(random: Random): Uint8Array {
  const bytes: number[] = [];
  const varint = (number: number): void => {
    let left = number;
    for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
    bytes.push(left);
  };
  const fields = 1 + random.integer(12);
  for (let field = 0; field < fields; field++) {
    const number = field === 0 && random.chance(0.5) ? 8 : 1 + random.integer(30);
    const wireType = field === 0 && number === 8 ? 0 : random.pick([0, 1, 2, 5]);
    varint(number * 8 + wireType);
    if (wireType === 0) varint(random.integer(random.pick([2, 128, 65_536, 2 ** 31])));
    else if (wireType === 2) {
      const text = random.chance(0.5) ? encoder.encode(random.text()) : random.bytes(random.integer(24));
      varint(text.length);
      bytes.push(...text);
    } else bytes.push(...random.bytes(wireType === 1 ? 8 : 4));
  }
  return Uint8Array.from(bytes);
}

/** Words; some begin as the other formats do: with `@`, as NBFX, with `<`, as XML, with a brace or a digit. */
function textOf(random: Random): string {
  const start = random.pick(["", "", "@", "<", "<a", "</a>", "{", "[", "x", "^", "A", "a", "-", "7", "\t", '"']);
  const words = Array.from({ length: 1 + random.integer(12) }, () => random.text());
  return start + words.join(random.pick([" ", "", "\n"]));
}
