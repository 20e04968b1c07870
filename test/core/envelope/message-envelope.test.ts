import { describe, expect, it } from "vitest";
import {
  type BrokerProperties,
  createEnvelope,
  messageEnvelope,
  readOnlyProperties,
} from "../../../src/core/envelope/index.ts";

const payload = Uint8Array.of(1);
const body = { payload, bodyKind: "data", contentType: undefined };

const every: Required<BrokerProperties> = {
  contentType: "application/json",
  contentEncoding: "gzip",
  correlationId: 7,
  messageId: "m",
  partitionKey: "s",
  viaPartitionKey: "v",
  replyTo: "replies",
  replyToSessionId: "r",
  scheduledEnqueueTimeUtc: new Date(0),
  sessionId: "s",
  subject: "label",
  timeToLive: 1_000,
  to: "orders",
};

function codeAndPath(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

describe("the envelope of a message", () => {
  it("has every broker property of it, as one made of the properties alone", () => {
    const { contentType, ...others } = every;

    const envelope = messageEnvelope({ ...others, body: "left out" }, { ...body, contentType });

    expect(envelope).toEqual(createEnvelope({ payload, brokerProperties: every }));
    expect(Object.isFrozen(envelope.brokerProperties)).toBe(true);
  });

  it("leaves out what is undefined, and what the message inherits", () => {
    const message: Readonly<Record<string, unknown>> = Object.create(
      { subject: "inherited" },
      {
        to: { value: undefined, enumerable: true },
        replyTo: { value: "replies", enumerable: true },
      },
    );

    expect(messageEnvelope(message, body).brokerProperties).toEqual({ replyTo: "replies" });
  });

  it.each([...Object.keys(every).filter((name) => name !== "contentType"), ...readOnlyProperties, "unknown"])(
    "refuses a wrong %s as one made of the properties does",
    (name) => {
      const wrong = { [name]: Symbol("wrong") };

      const refused = codeAndPath(() => messageEnvelope(wrong, body));

      expect(refused).toContain(`$.brokerProperties.${name} `);
      expect(refused).toBe(codeAndPath(() => createEnvelope({ payload, brokerProperties: Object(wrong) })));
    },
  );
});
