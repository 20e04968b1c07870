import { pack, unpack } from "msgpackr";
import protobufjs from "protobufjs";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { compare, type Figure } from "./harness.ts";
import { order, orderProto, protobufOrder } from "./order.ts";

const serializer = createSerializer({
  codecs: [json(), msgpack(), protobuf({ protos: orderProto, type: "bench.Order" })],
});
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();
const orderType = protobufjs.parse(orderProto).root.lookupType("bench.Order");

const jsonText = JSON.stringify(order);
const jsonBytes = encoder.encode(jsonText);
const msgpackBytes = pack(order);
const protobufBytes = orderType.encode(orderType.fromObject(protobufOrder)).finish();

const envelope = (payload: Uint8Array, contentType: string): Envelope =>
  createEnvelope({ payload, brokerProperties: { contentType } });
const jsonEnvelope = envelope(jsonBytes, "application/json");
const msgpackEnvelope = envelope(msgpackBytes, "application/vnd.msgpack");
const protobufEnvelope = envelope(protobufBytes, "application/protobuf");

/** The whole chain on an order of 450 bytes, against the bare calls of the same libraries. */
export async function bench(): Promise<readonly Figure[]> {
  const reading = compare({
    "JSON bare": () => JSON.parse(decoder.decode(jsonBytes)),
    "JSON chain": () => serializer.deserialize(jsonEnvelope),
    "MessagePack bare": () => unpack(msgpackBytes),
    "MessagePack chain": () => serializer.deserialize(msgpackEnvelope),
    "Protobuf bare": () => orderType.toObject(orderType.decode(protobufBytes), { longs: BigInt, enums: String }),
    "Protobuf chain": () => serializer.deserialize(protobufEnvelope),
  });
  const writing = compare({
    "JSON bare": () => encoder.encode(JSON.stringify(order)),
    "JSON chain": () => serializer.serialize({ body: order, contentType: "application/json" }),
    "MessagePack bare": () => pack(order),
    "MessagePack chain": () => serializer.serialize({ body: order, contentType: "application/vnd.msgpack" }),
    "Protobuf bare": () => orderType.encode(orderType.fromObject(protobufOrder)).finish(),
    "Protobuf chain": () => serializer.serialize({ body: protobufOrder, contentType: "application/protobuf" }),
  });
  const selecting = compare({
    parse: () => JSON.parse(jsonText),
    select: () => serializer.registry.select("application/json", "data"),
  });
  console.log(
    `  ${jsonBytes.length} bytes of JSON, ${msgpackBytes.length} of MessagePack, ${protobufBytes.length} of Protobuf`,
  );
  console.log(`  nanoseconds reading: ${nanoseconds(reading)}`);
  console.log(`  nanoseconds writing: ${nanoseconds(writing)}`);
  const limits = [
    ["JSON", 1.3],
    ["MessagePack", 1.35],
    ["Protobuf", 1.2],
  ] as const;
  return [
    ...limits.map(([name, most]) =>
      atMost(`deserialize ${name}, times the bare call`, reading.ratio(`${name} chain`, `${name} bare`), most),
    ),
    ...limits.map(([name, most]) =>
      atMost(`serialize ${name}, times the bare call`, writing.ratio(`${name} chain`, `${name} bare`), most),
    ),
    {
      ...atMost("content-type selection, share of a JSON.parse", 100 * selecting.ratio("select", "parse"), 5),
      unit: " %",
    },
  ];
}

function atMost(name: string, measured: number, target: number): Figure {
  return { name, measured, bound: "most", target, floor: target * 1.15, unit: "×" };
}

function nanoseconds(comparison: ReturnType<typeof compare>): string {
  return comparison.names.map((name) => `${name} ${Math.round(comparison.nanoseconds[name] ?? 0)}`).join(", ");
}
