import { describe, expect, it } from "vitest";
import type { Delivery } from "../../src/engine/index.ts";
import { createEnvelope, type Envelope } from "../../src/envelope/index.ts";
import { envelopeFromHttp, envelopeToHttp, writeBrokerProperties } from "../../src/http/index.ts";
import { Typed } from "../../src/values/typed.ts";

const through = (envelope: Envelope): Envelope => {
  const { headers, body } = envelopeToHttp(envelope);
  return envelopeFromHttp(Object.entries(headers).flat(), body);
};

describe("an envelope over HTTP", () => {
  it("comes back as it was, with numbers of every width and names that HTTP uses, too", () => {
    const envelope = createEnvelope({
      payload: Buffer.from("{}"),
      brokerProperties: {
        messageId: "m",
        subject: "é",
        contentType: "application/json",
        timeToLive: 1500,
        scheduledEnqueueTimeUtc: new Date(Date.UTC(2030, 0, 1)),
      },
      applicationProperties: {
        Date: "today",
        Origin: "Madrid",
        Via: "ship",
        large: 2n ** 62n + 1n,
        huge: new Typed("double", 1e300),
        whole: new Typed("double", 5),
        half: new Typed("double", 0.5),
        count: -7,
        flag: false,
        text: 'a "b" é',
      },
    });

    const { brokerProperties, applicationProperties, payload } = through(envelope);

    expect(brokerProperties).toEqual(envelope.brokerProperties);
    expect(applicationProperties).toEqual(envelope.applicationProperties);
    expect(payload).toEqual(envelope.payload);
  });

  it("names the properties that no header can carry", () => {
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      applicationProperties: { "a b": 1, naïve: 2, bytes: Uint8Array.of(1), host: "h", Date: 7, fine: 1 },
    });

    const { headers } = envelopeToHttp(envelope);

    expect(JSON.parse(headers["sobre-omitted-properties"] ?? "")).toEqual(["a b", "naïve", "bytes", "host", "Date"]);
    expect(headers["fine"]).toBe("1");
  });

  it("reads Subject for Label, and writes both", () => {
    const envelope = envelopeFromHttp(["BrokerProperties", '{"Subject":"s"}'], new Uint8Array());

    expect(envelope.brokerProperties.subject).toBe("s");
    expect(envelopeToHttp(envelope).headers["BrokerProperties"]).toBe('{"Label":"s","Subject":"s"}');
  });
});

describe("the broker properties of a delivery over HTTP", () => {
  it("have every digit of a number, and the effective expiry", () => {
    const delivery: Delivery = {
      envelope: createEnvelope({ payload: new Uint8Array(), brokerProperties: { timeToLive: 3_600_000 } }),
      lockToken: undefined,
      lockedUntilUtc: undefined,
      sequenceNumber: 2n ** 60n + 1n,
      enqueuedSequenceNumber: 1n,
      enqueuedTimeUtc: new Date(0),
      expiresAtUtc: new Date(60_000),
      deliveryCount: 0,
      state: "active",
      deadLetterSource: undefined,
      deadLetterReason: undefined,
      deadLetterErrorDescription: undefined,
    };

    const text = writeBrokerProperties(delivery);

    expect(text).toContain('"SequenceNumber":1152921504606846977');
    expect(JSON.parse(text)).toMatchObject({ TimeToLive: 60, ExpiresAtUtc: "Thu, 01 Jan 1970 00:01:00 GMT" });
  });
});
