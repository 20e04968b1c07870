import * as zlib from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fromServiceBusMessage,
  type ServiceBusMessageLike,
  toServiceBusMessage,
} from "../../../src/client/interop/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type Envelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import { compression } from "../../../src/client/stages/index.ts";
import { bytes } from "../../core/envelope/arbitraries.support.ts";
import { refusal } from "../../refusal.support.ts";

const body = Buffer.from('{"id":1}');
const payload = new Uint8Array(body);

/** The properties that the official client adds to a received message. */
const delivery = { deliveryCount: 1, lockToken: "t", sequenceNumber: 5, state: "active", enqueuedTimeUtc: new Date(0) };

/** A received message with whatever members, as a caller without types would have it. */
function read(members: object): Envelope {
  const message: ServiceBusMessageLike = Object.assign({ body, ...delivery }, members);
  return fromServiceBusMessage(message);
}

describe("toServiceBusMessage and fromServiceBusMessage", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const ids = fc.oneof(text, fc.nat(), fc.uuid().map(typed.uuid));
  const held = fc.oneof(
    fc.constantFrom(null, true, false, Infinity, -Infinity, 2 ** 53 - 1),
    text,
    fc.integer(),
    fc.double({ noNaN: true, noInteger: true }),
    fc.date({ noInvalidDate: true }),
  );
  const envelopes = fc
    .record<EnvelopeInit>({
      payload: bytes,
      brokerProperties: fc.record(
        {
          contentType: fc.string({ unit: "binary-ascii" }),
          contentEncoding: text,
          correlationId: ids,
          messageId: ids,
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
      applicationProperties: fc.dictionary(
        fc.oneof(fc.constantFrom("toString", "constructor"), text).filter((name) => name !== "__proto__"),
        held,
        {
          maxKeys: 6,
        },
      ),
    })
    .map(createEnvelope);

  it("round-trip every envelope that the official client can hold", () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        const message = toServiceBusMessage(envelope);

        expect(Buffer.isBuffer(message.body)).toBe(true);
        expect(fromServiceBusMessage(message)).toEqual(envelope);
        expect(read(message)).toEqual(envelope);
      }),
    );
  });
});

