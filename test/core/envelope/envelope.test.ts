import { describe, expect, it } from "vitest";
import { amend, createEnvelope, type Envelope, headerSize, maxHeaderSize } from "../../../src/core/envelope/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { refusal } from "../../refusal.support.ts";

const payload = Uint8Array.of(1, 2, 3);

function create(init: object): Envelope {
  return createEnvelope(Object.assign({ payload }, init));
}

/** As a caller without types would. */
function amendUnchecked(envelope: Envelope, changes: object): Envelope {
  return amend(envelope, Object.assign({ bodyKind: envelope.bodyKind }, changes));
}

describe("createEnvelope", () => {
  it("takes the payload by reference and data as body kind", () => {
    const envelope = createEnvelope({ payload });

    expect(envelope.payload).toBe(payload);
    expect(envelope.bodyKind).toBe("data");
    expect("origin" in envelope).toBe(false);
  });

  it("freezes the envelope", () => {
    expect(Object.isFrozen(createEnvelope({ payload }))).toBe(true);
    expect(Object.isFrozen(createEnvelope({ payload, origin: {} }))).toBe(true);
  });

  it.each([undefined, null, "text", [1, 2], new ArrayBuffer(2), { length: 0 }])("refuses %o as payload", (wrong) => {
    expect(refusal(() => create({ payload: wrong }))).toMatchObject({ code: "InvalidArgument", path: "$.payload" });
  });

  it.each(["Data", "", null, 5, "constructor"])("refuses %o as body kind", (bodyKind) => {
    expect(refusal(() => create({ bodyKind }))).toMatchObject({ code: "InvalidArgument", path: "$.bodyKind" });
  });

  it("takes exactly 64 KiB of properties and refuses one byte more", () => {
    const overhead = "filler".length;
    const longest = maxHeaderSize - overhead;

    const fullest = createEnvelope({ payload, applicationProperties: { filler: "x".repeat(longest) } });

    expect(headerSize(fullest.brokerProperties, fullest.applicationProperties)).toBe(65_536);
    expect(
      refusal(() => createEnvelope({ payload, applicationProperties: { filler: "x".repeat(longest + 1) } })).code,
    ).toBe("MessageSizeExceeded");
  });

  it("counts the UTF-8 bytes of names and texts, the bytes of binaries, and 9 for other values", () => {
    const { brokerProperties, applicationProperties } = createEnvelope({
      payload,
      brokerProperties: { subject: "né€😀", timeToLive: 5, scheduledEnqueueTimeUtc: new Date(0) },
      applicationProperties: { ä: new Uint8Array(100), n: null },
    });

    const size = headerSize(brokerProperties, applicationProperties);

    expect(size).toBe(
      "subject".length + 10 + "timeToLive".length + 9 + "scheduledEnqueueTimeUtc".length + 9 + 102 + 10,
    );
  });

  it.each([
    ["a symbol", typed.symbol("x".repeat(70_000))],
    ["a described text", typed.described(typed.symbol("com.microsoft:uri"), "x".repeat(70_000))],
    ["binary", new Uint8Array(70_000)],
    ["text of three bytes a character", "€".repeat(25_000)],
  ])("refuses %s beyond the 64 KiB", (_, value) => {
    const error = refusal(() => createEnvelope({ payload, applicationProperties: { value } }));

    expect(error.code).toBe("MessageSizeExceeded");
  });

  it("counts broker properties into the 64 KiB", () => {
    const filler = "x".repeat(40_000);

    const error = refusal(() =>
      createEnvelope({ payload, brokerProperties: { subject: filler }, applicationProperties: { filler } }),
    );

    expect(error.code).toBe("MessageSizeExceeded");
  });
});

describe("amend", () => {
  const origin = { sections: "as received" };
  const original = createEnvelope({
    payload,
    brokerProperties: { subject: "a", to: "b" },
    applicationProperties: { x: 1, y: 2 },
    origin,
  });

  it("keeps the parts that it does not touch the same objects", () => {
    const changed = amend(original, { applicationProperties: { x: 2 } });

    expect(changed.payload).toBe(payload);
    expect(changed.brokerProperties).toBe(original.brokerProperties);
    expect(changed.origin).toBe(origin);
    expect(changed.applicationProperties).not.toBe(original.applicationProperties);
    expect(amend(original, { payload: new Uint8Array() }).applicationProperties).toBe(original.applicationProperties);
  });

  it("changes what is given, removes what is undefined, and leaves the original alone", () => {
    const changed = amend(original, {
      brokerProperties: { to: undefined, messageId: "m" },
      applicationProperties: { x: undefined, z: 3 },
    });

    expect(changed.brokerProperties).toEqual({ subject: "a", messageId: "m" });
    expect({ ...changed.applicationProperties }).toEqual({ y: 2, z: 3 });
    expect(original.brokerProperties).toEqual({ subject: "a", to: "b" });
    expect(Object.isFrozen(changed)).toBe(true);
  });

  it("keeps properties named constructor and __proto__", () => {
    const odd = createEnvelope({
      payload,
      applicationProperties: Object.fromEntries([
        ["__proto__", 1],
        ["constructor", 2],
      ]),
    });

    const changed = amend(odd, { applicationProperties: { third: 3 } });

    expect(Object.entries(changed.applicationProperties)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
      ["third", 3],
    ]);
  });

  it("checks the changes as creation does", () => {
    expect(refusal(() => amendUnchecked(original, { brokerProperties: { lockToken: "x" } })).code).toBe(
      "InvalidArgument",
    );
    expect(refusal(() => amendUnchecked(original, { payload: "text" })).code).toBe("InvalidArgument");
    for (const nothing of [null, "text", 5, [], new Map([["a", 1]])]) {
      const inBroker = refusal(() => amendUnchecked(original, { brokerProperties: nothing }));
      const inApplication = refusal(() => amendUnchecked(original, { applicationProperties: nothing }));
      expect([inBroker.path, inApplication.path]).toEqual(["$.brokerProperties", "$.applicationProperties"]);
    }
    expect(refusal(() => amend(original, { applicationProperties: { filler: "x".repeat(70_000) } })).code).toBe(
      "MessageSizeExceeded",
    );
  });
});
