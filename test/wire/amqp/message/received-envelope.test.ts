import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeBatch } from "../../../../src/wire/amqp/message/batch.ts";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { lockToken } from "../../../../src/core/engine/index.ts";
import { amend, createEnvelope, sizeOf } from "../../../../src/core/envelope/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { SobreError } from "../../../../src/core/errors/index.ts";
import { hex } from "../../../core/amqp-values/vectors.support.ts";

const received = writeMessage({
  header: { durable: true, priority: 7, ttl: 1000, deliveryCount: 3 },
  deliveryAnnotations: { "x-opt-hop": 1 },
  messageAnnotations: { "x-opt-partition-key": "eu", "x-acme": typed.ubyte(1), "x-opt-sequence-number": 9n },
  properties: { messageId: "m1", userId: hex("01"), subject: "s", groupSequence: 4, creationTime: new Date(5) },
  applicationProperties: { count: typed.uint(5), price: typed.float(0.5) },
  body: { kind: "data", sections: [hex("01"), hex("0203")] },
  footer: { "x-sum": 5n },
});

function bytesOf(message: Uint8Array, name: string): string {
  const border = parseMessage(message)
    .borders()
    .find((candidate) => candidate.name === name);
  return border === undefined ? "none" : Buffer.from(message.subarray(border.start, border.end)).toString("hex");
}

