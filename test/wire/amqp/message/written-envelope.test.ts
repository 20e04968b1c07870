import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../../src/core/amqp-values/byte-writer.ts";
import { settableIn } from "../../../../src/wire/amqp/message/annotation-name.ts";
import { hasAnnotations } from "../../../../src/wire/amqp/message/envelope-annotations.ts";
import { batchMessageFormat, decodeBatch, encodeBatch } from "../../../../src/wire/amqp/message/batch.ts";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage, writeEnvelope } from "../../../../src/wire/amqp/message/encode-message.ts";
import { type MessageInit, writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import {
  amend,
  createEnvelope,
  type Envelope,
  type EnvelopeInit,
  sizeOf,
} from "../../../../src/core/envelope/index.ts";
import { AmqpMap, Typed } from "../../../../src/core/values/typed.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { hex } from "../../../core/amqp-values/vectors.support.ts";
import { attempt, writable } from "./arbitraries.support.ts";

describe("an envelope as a message", () => {
  it("asks each property of the sender that annotations carry whether it is set", () => {
    const set = [{ partitionKey: "k" }, { viaPartitionKey: "k" }, { scheduledEnqueueTimeUtc: new Date(0) }];

    expect(set.map((properties) => hasAnnotations(properties))).toEqual([true, true, true]);
    expect(settableIn("message-annotations").toSorted()).toEqual(set.flatMap(Object.keys).toSorted());
  });

  it("has exactly the size that sizeOf says, and comes back equal", () => {
    fc.assert(
      fc.property(writable, (init) => {
        const envelope = createEnvelope(init);
        const createdAt = new Date(0);
        const bytes = attempt(() => encodeMessage(envelope, { createdAt }));
        if (bytes === undefined) return;

        const again = decodeMessage(bytes);

        expect(sizeOf(envelope)).toBe(bytes.byteLength);
        expect(again.payload).toEqual(envelope.payload);
        expect(encodeMessage(createEnvelope(partsOf(again)), { createdAt })).toEqual(bytes);
      }),
    );
  });

  it("has the size that sizeOf says when it was received, with what no envelope names, and amended", () => {
    const extra: fc.Arbitrary<MessageInit> = fc.record(
      {
        header: fc.record(
          {
            durable: fc.boolean(),
            priority: fc.nat(9),
            ttl: fc.oneof(fc.integer({ min: 1, max: 2 ** 32 - 1 }), fc.constant(2 ** 32 - 1)),
          },
          { requiredKeys: [] },
        ),
        messageAnnotations: fc.constantFrom<MessageInit["messageAnnotations"]>(
          { "x-custom": 7, "x-opt-partition-key": typed.symbol("k") },
          { "x-nested": new AmqpMap([["a", ["b", typed.uint(300)]]]), "x-array": typed.array("int", [1, 2]) },
        ),
        properties: fc.record(
          {
            userId: fc.uint8Array({ maxLength: 300 }),
            groupSequence: fc.nat(),
            creationTime: fc.constant(new Date(5)),
            absoluteExpiryTime: fc.constantFrom(new Date(6), new Date(2 ** 40)),
          },
          { requiredKeys: [] },
        ),
        footer: fc.constant({ "x-foot": true }),
        body: fc.constantFrom<MessageInit["body"]>(
          { kind: "value", value: "v" },
          { kind: "data", sections: [hex("01"), hex("02")] },
          undefined,
        ),
      },
      { requiredKeys: [] },
    );
    const change = fc.tuple(writable, fc.subarray(["payload", "brokerProperties", "applicationProperties"] as const));
    fc.assert(
      fc.property(extra, change, (init, [all, kept]) => {
        const changes: Partial<EnvelopeInit> = {
          ...(kept.includes("payload") ? { payload: all.payload, bodyKind: all.bodyKind ?? "data" } : {}),
          ...(kept.includes("brokerProperties") ? { brokerProperties: all.brokerProperties } : {}),
          ...(kept.includes("applicationProperties") ? { applicationProperties: all.applicationProperties } : {}),
        };
        const amended = amend(decodeMessage(writeMessage(init)), changes);
        const bytes = attempt(() => encodeMessage(amended));
        if (bytes !== undefined) expect(sizeOf(amended)).toBe(bytes.byteLength);
      }),
    );
  });

  it.each([
    [{ bodyKind: "value", payload: hex("5401ff") }, "one AMQP value"],
    [{ bodyKind: "sequence", payload: hex("c00301540140") }, "AMQP lists"],
  ] as const)("is refused when its payload is not what its body kind says: %o", (init, why) => {
    expect(() => encodeMessage(createEnvelope(init))).toThrow(why);
  });

  it("names the property that AMQP cannot hold", () => {
    const envelope = createEnvelope({ payload: hex(""), applicationProperties: { tiny: new Typed("ubyte", 300) } });

    expect(() => encodeMessage(envelope)).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$.applicationProperties.tiny" }),
    );
    expect(() => encodeMessage(createEnvelope({ payload: hex(""), brokerProperties: { contentType: "ñ/ñ" } }))).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$.brokerProperties.contentType" }),
    );
  });

  it("has the types of the official JavaScript client in its profile, and keeps those of received properties", () => {
    const fresh = createEnvelope({ payload: hex(""), applicationProperties: { n: 5 } });
    const resent = amend(decodeMessage(encodeMessage(fresh)), { applicationProperties: { m: 6 } });

    const [own, kept] = [fresh, resent].map((envelope) =>
      parseMessage(encodeMessage(envelope, { profile: "azure-js" })),
    );

    expect(own?.applicationProperties).toEqual(new AmqpMap([["n", typed.uint(5)]]));
    expect(kept?.applicationProperties).toEqual(
      new AmqpMap([
        ["n", 5],
        ["m", 6],
      ]),
    );
  });

  it("makes one section of each list of a sequence", () => {
    const envelope = createEnvelope({
      bodyKind: "sequence",
      payload: hex("c00301540145d000000006000000015402"),
    });

    const bytes = encodeMessage(envelope);

    expect(parseMessage(bytes).body).toEqual({ kind: "sequence", sections: [[1], [], [2]] });
    expect(sizeOf(envelope)).toBe(bytes.byteLength);
    expect(decodeMessage(bytes).payload).toEqual(envelope.payload);
  });
});