describe("fromServiceBusMessage", () => {
  it("takes the bytes as a view and leaves what the broker says aside", () => {
    const envelope = read({ subject: "s", deadLetterReason: "r", applicationProperties: { tenant: "acme" } });

    expect(envelope).toEqual(
      createEnvelope({ payload, brokerProperties: { subject: "s" }, applicationProperties: { tenant: "acme" } }),
    );
    expect(envelope.payload.buffer).toBe(body.buffer);
    expect(Buffer.isBuffer(envelope.payload)).toBe(false);
  });

  it.each([[{ id: 1 }], ["text"], [5], [null], [true], [[1]], [[]]])(
    "says of the parsed body %j how to receive bytes",
    (parsed) => {
      const error = refusal(() => read({ body: parsed }));

      expect(error).toMatchObject({ code: "InvalidArgument", path: "$.body" });
      expect(error.message).toContain("skipParsingBodyAsJson: true");
    },
  );

  it("joins several data sections, and treats a missing one as an empty payload", () => {
    expect(read({ body: [Buffer.from('{"id"'), Buffer.from(":1}")] }).payload).toEqual(payload);
    expect(read({ body: undefined, _rawAmqpMessage: { bodyType: "value" } })).toEqual(
      createEnvelope({ payload: new Uint8Array() }),
    );
  });

  it.each([
    ["text", Uint8Array.of(0xa1, 4, 0x74, 0x65, 0x78, 0x74)],
    [Buffer.of(1, 2), Uint8Array.of(0xa0, 2, 1, 2)],
    ["", Uint8Array.of(0xa1, 0)],
    [null, Uint8Array.of(0x40)],
  ])("encodes the value body %o as the AMQP value it was", (value, encoded) => {
    const envelope = read({ body: value, _rawAmqpMessage: { bodyType: "value" } });

    expect(envelope).toEqual(createEnvelope({ payload: encoded, bodyKind: "value" }));
  });

  it("encodes a long value body with the wide constructor", () => {
    const { payload: long } = read({ body: "é".repeat(128), _rawAmqpMessage: { bodyType: "value" } });

    expect([...long.subarray(0, 7)]).toEqual([0xb1, 0, 0, 1, 0, 0xc3, 0xa9]);
    expect(long.byteLength).toBe(5 + 256);
  });

  it.each([
    ["value", { map: 1 }],
    ["value", 5],
    ["value", true],
    ["sequence", [[1]]],
  ])("refuses an AMQP %s of which the client keeps no bytes", (bodyType, value) => {
    const error = refusal(() => read({ body: value, _rawAmqpMessage: { bodyType } }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.body" });
    expect(error.message).toContain(bodyType);
  });

  it("finds the content encoding and the via-partition key in the raw message, where the client forgets them", () => {
    const { brokerProperties } = read({
      _rawAmqpMessage: {
        bodyType: "data",
        properties: { contentEncoding: "gzip" },
        messageAnnotations: { "x-opt-via-partition-key": "v" },
      },
    });

    expect(brokerProperties).toEqual({ contentEncoding: "gzip", viaPartitionKey: "v" });
  });

  it("finds the content encoding in the application property, and keeps one that says something else", () => {
    const declared = { "Content-Encoding": "br", x: 1 };
    const raw = { properties: { contentEncoding: "gzip" } };

    const alone = read({ applicationProperties: declared });
    const both = read({ applicationProperties: declared, _rawAmqpMessage: raw });
    const twice = read({ applicationProperties: { "Content-Encoding": "gzip" }, _rawAmqpMessage: raw });
    const other = read({ applicationProperties: { "Content-Encoding": 5 } });

    expect([alone.brokerProperties.contentEncoding, { ...alone.applicationProperties }]).toEqual(["br", { x: 1 }]);
    expect([both.brokerProperties.contentEncoding, { ...both.applicationProperties }]).toEqual(["gzip", declared]);
    expect([twice.brokerProperties.contentEncoding, { ...twice.applicationProperties }]).toEqual(["gzip", {}]);
    expect([other.brokerProperties.contentEncoding, { ...other.applicationProperties }]).toEqual([
      undefined,
      { "Content-Encoding": 5 },
    ]);
  });

  it("keeps lists, maps and described values among the properties as JSON text", () => {
    class Wrapped {
      readonly descriptor = "com.microsoft:timespan";
      readonly value = 36_000;
      toString(): string {
        return "10:00";
      }
    }

    const { applicationProperties } = read({
      applicationProperties: { list: [1, Buffer.of(1)], span: new Wrapped(), plain: "p" },
    });

    expect({ ...applicationProperties }).toEqual({
      list: '[1,{"$bytes":"AQ=="}]',
      span: '{"descriptor":"com.microsoft:timespan","value":36000}',
      plain: "p",
      "sobre-json": '["list","span"]',
    });
  });

  it("accepts milliseconds as a scheduled time and null as absent, and refuses a time to live below 1", () => {
    const envelope = read({
      scheduledEnqueueTimeUtc: 1000,
      subject: null,
      messageId: null,
      timeToLive: -5,
      contentType: null,
    });

    expect(envelope.brokerProperties).toEqual({ scheduledEnqueueTimeUtc: new Date(1000) });
  });

  it("names the property that an envelope refuses", () => {
    expect(refusal(() => read({ messageId: "x".repeat(129) }))).toMatchObject({
      code: "InvalidArgument",
      path: "$.brokerProperties.messageId",
    });
    expect(refusal(() => read({ timeToLive: "soon" }))).toMatchObject({
      code: "InvalidArgument",
      path: "$.brokerProperties.timeToLive",
    });
  });
});

describe("toServiceBusMessage", () => {
  it("gives the payload as a Buffer over the same memory", () => {
    const message = toServiceBusMessage(createEnvelope({ payload }));

    expect(Buffer.isBuffer(message.body)).toBe(true);
    expect(message.body.buffer).toBe(payload.buffer);
    expect(Object.keys(message)).toEqual(["body"]);
  });

  it("gives uuids as the 16 bytes that the client sends as a uuid, and reads them so", () => {
    const messageId = typed.uuid("0f8fad5b-d9cb-469f-a165-70867728950e");
    const message = toServiceBusMessage(createEnvelope({ payload, brokerProperties: { messageId } }));

    expect(message.messageId).toEqual(Buffer.from("0f8fad5bd9cb469fa16570867728950e", "hex"));
    expect(fromServiceBusMessage(message).brokerProperties.messageId).toEqual(messageId);
    expect(read({ correlationId: Buffer.of(1, 2) }).brokerProperties.correlationId).toEqual(Uint8Array.of(1, 2));
  });

  it("gives small bigint ids as the numbers they are on the wire", () => {
    const message = toServiceBusMessage(
      createEnvelope({ payload, brokerProperties: { messageId: 5n, correlationId: 7 } }),
    );

    expect(message).toMatchObject({ messageId: 5, correlationId: 7 });
  });

  it("writes the content encoding where the compression stage of the other side finds it", async () => {
    const compressed = createEnvelope({
      payload: zlib.gzipSync(payload),
      brokerProperties: { contentEncoding: "gzip" },
    });

    const message = toServiceBusMessage(compressed);
    const readable = await compression().afterReceive?.(fromServiceBusMessage(message));

    expect(message.applicationProperties).toEqual({ "Content-Encoding": "gzip" });
    expect(readable?.payload).toEqual(payload);
  });

  it.each<[Omit<EnvelopeInit, "payload">, string]>([
    [{ bodyKind: "value" }, "$.bodyKind"],
    [{ bodyKind: "sequence" }, "$.bodyKind"],
    [{ brokerProperties: { viaPartitionKey: "v" } }, "$.brokerProperties.viaPartitionKey"],
    [{ brokerProperties: { messageId: 2n ** 60n } }, "$.brokerProperties.messageId"],
    [{ brokerProperties: { correlationId: new Uint8Array(16) } }, "$.brokerProperties.correlationId"],
    [{ brokerProperties: { timeToLive: 2 ** 32 } }, "$.brokerProperties.timeToLive"],
    [{ brokerProperties: { timeToLive: Infinity } }, "$.brokerProperties.timeToLive"],
    [{ brokerProperties: { contentType: "text/é" } }, "$.brokerProperties.contentType"],
    [
      { brokerProperties: { contentEncoding: "gzip" }, applicationProperties: { "Content-Encoding": "br" } },
      "$.applicationProperties.Content-Encoding",
    ],
    [{ applicationProperties: { x: 5n } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: Uint8Array.of(1) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: typed.int(5) } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: Number.NaN } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: -0 } }, "$.applicationProperties.x"],
    [{ applicationProperties: { x: 2 ** 53 } }, "$.applicationProperties.x"],
    [{ applicationProperties: Object.fromEntries([["__proto__", 1]]) }, "$.applicationProperties.__proto__"],
  ])("refuses %o, naming %s", (init, path) => {
    const envelope = createEnvelope({ payload, ...init });

    expect(refusal(() => toServiceBusMessage(envelope))).toMatchObject({ code: "UnsupportedValue", path });
  });
});