describe("a received message as an envelope", () => {
  it("has the broker and application properties of its sections, and one payload", () => {
    const { payload, bodyKind, brokerProperties, applicationProperties } = decodeMessage(received);

    expect({ payload, bodyKind, brokerProperties, applicationProperties }).toEqual({
      payload: hex("010203"),
      bodyKind: "data",
      brokerProperties: { messageId: "m1", subject: "s", partitionKey: "eu", timeToLive: 1000 },
      applicationProperties: { count: typed.uint(5), price: typed.float(0.5) },
    });
  });

  it("comes back as the very same bytes", () => {
    const envelope = decodeMessage(received);

    expect(encodeMessage(envelope)).toBe(received);
    expect(encodeMessage(amend(envelope, {}))).toBe(received);
  });

  it.each([
    [{ applicationProperties: { added: 1 } }, ["applicationProperties"]],
    [{ brokerProperties: { subject: "t" } }, ["properties"]],
    [{ brokerProperties: { timeToLive: 5 } }, ["header"]],
    [{ brokerProperties: { scheduledEnqueueTimeUtc: new Date(7) } }, ["messageAnnotations"]],
    [{ payload: hex("09") }, ["data"]],
  ])("with %o changes only %o", (changes, changed) => {
    const bytes = encodeMessage(amend(decodeMessage(received), changes));

    const sections = [
      "header",
      "deliveryAnnotations",
      "messageAnnotations",
      "properties",
      "applicationProperties",
      "data",
      "footer",
    ];
    expect(sections.filter((name) => bytesOf(bytes, name) !== bytesOf(received, name))).toEqual(changed);
    expect(sizeOf(amend(decodeMessage(received), changes))).toBe(bytes.byteLength);
  });

  it("keeps what no property names when a section is written again", () => {
    const bytes = encodeMessage(
      amend(decodeMessage(received), { brokerProperties: { subject: "t", partitionKey: "us", timeToLive: 5 } }),
    );

    const message = parseMessage(bytes);
    expect(message.header).toMatchObject({ durable: true, priority: 7, ttl: 5, deliveryCount: 3 });
    expect(message.properties).toMatchObject({ userId: hex("01"), groupSequence: 4, creationTime: new Date(5) });
    expect(message.messageAnnotations?.get("x-acme")).toEqual(typed.ubyte(1));
    expect(message.messageAnnotations?.get("x-opt-partition-key")).toBe("us");
  });

  it("keeps the type of a partition key that came as a symbol when other annotations change", () => {
    const message = writeMessage({ messageAnnotations: { "x-opt-partition-key": typed.symbol("eu") } });
    const annotations = [{}, { partitionKey: "us" }].map((change) => {
      const brokerProperties = { scheduledEnqueueTimeUtc: new Date(7), ...change };
      return parseMessage(encodeMessage(amend(decodeMessage(message), { brokerProperties }))).messageAnnotations;
    });

    const keys = annotations.map((map) => map?.get("x-opt-partition-key"));

    expect(keys).toEqual([typed.symbol("eu"), "us"]);
  });

  it("is delivered with header and annotations of the broker, and everything else as it came", () => {
    const delivery = {
      envelope: decodeMessage(received),
      lockToken: lockToken("0f8fad5b-d9cb-469f-a165-70867728950e"),
      lockedUntilUtc: new Date(2000),
      sequenceNumber: 77n,
      enqueuedSequenceNumber: 70n,
      enqueuedTimeUtc: new Date(1000),
      expiresAtUtc: undefined,
      deliveryCount: 2,
      state: "deferred",
      deadLetterSource: "orders",
      deadLetterReason: undefined,
      deadLetterErrorDescription: undefined,
    } as const;

    const bytes = encodeMessage(delivery.envelope, { delivery });

    const message = parseMessage(bytes);
    expect(message.header).toMatchObject({ durable: true, priority: 7, ttl: 1000, deliveryCount: 2 });
    // The sender's annotations end at the broker.
    expect(Array.from(message.deliveryAnnotations ?? [])).toEqual([
      [typed.symbol("x-opt-lock-token"), typed.uuid(delivery.lockToken)],
    ]);
    expect(Array.from(message.messageAnnotations ?? [])).toEqual([
      [typed.symbol("x-acme"), typed.ubyte(1)],
      [typed.symbol("x-opt-partition-key"), "eu"],
      [typed.symbol("x-opt-sequence-number"), 77n],
      [typed.symbol("x-opt-enqueued-time"), new Date(1000)],
      [typed.symbol("x-opt-locked-until"), new Date(2000)],
      [typed.symbol("x-opt-enqueue-sequence-number"), 70n],
      [typed.symbol("x-opt-message-state"), 1],
      [typed.symbol("x-opt-deadletter-source"), "orders"],
    ]);
    for (const name of ["properties", "applicationProperties", "data", "footer"]) {
      expect(bytesOf(bytes, name)).toBe(bytesOf(received, name));
    }
  });

  it("distinguishes no body, a null body and an empty body", () => {
    const envelopes = [
      writeMessage({ properties: {} }),
      writeMessage({ body: { kind: "value", value: null } }),
      writeMessage({ body: { kind: "data", sections: [new Uint8Array(0)] } }),
    ].map((bytes) => decodeMessage(bytes));

    expect(envelopes.map(({ bodyKind, payload }) => [bodyKind, payload.byteLength])).toEqual([
      ["value", 0],
      ["value", 1],
      ["data", 0],
    ]);
    const again = envelopes.map(({ bodyKind, payload }) =>
      parseMessage(encodeMessage(createEnvelope({ bodyKind, payload }))),
    );
    expect(again.map(({ body }) => body)).toEqual([
      undefined,
      { kind: "value", value: null },
      { kind: "data", sections: [new Uint8Array(0)] },
    ]);
  });

  it("reads properties when they are asked for, and at once with check", () => {
    // The message id is a boolean.
    const broken = hex("005373c0020141");

    const envelope = decodeMessage(broken);

    const wanted = expect.objectContaining({ code: "DecodeFailed", path: "$.properties[0]", offset: 6 });
    expect(() => envelope.brokerProperties).toThrow(wanted);
    expect(() => decodeMessage(broken, { check: true })).toThrow(wanted);
  });

  it("is refused with check when it breaks the rules of an envelope", () => {
    const long = writeMessage({ properties: { messageId: "x".repeat(129) } });
    const mapped = writeMessage({ applicationProperties: { ok: 1 } });
    const nested = Buffer.from(
      Buffer.from(mapped).toString("hex").replace("c10702a1026f6b5401", "c10702a1026f6bc10100").replace("c107", "c108"),
      "hex",
    );

    expect(() => decodeMessage(long, { check: true })).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    expect(() => decodeMessage(nested).applicationProperties).toThrow(
      expect.objectContaining({ code: "DecodeFailed", path: "$.applicationProperties.ok" }),
    );
  });

  it.each([
    ["00800000000000000070c0020141", "a full ulong"],
    ["00a310616d71703a6865616465723a6c697374c0020141", "a symbol"],
  ])("may have the section descriptor %s: %s", (bytes) => {
    expect(parseMessage(hex(bytes)).header).toMatchObject({ durable: true });
  });

  it.each([
    ["005375a000005370c00100", "header comes behind data"],
    ["005370c00100005370c00100", "header comes twice"],
    ["005375a00000537740", "both a data and a value"],
    ["0053774000537740", "value comes twice"],
    ["0053794100", "descriptor that AMQP 1.0 does not define"],
    ["005370a0020102", "value of the wrong type"],
    ["40", "does not begin with a descriptor"],
    ["005370c00706404040404040", "6 fields"],
  ])("is refused when it is %s: %s", (bytes, why) => {
    expect(() => parseMessage(hex(bytes)).header).toThrow(why);
  });

  it.each([
    ["list0 and map8", "00537045 005372c10100"],
    ["list8 and map32", "005370c00100 005372d10000000400000000"],
    ["list32 and map32", "005370d00000000400000000 005372d10000000400000000"],
  ])("has a header without fields and annotations without entries when they are an empty %s", (_formats, head) => {
    const { header, messageAnnotations } = parseMessage(hex(head.replaceAll(" ", "") + "005375a00107"));

    expect(header).toEqual({});
    expect(messageAnnotations?.size).toBe(0);
  });

  it.each([
    ["a header that counts a field and has none", "005370c00101 005375a00107"],
    ["annotations that count entries and have none", "005372d10000000400000002 005375a00107"],
    ["a value that is cut off behind its format", "00537080"],
    ["a sequence whose item is undefined", "005376c0020101"],
  ])("is refused with check when it has %s", (_defect, bytes) => {
    expect(() => decodeMessage(hex(bytes.replaceAll(" ", "")), { check: true })).toThrow(SobreError);
  });

  it("is refused with check when it has more data sections than items may be read", () => {
    const many = hex("005375a00107".repeat(20));
    const limits = { maxItems: 10 };

    expect(() => decodeMessage(many, { check: true, limits })).toThrow(
      expect.objectContaining({ code: "LimitExceeded" }),
    );
    expect(decodeMessage(many, { limits }).payload).toHaveLength(20);
  });

  it("is read in spite of sizes that lie when lenient", () => {
    const lying = hex("005373c0ff01a10161005377c0ff01a10162");

    const message = parseMessage(lying, { lenient: true });

    expect(() => parseMessage(lying)).toThrow(SobreError);
    expect([message.properties?.messageId, message.body]).toEqual(["a", { kind: "value", value: ["b"] }]);
  });
});

