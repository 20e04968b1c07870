import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromAmqplibMessage, toAmqplibMessage } from "../../../src/client/interop/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type Envelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import { bytes } from "../../core/envelope/arbitraries.support.ts";

const content = Buffer.from('{"id":1}');

function read(properties: object): Envelope {
  return fromAmqplibMessage({ content, fields: { deliveryTag: 1, exchange: "e", routingKey: "k" }, properties });
}

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const names091 = fc
  .oneof(fc.constantFrom("constructor", "toString", "!", "x-death"), text)
  .filter((name) => name !== "__proto__");
const seconds = fc.integer({ min: 0, max: 8_640_000_000 }).map((value) => new Date(value * 1000));
const held = fc.oneof(
  fc.constantFrom(null, true, false, -0, Number.NaN, Infinity, 2 ** 60, -1e300, 2 ** 31),
  text,
  fc.integer(),
  fc.double(),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  seconds,
  bytes,
  fc.integer({ min: 0, max: 255 }).map(typed.ubyte),
  fc.integer({ min: 0, max: 65_535 }).map(typed.ushort),
  fc.integer({ min: 0, max: 0xffff_ffff }).map(typed.uint),
  fc.integer({ min: -128, max: 127 }).map(typed.byte),
  fc.integer({ min: -32_768, max: 32_767 }).map(typed.short),
  fc.integer().map(typed.int),
  fc.integer().map(typed.double),
  fc.float().map(typed.float),
);

const envelopes: fc.Arbitrary<Envelope> = fc
  .record<EnvelopeInit>({
    payload: bytes,
    brokerProperties: fc.record(
      {
        contentType: text,
        contentEncoding: text,
        correlationId: text,
        messageId: text,
        viaPartitionKey: text,
        replyTo: text,
        replyToSessionId: text,
        scheduledEnqueueTimeUtc: fc.date({ noInvalidDate: true }),
        sessionId: text,
        subject: text,
        timeToLive: fc.integer({ min: 1, max: 0xffff_ffff }),
        to: text,
      },
      { requiredKeys: [] },
    ),
    applicationProperties: fc.dictionary(names091, held, { maxKeys: 6 }),
  })
  .map(createEnvelope);

describe("toAmqplibMessage and fromAmqplibMessage", () => {
  it("round-trip every envelope that AMQP 0-9-1 can hold", () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        expect(fromAmqplibMessage(toAmqplibMessage(envelope))).toEqual(envelope);
      }),
    );
  });

  it("round-trip every message that amqplib can receive", () => {
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(fc.constantFrom(null, true), text, fc.integer(), fc.double({ noNaN: true })),
        bytes.map((some) => Buffer.from(some)),
        fc.nat().map((time) => ({ "!": "timestamp", value: time })),
        fc.record({ places: fc.nat(255), digits: fc.nat() }).map((decimal) => ({ "!": "decimal", value: decimal })),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(names091, tie("value"), { maxKeys: 3 }),
      ),
    }));
    const properties = fc.record(
      {
        contentType: text,
        contentEncoding: text,
        headers: fc.dictionary(names091, value, { maxKeys: 5 }),
        deliveryMode: fc.constantFrom(1, 2),
        priority: fc.nat(255),
        correlationId: text,
        replyTo: text,
        expiration: fc.oneof(fc.nat().map(String), fc.constant("0100")),
        messageId: text,
        timestamp: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        type: text,
        userId: text,
        appId: text,
        clusterId: text,
      },
      { requiredKeys: ["headers"] },
    );

    fc.assert(
      fc.property(properties, (given) => {
        const there = toAmqplibMessage(read(given));

        // A double is tagged on the way back, so that amqplib cannot choose an integer type for it.
        expect(JSON.stringify(there.properties, plainNumbers)).toBe(
          JSON.stringify(sortedLike(given, there.properties), plainNumbers),
        );
        expect(there.content.equals(content)).toBe(true);
      }),
    );
  });

  it("keep bytes as views and give each side its own class", () => {
    const envelope = read({ headers: { raw: Buffer.of(1, 2) } });
    const there = toAmqplibMessage(envelope);

    expect(envelope.payload.buffer).toBe(content.buffer);
    expect(Buffer.isBuffer(envelope.payload)).toBe(false);
    expect(Buffer.isBuffer(envelope.applicationProperties["raw"])).toBe(false);
    expect(Buffer.isBuffer(there.content)).toBe(true);
    expect(Buffer.isBuffer(there.properties.headers["raw"])).toBe(true);
  });
});

/** `-0` has no JSON, and tagged doubles are compared as numbers. */
function plainNumbers(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const isDouble =
    typeof value === "object" && value !== null && "!" in value && value["!"] === "double" && "value" in value;
  return isDouble ? plainNumbers("", value.value) : value;
}

/** The members of `given` in the order that they have in `model`. */
function sortedLike(given: object, model: object): object {
  const order = Object.keys(model);
  return Object.fromEntries(Object.entries(given).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}
