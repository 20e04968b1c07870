import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  batchMessageFormat,
  decodeBatch,
  decodeMessage,
  encodeBatch,
  encodeMessage,
  openMessage,
} from "../../src/amqp/index.ts";
import {
  amend,
  amqp,
  AmqpMap,
  createEnvelope,
  type Envelope,
  type EnvelopeInit,
  sizeOf,
} from "../../src/envelope/index.ts";
import { hex } from "../codecs/amqp/vectors.ts";
import { attempt, writable } from "./arbitraries.ts";

describe("an envelope as a message", () => {
  it("has exactly the size that sizeOf says, and comes back equal", () => {
    fc.assert(
      fc.property(writable, (init) => {
        const envelope = createEnvelope(init);
        const bytes = attempt(() => encodeMessage(envelope));
        if (bytes === undefined) return;

        const again = decodeMessage(bytes);

        expect(sizeOf(envelope)).toBe(bytes.byteLength);
        expect(again.payload).toEqual(envelope.payload);
        expect(encodeMessage(createEnvelope(partsOf(again)))).toEqual(bytes);
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
    const envelope = createEnvelope({ payload: hex(""), applicationProperties: { text: "\ud800" } });

    expect(() => encodeMessage(envelope)).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$.applicationProperties.text" }),
    );
    expect(() => encodeMessage(createEnvelope({ payload: hex(""), brokerProperties: { contentType: "ñ/ñ" } }))).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$.brokerProperties.contentType" }),
    );
  });

  it("has the types of the official JavaScript client in its profile, and keeps those of received properties", () => {
    const fresh = createEnvelope({ payload: hex(""), applicationProperties: { n: 5 } });
    const resent = amend(decodeMessage(encodeMessage(fresh)), { applicationProperties: { m: 6 } });

    const [own, kept] = [fresh, resent].map((envelope) =>
      openMessage(encodeMessage(envelope, { profile: "azure-js" })),
    );

    expect(own?.applicationProperties).toEqual(new AmqpMap([["n", amqp.uint(5)]]));
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

    expect(openMessage(bytes).body).toEqual({ kind: "sequence", sections: [[1], [], [2]] });
    expect(sizeOf(envelope)).toBe(bytes.byteLength);
    expect(decodeMessage(bytes).payload).toEqual(envelope.payload);
  });
});

describe("a batch", () => {
  it("holds whole messages and comes apart again", () => {
    const one = createEnvelope({ payload: hex("01"), brokerProperties: { messageId: "a", sessionId: "s" } });
    const two = createEnvelope({ payload: hex("02"), applicationProperties: { n: 1n } });

    const batch = encodeBatch([one, two]);

    const parts = decodeBatch(batch);
    expect(openMessage(batch).properties).toMatchObject({ messageId: "a", groupId: "s" });
    expect(parts.map(partsOf)).toEqual([one, two].map(partsOf));
    expect(batchMessageFormat).toBe(0x80013700);
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