describe("a received message that no envelope could say", () => {
  // The application property "a" is a list.
  const listed = hex("005374c10502a1016145");
  // The annotation "a" and a partition key are under strings, which annotations may not be.
  const strings = hex("005372c11f04a101615401a113782d6f70742d706172746974696f6e2d6b6579a1026575");

  it("comes back as the very same bytes while nobody touches it, also in a batch", () => {
    const envelope = decodeMessage(listed);

    expect(() => envelope.applicationProperties).toThrow(expect.objectContaining({ code: "DecodeFailed" }));
    expect(encodeMessage(envelope)).toBe(listed);
    expect(sizeOf(envelope)).toBe(listed.byteLength);
    expect(parseMessage(encodeBatch([envelope])).body).toMatchObject({ sections: [listed] });
  });

  it("keeps annotations under strings when others are written, and no name is there twice", () => {
    const amended = amend(decodeMessage(strings), { brokerProperties: { viaPartitionKey: "us" } });

    const annotations = parseMessage(encodeMessage(amended)).messageAnnotations;

    expect(Array.from(annotations ?? [])).toEqual([
      ["a", 1],
      [typed.symbol("x-opt-partition-key"), "eu"],
      [typed.symbol("x-opt-via-partition-key"), "us"],
    ]);
  });

  it("keeps the order of application properties, also of those whose names are numbers", () => {
    const message = writeMessage({
      applicationProperties: new AmqpMap([
        ["b", 1],
        ["7", 2],
        ["a", 3],
        ["1", 4],
      ]),
    });

    const amended = amend(decodeMessage(message), { applicationProperties: { "0": 5, a: undefined, c: 6 } });

    expect(Array.from(parseMessage(encodeMessage(amended)).applicationProperties ?? [])).toEqual([
      ["b", 1],
      ["7", 2],
      ["1", 4],
      ["0", 5],
      ["c", 6],
    ]);
    expect(sizeOf(amended)).toBe(encodeMessage(amended).byteLength);
  });
});
