import { describe, expect, it } from "vitest";
import { amqp } from "../../codecs/amqp/index.ts";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { createSerializer, type Encoder } from "../../src/core/codec/index.ts";
import type { EnvelopeInit } from "../../src/core/envelope/index.ts";
import { valueFromJson } from "../../src/core/values/value-json-reading.ts";
import type { TargetFormat } from "../../src/migration/index.ts";
import { serializer as everyday } from "./samples.support.ts";
import { writing } from "./written.support.ts";

const { migrated } = writing();

/** The least and greatest integer of every width, and their neighbours. */
const boundaries = [7, 8, 15, 16, 31, 32, 53, 63, 64]
  .flatMap((bits) => [2n ** BigInt(bits), -(2n ** BigInt(bits))])
  .flatMap((bound) => [bound - 1n, bound, bound + 1n])
  .filter((value) => value >= -(2n ** 63n) && value < 2n ** 64n);

const member = { a: { "x-dotnet": "long" }, b: { "x-dotnet": "ulong" } } as const;
const contract = { title: "Box", "x-dotnet": { namespace: "urn:box" }, properties: { V: member.a } } as const;
const unsigned = { ...contract, properties: { V: member.b } } as const;
const protos = 'syntax = "proto3"; message Box { int64 V = 1; } message Big { uint64 V = 1; }';
const serializer = createSerializer({
  codecs: [...everyday.registry.decoders, amqp(), protobuf({ protos })],
  fallback: ["json", "nbfx", "datacontract-xml"],
  whenUnknown: "fallback",
});

const isSigned = (value: bigint): boolean => value < 2n ** 63n;
const by = (codec: Encoder, contentType: string, body: unknown): EnvelopeInit => ({
  payload: codec.encode(body, { contentType: undefined, applicationProperties: {} }).payload,
  brokerProperties: { contentType },
});

/** How each format writes an integer. */
const sources: Readonly<Record<string, (value: bigint) => EnvelopeInit>> = {
  json: (V) => ({ payload: Buffer.from(`{"V":${V}}`), brokerProperties: { contentType: "application/json" } }),
  msgpack: (V) => by(msgpack(), "application/msgpack", { V }),
  amqp: (V) => by(amqp(), "application/x-amqp-value", { V }),
  nbfx: (V) => by(nbfx({ contracts: [isSigned(V) ? contract : unsigned] }), "application/x-nbfx", { V }),
  xml: (V) => ({
    payload: Buffer.from(
      `<Box xmlns="urn:box" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="http://www.w3.org/2001/XMLSchema"><V i:type="x:${isSigned(V) ? "long" : "unsignedLong"}">${V}</V></Box>`,
    ),
    brokerProperties: { contentType: "application/xml" },
  }),
  protobuf: (V) => {
    const type = isSigned(V) ? "Box" : "Big";
    return by(protobuf({ protos, type }), `application/x-protobuf; messageType=${type}`, { V });
  },
};

/** The integer in a migrated message. */
function integerIn(format: TargetFormat, payload: Uint8Array): bigint {
  const body: unknown =
    format === "msgpack"
      ? everyday.registry.decoders
          .find(({ name }) => name === "msgpack")
          ?.decode(payload, {
            contentType: undefined,
            applicationProperties: {},
            bodyKind: "data",
            limits: everyday.limits,
          })
      : {
          body:
            format === "json"
              ? JSON.parse(Buffer.from(payload).toString())
              : valueFromJson(JSON.parse(Buffer.from(payload).toString())),
        };
  const { V } = Object(Object(body).body);
  return BigInt(V);
}

describe.each(Object.entries(sources))("integers of %s at the boundary of every width", (name, source) => {
  it.each<TargetFormat>(["json", "msgpack", "tagged-json", "protobuf"])("are the same as %s", async (format) => {
    for (const values of [boundaries.filter(isSigned), boundaries.filter((value) => !isSigned(value))]) {
      const { report, envelopes } = await migrated(values.map(source), { serializer, target: { format } });

      expect(report.failures).toEqual([]);
      expect(report.losses.filter(({ kind }) => kind !== "number-as-text")).toEqual([]);
      expect(envelopes).toHaveLength(values.length);
      if (format === "protobuf") continue;
      const written = envelopes.map(({ payload }) => payload);
      if (format.endsWith("json") && name === "json") {
        expect(written.map((payload) => Buffer.from(payload).toString())).toEqual(
          values.map((value) => `{"V":${value}}`),
        );
      } else expect(written.map((payload) => integerIn(format, payload))).toEqual(values);
    }
  });
});
