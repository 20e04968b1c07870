import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../../src/core/amqp-values/byte-writer.ts";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { SectionLayout } from "../../../../src/wire/amqp/message/section-layout.ts";
import { DeliveryMessage } from "../../../../src/wire/amqp/message/delivery-message.ts";
import { type Delivery, lockToken } from "../../../../src/core/engine/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { amend } from "../../../../src/core/envelope/index.ts";

const facts: Omit<Delivery, "envelope"> = {
  lockToken: lockToken("00112233-4455-6677-8899-aabbccddeeff"),
  lockedUntilUtc: new Date(1_800_000_060_000),
  sequenceNumber: 9_000_000_000n,
  enqueuedSequenceNumber: 3n,
  enqueuedTimeUtc: new Date(1_800_000_000_000),
  expiresAtUtc: undefined,
  deliveryCount: 0,
  state: "active",
  deadLetterSource: undefined,
  deadLetterReason: undefined,
  deadLetterErrorDescription: undefined,
};

/** The message as a receiver reads it. */
function reading(bytes: Uint8Array): unknown {
  const message = parseMessage(bytes);
  const { header, messageAnnotations, deliveryAnnotations } = message;
  const bare = [message.sectionBytes("properties"), message.sectionBytes("applicationProperties"), message.bodyBytes()];
  return {
    header,
    deliveryAnnotations,
    annotations: [...(messageAnnotations ?? [])],
    bare: [...bare, message.sectionBytes("footer")].map((part) => Buffer.from(part ?? []).toString("hex")),
  };
}

describe("a delivery that writes itself", () => {
  it("is what encodeMessage makes of it, and no shorter than it says", () => {
    const message = fc.record({
      header: fc.option(
        fc.record(
          { durable: fc.boolean(), priority: fc.integer({ min: 0, max: 9 }), ttl: fc.integer({ min: 1, max: 9e6 }) },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
      deliveryAnnotations: fc.option(fc.constant({ "x-hop": "1" }), { nil: undefined }),
      messageAnnotations: fc.option(fc.constant({ "x-custom": "kept" }), { nil: undefined, freq: 4 }),
      properties: fc.option(fc.record({ messageId: fc.string(), to: fc.string() }), { nil: undefined }),
      applicationProperties: fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined }),
      body: fc.oneof(
        fc.uint8Array({ maxLength: 600 }).map((data) => ({ kind: "data" as const, sections: [data] })),
        fc.string().map((value) => ({ kind: "value" as const, value })),
      ),
      footer: fc.option(fc.constant({ f: "o" }), { nil: undefined }),
    });
    let direct = 0;
    fc.assert(
      fc.property(message, fc.integer({ min: 0, max: 300 }), fc.boolean(), (init, deliveryCount, isLocked) => {
        const envelope = decodeMessage(writeMessage(init));
        const unlocked = { lockToken: undefined, lockedUntilUtc: undefined };
        const delivery: Delivery = { envelope, ...facts, deliveryCount, ...(isLocked ? {} : unlocked) };

        const out = new DeliveryMessage(delivery, !isLocked);

        const expected = encodeMessage(envelope, { delivery });
        expect(reading(out.payload)).toEqual(reading(expected));
        if (new SectionLayout().read(writeMessage(init))) direct++;
        const written = ByteWriter.collect((writer) => out.write(writer));
        expect(reading(written)).toEqual(reading(expected));
        expect(written.byteLength).toBeGreaterThanOrEqual(out.least);
      }),
      // Three draws in four have annotations and are not written directly: a hundred of the others are left.
      { numRuns: 400 },
    );
    expect(direct).toBeGreaterThan(20);
  });

  it("carries its lock token as a delivery annotation, where some clients look for it", () => {
    const envelope = decodeMessage(writeMessage({ body: { kind: "value", value: 1 } }));
    const out = new DeliveryMessage({ envelope, ...facts }, false);

    const written = ByteWriter.collect((writer) => out.write(writer));

    const expected = [[typed.symbol("x-opt-lock-token"), typed.uuid(String(facts.lockToken))]];
    for (const bytes of [written, encodeMessage(envelope, { delivery: facts })])
      expect([...(parseMessage(bytes).deliveryAnnotations ?? [])]).toEqual(expected);
  });

  it("is encoded again when the broker has changed the message", () => {
    const envelope = amend(decodeMessage(writeMessage({ body: { kind: "value", value: 1 } })), {
      applicationProperties: { why: "changed" },
    });
    const out = new DeliveryMessage({ envelope, ...facts }, false);

    const written = ByteWriter.collect((writer) => out.write(writer));

    expect(parseMessage(written).applicationProperties?.get("why")).toBe("changed");
  });

  it.each([
    ["list0 and map8", "00537045 005372c10100"],
    ["list32 and map32, as the official client does", "005370d00000000400000000 005372d10000000400000000"],
  ])("goes out as it came when header and annotations are empty, written as %s", (_format, head) => {
    const bare = writeMessage({ properties: { messageId: "1" }, body: { kind: "data", sections: [Buffer.of(7)] } });
    const bytes = Buffer.concat([Buffer.from(head.replaceAll(" ", ""), "hex"), bare]);
    const envelope = decodeMessage(bytes);
    const out = new DeliveryMessage({ envelope, ...facts }, false);

    const written = ByteWriter.collect((writer) => out.write(writer));

    expect(new SectionLayout().read(bytes)).toBe(true);
    expect(reading(written)).toEqual(reading(encodeMessage(envelope, { delivery: { ...facts } })));
    expect(Buffer.from(written.subarray(-bare.byteLength)).equals(bare)).toBe(true);
  });

  it("rewrites the properties, and copies the rest, when the broker has given it a message id", () => {
    const received = decodeMessage(
      writeMessage({
        header: { durable: true },
        properties: { contentType: "text/plain", userId: Buffer.of(1) },
        applicationProperties: { a: 1 },
        body: { kind: "data", sections: [Buffer.of(7)] },
      }),
    );
    const envelope = amend(received, { brokerProperties: { messageId: "given", timeToLive: 5 } });
    const out = new DeliveryMessage({ envelope, ...facts }, false);

    const written = ByteWriter.collect((writer) => out.write(writer));

    expect(reading(written)).toEqual(reading(encodeMessage(envelope, { delivery: { ...facts } })));
    expect(parseMessage(written).properties).toMatchObject({ messageId: "given", userId: Uint8Array.of(1) });
  });
});