describe("a message", () => {
  it.each<[MessageInit, string]>([
    [{ properties: { messageId: 1.5 } }, "$.properties.messageId"],
    [{ properties: { correlationId: -1 } }, "$.properties.correlationId"],
    [
      {
        messageAnnotations: new AmqpMap([
          [typed.symbol("a"), 1],
          [typed.symbol("a"), 2],
        ]),
      },
      "$.messageAnnotations{1}",
    ],
    [
      {
        applicationProperties: new AmqpMap([
          ["a", 1],
          ["a", 2],
        ]),
      },
      "$.applicationProperties.a",
    ],
  ])("is refused with the path to what it cannot hold: %o", (message, path) => {
    expect(() => writeMessage(message)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path }));
  });

  it.each([
    ['{"header":{"durable":1}}', "$.header.durable"],
    ['{"body":{"kind":"data","sections":["text"]}}', "$.body"],
    ['{"body":{"kind":"data","sections":[]}}', "$.body"],
    ['{"body":{"kind":"sequence","sections":[]}}', "$.body"],
    ['{"body":{"kind":"sequence","sections":["text"]}}', "$.body"],
  ])("is refused when a caller gives %s", (json, path) => {
    const message: MessageInit = JSON.parse(json);

    expect(() => writeMessage(message)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path }));
  });

  it("is refused when its application properties have members under symbols", () => {
    const applicationProperties = { [Symbol("hidden")]: 1, shown: 2 };

    expect(() => writeMessage({ applicationProperties })).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$.applicationProperties" }),
    );
  });

  it("is written after what a writer already holds, with the bytes of encodeMessage", () => {
    const created = createEnvelope({ payload: hex("0102"), brokerProperties: { messageId: "a" } });
    const received = decodeMessage(encodeMessage(created));
    const amended = amend(received, { applicationProperties: { n: 1 } });
    for (const envelope of [created, received, amended]) {
      const writer = new ByteWriter(8);
      writer.raw(hex("ffff"));

      writeEnvelope(writer, envelope);

      expect(writer.take()).toEqual(new Uint8Array(Buffer.concat([hex("ffff"), encodeMessage(envelope)])));
    }
  });

  it("gives views of the payload, and copies on request", () => {
    const bytes = writeMessage({ body: { kind: "data", sections: [hex("01")] } });
    const view = decodeMessage(bytes);
    const copy = decodeMessage(bytes, { copy: true });
    const payloads = [view.payload, copy.payload];

    bytes[bytes.byteLength - 1] = 9;

    expect(payloads).toEqual([hex("09"), hex("01")]);
  });
});

describe("a batch", () => {
  it("holds whole messages and comes apart again", () => {
    const one = createEnvelope({ payload: hex("01"), brokerProperties: { messageId: "a", sessionId: "s" } });
    const two = createEnvelope({ payload: hex("02"), applicationProperties: { n: 1n } });

    const batch = encodeBatch([one, two]);

    const parts = decodeBatch(batch);
    expect(parseMessage(batch).properties).toMatchObject({ messageId: "a", groupId: "s" });
    expect(parts.map(partsOf)).toEqual([one, two].map(partsOf));
    expect(batchMessageFormat).toBe(0x80013700);
  });

  it("names the message that cannot be read, and the byte of the whole", () => {
    const good = encodeMessage(createEnvelope({ payload: hex("01") }));
    const batch = writeMessage({ body: { kind: "data", sections: [good, hex("0053750000")] } });

    for (const copy of [false, true]) {
      expect(() => decodeBatch(batch, { copy })).toThrow(
        expect.objectContaining({ code: "DecodeFailed", offset: batch.byteLength - 2, path: "$.data[1]" }),
      );
    }
  });

  it("is refused when it is empty or has no data", () => {
    expect(() => encodeBatch([])).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    expect(() => decodeBatch(hex("00537740"))).toThrow(expect.objectContaining({ code: "DecodeFailed" }));
  });
});

function partsOf({ payload, bodyKind, brokerProperties, applicationProperties }: Envelope): EnvelopeInit {
  return {
    payload,
    bodyKind,
    brokerProperties: { ...brokerProperties },
    applicationProperties: { ...applicationProperties },
  };
}
