import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromAmqplibMessage, toAmqplibMessage } from "../../../src/client/interop/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { names } from "../../core/envelope/arbitraries.support.ts";
import { refusal } from "../../refusal.support.ts";

const content = Buffer.from('{"id":1}');

function read(properties: object): Envelope {
  return fromAmqplibMessage({ content, properties });
}

describe("fromAmqplibMessage", () => {
  it("finds the broker properties where they are", () => {
    const envelope = read({
      contentType: "application/json",
      contentEncoding: "gzip",
      correlationId: "c",
      messageId: "m",
      replyTo: "answers",
      expiration: "60000",
      type: "order.placed",
      headers: {
        "sobre-session-id": "s",
        "sobre-partition-key": "s",
        "sobre-via-partition-key": "v",
        "sobre-to": "t",
        "sobre-reply-to-session-id": "r",
        "sobre-scheduled-enqueue-time-utc": "2030-01-01T00:00:00.000Z",
        tenant: "acme",
      },
    });

    expect(envelope.brokerProperties).toEqual({
      contentType: "application/json",
      contentEncoding: "gzip",
      correlationId: "c",
      messageId: "m",
      replyTo: "answers",
      timeToLive: 60_000,
      subject: "order.placed",
      sessionId: "s",
      partitionKey: "s",
      viaPartitionKey: "v",
      to: "t",
      replyToSessionId: "r",
      scheduledEnqueueTimeUtc: new Date("2030-01-01T00:00:00Z"),
    });
    expect({ ...envelope.applicationProperties }).toEqual({ tenant: "acme" });
  });

  it("keeps the basic properties that an envelope has no place for", () => {
    const envelope = read({
      priority: 5,
      deliveryMode: 2,
      timestamp: 1_700_000_000,
      userId: "guest",
      appId: "shop",
      clusterId: "c",
    });

    expect({ ...envelope.applicationProperties }).toEqual({
      "sobre-priority": 5,
      "sobre-delivery-mode": 2,
      "sobre-timestamp": 1_700_000_000,
      "sobre-user-id": "guest",
      "sobre-app-id": "shop",
      "sobre-cluster-id": "c",
    });
  });

  it("takes absent properties in all their forms", () => {
    expect(read({})).toEqual(createEnvelope({ payload: new Uint8Array(content) }));
    expect(read({ headers: undefined, type: undefined, priority: undefined })).toEqual(read({}));
    expect(read({ headers: null, type: null, priority: null })).toEqual(read({}));
  });

  it("reads a dead-lettered message and keeps x-death as JSON text, restoring it on the way back", () => {
    const death = {
      count: 3,
      reason: "rejected",
      queue: "orders",
      time: { "!": "timestamp", value: 1_700_000_000 },
      exchange: "",
      "routing-keys": ["orders"],
    };

    const envelope = read({ headers: { "x-death": [death], "x-first-death-reason": "rejected" } });
    const there = toAmqplibMessage(envelope);

    expect({ ...envelope.applicationProperties }).toEqual({
      "x-death": JSON.stringify([death]),
      "x-first-death-reason": "rejected",
      "sobre-json": '["x-death"]',
    });
    expect(there.properties.headers).toEqual({ "x-death": [death], "x-first-death-reason": "rejected" });
  });

  it("sends nested text that was changed meanwhile as the text it is", () => {
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      applicationProperties: { "x-death": "edited by hand", "sobre-json": '["x-death"]' },
    });

    expect(toAmqplibMessage(envelope).properties.headers).toEqual({ "x-death": "edited by hand" });
  });

  it.each([
    ["timestamp", 1_700_000_000, new Date(1_700_000_000_000)],
    ["long", 5, 5n],
    ["int64", 2n ** 60n, 2n ** 60n],
    ["unsignedbyte", 200, typed.ubyte(200)],
    ["float64", 1.5, 1.5],
    ["double", 5, typed.double(5)],
    ["float", 0.5, typed.float(0.5)],
  ])("reads the tagged %s", (type, value, expected) => {
    expect(read({ headers: { x: { "!": type, value } } }).applicationProperties["x"]).toEqual(expected);
  });

  it.each([
    { "!": "decimal", value: { places: 2, digits: 1250 } },
    { "!": "timestamp", value: 1e300 },
    { "!": "uint8", value: 300 },
    { "!": "long", value: 2n ** 70n },
    { "!": "no-such-type", value: 1 },
    { "!": "timestamp", value: 1, more: 2 },
    {},
    [],
  ])("keeps what no property can hold as text: %o", (value) => {
    const envelope = read({ headers: { x: value } });

    expect(typeof envelope.applicationProperties["x"]).toBe("string");
    expect(toAmqplibMessage(envelope).properties.headers).toEqual({ x: value });
  });

  it.each(["0", "-1", "0100", "1e3", "soon", ""])("keeps the expiration %j, which is no time to live", (expiration) => {
    const envelope = read({ expiration });

    expect(envelope.brokerProperties.timeToLive).toBeUndefined();
    expect(toAmqplibMessage(envelope).properties.expiration).toBe(expiration);
  });

  it("treats reserved headers of another form as ordinary ones", () => {
    const envelope = read({ headers: { "sobre-session-id": 5, "sobre-scheduled-enqueue-time-utc": "tomorrow" } });

    expect(envelope.brokerProperties).toEqual({});
    expect({ ...envelope.applicationProperties }).toEqual({
      "sobre-session-id": 5,
      "sobre-scheduled-enqueue-time-utc": "tomorrow",
    });
  });

  it("names the property that an envelope refuses", () => {
    expect(refusal(() => read({ messageId: "x".repeat(129) }))).toMatchObject({
      code: "InvalidArgument",
      path: "$.brokerProperties.messageId",
    });
    expect(refusal(() => read({ contentType: 5 }))).toMatchObject({
      code: "InvalidArgument",
      path: "$.brokerProperties.contentType",
    });
    expect(refusal(() => read({ priority: 1, headers: { "sobre-priority": 2 } }))).toMatchObject({
      code: "UnsupportedValue",
    });
  });

  it("never throws anything but SobreError, whatever the headers", () => {
    const anything = fc.anything({
      maxDepth: 3,
      withBigInt: true,
      withDate: true,
      withTypedArray: true,
      withMap: true,
      withNullPrototype: true,
    });

    fc.assert(
      fc.property(fc.dictionary(names, anything), (headers) => {
        try {
          read({ headers });
        } catch (error) {
          expect(error).toMatchObject({ name: "SobreError" });
        }
      }),
    );
  });
});
