import { describe, expect, it } from "vitest";
import { typed } from "../../../src/core/values/typed-makers.ts";
import {
  type BrokerProperties,
  createEnvelope,
  type Envelope,
  maxIdLength,
  readOnlyProperties,
} from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";

const payload = new Uint8Array();

/** As a caller without types would. */
function create(brokerProperties: unknown): Envelope {
  const init: { payload: Uint8Array } = Object.assign({ payload }, { brokerProperties });
  return createEnvelope(init);
}

const all: Required<BrokerProperties> = {
  contentType: "application/json",
  contentEncoding: "gzip",
  correlationId: 7,
  messageId: "m-1",
  partitionKey: "s-1",
  viaPartitionKey: "v-1",
  replyTo: "answers",
  replyToSessionId: "rs-1",
  scheduledEnqueueTimeUtc: new Date("2030-01-01T00:00:00Z"),
  sessionId: "s-1",
  subject: "order.placed",
  timeToLive: 60_000,
  to: "elsewhere",
};

describe("broker properties", () => {
  it("keep every property a sender may set", () => {
    expect(createEnvelope({ payload, brokerProperties: all }).brokerProperties).toEqual(all);
  });

  it.each(Object.keys(all))("refuse an object as %s, naming it", (name) => {
    const error = refusal(() => create({ [name]: {} }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.brokerProperties.${name}` });
  });

  it.each([...readOnlyProperties])("refuse %s, which the broker writes", (name) => {
    const error = refusal(() => create({ [name]: "x" }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.brokerProperties.${name}` });
    expect(error.message).toContain("set by the broker");
  });

  it.each(["constructor", "__proto__", "toString", "body", "label", ""])("refuse the unknown name %j", (name) => {
    const error = refusal(() => create(Object.fromEntries([[name, "x"]])));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.brokerProperties.${name}` });
  });

  it("are the object's own members alone", () => {
    const inherited: object = Object.assign(Object.create(null), { subject: "inherited" });

    const { brokerProperties } = createEnvelope({
      payload: new Uint8Array(0),
      brokerProperties: Object.assign(Object.create(inherited), { to: "own" }),
    });

    expect({ ...brokerProperties }).toEqual({ to: "own" });
  });

  it.each([null, "text", 5, [], true])("refuse %j in place of an object", (value) => {
    expect(refusal(() => create(value))).toMatchObject({ code: "InvalidArgument", path: "$.brokerProperties" });
  });

  it.each(["messageId", "correlationId", "sessionId", "partitionKey", "viaPartitionKey", "replyToSessionId"])(
    "take a %s of 128 characters and refuse 129",
    (name) => {
      const longest = "x".repeat(maxIdLength);

      expect(create({ [name]: longest }).brokerProperties).toEqual({ [name]: longest });
      expect(refusal(() => create({ [name]: `${longest}x` }))).toMatchObject({
        code: "InvalidArgument",
        path: `$.brokerProperties.${name}`,
      });
    },
  );

  it.each([
    0,
    Number.MAX_SAFE_INTEGER,
    0n,
    2n ** 64n - 1n,
    new Uint8Array(maxIdLength),
    typed.uuid("0f8fad5b-d9cb-469f-a165-70867728950e"),
    "",
  ])("take %o as a message id", (messageId) => {
    expect(create({ messageId }).brokerProperties.messageId).toBe(messageId);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n, new Uint8Array(maxIdLength + 1), typed.int(5), null, true])(
    "refuse %o as a message id",
    (messageId) => {
      expect(refusal(() => create({ messageId })).code).toBe("InvalidArgument");
    },
  );

  it.each([0, -1, 0.5, Number.NaN, "60000", 5n])("refuse %o as a time to live", (timeToLive) => {
    expect(refusal(() => create({ timeToLive })).path).toBe("$.brokerProperties.timeToLive");
  });

  it.each(
    [
      ["contentType", "contentEncoding", "correlationId", "messageId", "partitionKey", "viaPartitionKey"],
      ["replyTo", "replyToSessionId", "sessionId", "subject", "to"],
    ].flat(),
  )("refuse half a surrogate pair in %s, which no border could carry", (name) => {
    const error = refusal(() => create({ [name]: "half \ud83d" }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.brokerProperties.${name}` });
    expect(create({ [name]: "whole 🚀" }).brokerProperties).toEqual({ [name]: "whole 🚀" });
  });

  it("take an endless time to live", () => {
    expect(create({ timeToLive: Infinity }).brokerProperties.timeToLive).toBe(Infinity);
  });

  it("refuse an invalid Date and a text as scheduled time", () => {
    expect(refusal(() => create({ scheduledEnqueueTimeUtc: new Date(Number.NaN) })).code).toBe("InvalidArgument");
    expect(refusal(() => create({ scheduledEnqueueTimeUtc: "2030-01-01T00:00:00Z" })).code).toBe("InvalidArgument");
  });

  it("take a session id that differs from the partition key, which the entity decides about", () => {
    expect(create({ sessionId: "a", partitionKey: "b" }).brokerProperties).toEqual({
      sessionId: "a",
      partitionKey: "b",
    });
  });

  it("leave undefined members out", () => {
    expect(Object.keys(create({ subject: undefined, to: "x" }).brokerProperties)).toEqual(["to"]);
  });

  it("are a frozen copy", () => {
    const given: { subject: string } = { subject: "before" };
    const { brokerProperties } = create(given);

    given.subject = "after";

    expect(brokerProperties.subject).toBe("before");
    expect(Object.isFrozen(brokerProperties)).toBe(true);
    expect(Object.isFrozen(create(undefined).brokerProperties)).toBe(true);
  });
});
