import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/engine/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { envelopeFromHttp, envelopeToHttp, writeBrokerProperties } from "../../../src/wire/http/index.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { decodeValue } from "../../../src/core/amqp-values/read-value.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { Typed } from "../../../src/core/values/typed.ts";

const through = (envelope: Envelope): Envelope => {
  const { headers, body } = envelopeToHttp(envelope);
  return envelopeFromHttp(Object.entries(headers).flat(), body);
};

/** Headers of responses that browsers and caches act on, and some that servers in between do. */
const browserHeaders = (
  "Accept-CH Access-Control-Allow-Origin Access-Control-Allow-Credentials Activate-Storage-Access Ad-Auction-Signals Age " +
  "Alt-Svc Attribution-Reporting-Register-Source Cache-Control Clear-Site-Data Connection Content-Disposition Content-DPR " +
  "Content-Encoding Content-Language Content-Length Content-Location Content-Range Content-Security-Policy " +
  "Content-Security-Policy-Report-Only Content-Type Critical-CH Cross-Origin-Embedder-Policy Cross-Origin-Opener-Policy " +
  "Cross-Origin-Resource-Policy Document-Policy ETag Expect-CT Expires Feature-Policy Integrity-Policy Keep-Alive Large-Allocation " +
  "Last-Modified Link Location NEL No-Vary-Search Observe-Browsing-Topics Origin-Agent-Cluster Origin-Trial P3P Permissions-Policy " +
  "Pragma Proxy-Authenticate Public-Key-Pins Referrer-Policy Refresh Report-To Reporting-Endpoints Retry-After Sec-GPC " +
  "Sec-Session-Registration Server Server-Timing Service-Worker Service-Worker-Allowed Set-Cookie Set-Cookie2 Set-Login " +
  "Shared-Storage-Write Signature-Input SourceMap Speculation-Rules Strict-Transport-Security Supports-Loading-Mode " +
  "Timing-Allow-Origin Tk Trailer Transfer-Encoding Upgrade Use-As-Dictionary Vary Warning WWW-Authenticate X-Accel-Redirect " +
  "X-Content-Type-Options X-DNS-Prefetch-Control X-Download-Options X-Frame-Options X-Permitted-Cross-Domain-Policies " +
  "X-Powered-By X-Robots-Tag X-Sendfile X-SourceMap X-UA-Compatible X-XSS-Protection"
).split(" ");

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

  it("puts properties together that cannot have a header of their own, and names those that no header can carry", () => {
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      applicationProperties: { "a b": 1, naïve: 2, bytes: Uint8Array.of(1), host: "h", Fine: 0, fine: 1, none: null },
    });

    const { headers } = envelopeToHttp(envelope);

    expect(JSON.parse(headers["sobre-omitted-properties"] ?? "")).toEqual(["bytes", "none"]);
    expect(JSON.parse(headers["sobre-properties"] ?? "")).toEqual({ "a b": 1, naïve: 2, host: "h", fine: 1 });
    expect(headers["Fine"]).toBe("0");
  });

  it("counts them when their names are too many for a header", () => {
    const names = Array.from({ length: 2000 }, (_, index) => `a ${index}`);
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      applicationProperties: Object.fromEntries(names.map((name) => [name, 1])),
    });

    const { headers } = envelopeToHttp(envelope);

    const listed: unknown = JSON.parse(headers["sobre-omitted-properties"] ?? "");
    expect(headers["sobre-omitted-properties"]?.length).toBeLessThan(4200);
    const carried: unknown = JSON.parse(headers["sobre-properties"] ?? "");
    expect(headers["sobre-properties"]?.length).toBeLessThanOrEqual(8192);
    expect(carried).toMatchObject({ "a 0": 1 });
    const omitted = 2000 - Object.keys(Object(carried)).length;
    expect(listed).toContain(`a ${2000 - omitted}`);
    expect(headers["sobre-omitted-count"]).toBe(String(omitted));
  });

  it.each(browserHeaders.map((name) => [name]))("has no header %s, which a browser acts on", (name) => {
    for (const value of ["*", 0, true]) {
      const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties: { [name]: value } });

      const { headers } = envelopeToHttp(envelope);

      expect(Object.keys(headers)).toEqual(["sobre-properties", "BrokerProperties"]);
      expect(through(envelope).applicationProperties).toEqual({ [name]: value });
    }
  });

  it.each(["region", "Priority", "customer_id", "order.id", "Diagnostic-Id", "sobre-redrives", "traceparent"])(
    "has a header %s for a property that only its reader knows",
    (name) => {
      const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties: { [name]: "a" } });

      expect(envelopeToHttp(envelope).headers).toMatchObject({ [name]: '"a"' });
      expect(envelopeToHttp(envelope).headers).not.toHaveProperty("sobre-properties");
    },
  );

  it("keeps properties of any name", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.boolean(),
      fc.integer(),
      fc.bigInt(-(2n ** 63n), -(2n ** 53n)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => new Typed("double", number)),
    );
    const properties = fc.dictionary(fc.string({ unit: "binary", maxLength: 30 }), value, { maxKeys: 5 });

    fc.assert(
      fc.property(properties, (applicationProperties) => {
        const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties });

        expect({ ...through(envelope).applicationProperties }).toEqual({ ...envelope.applicationProperties });
      }),
      { numRuns: 20 },
    );
  });

  it.each(["{", "[]", "7", '{"a":null}', '{"a":[1]}', '{"a":1e999}', '{"a":123456789012345678901}'])(
    "refuses %s for properties that were put together",
    (text) => {
      expect(() => envelopeFromHttp(["Sobre-Properties", text], new Uint8Array())).toThrow(
        expect.objectContaining({ code: "InvalidArgument" }),
      );
    },
  );

  it.each([
    ["Date", 7],
    ["Origin", 2n ** 60n],
    ["Via", true],
  ])("carries a property %s that is %s", (name, value) => {
    const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties: { [name]: value } });

    expect(through(envelope).applicationProperties).toEqual({ [name]: value });
  });

  it.each([
    ["1234567890123456", 1_234_567_890_123_456],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["18446744073709551615", 2n ** 64n - 1n],
    ["1e300", new Typed("double", 1e300)],
    ["-1.5e-300", new Typed("double", -1.5e-300)],
    ["5.0", new Typed("double", 5)],
    ["-0.0", new Typed("double", -0)],
    ['"007"', "007"],
  ])("reads the header %s as that number and writes it as it was", (text, value) => {
    const envelope = envelopeFromHttp(["n", text], new Uint8Array());

    expect(envelope.applicationProperties["n"]).toEqual(value);
    expect(envelopeToHttp(envelope).headers["n"]).toBe(text);
  });

  it.each(["007", "1234567890123456789012345", "1e400"])("takes %s for text, since no number holds it", (text) => {
    expect(envelopeFromHttp(["n", text], new Uint8Array()).applicationProperties).toEqual({ n: text });
  });

  it("keeps a content type that no header can hold, and the encoding, among the broker properties", () => {
    const brokerProperties = { contentType: "text/plain; name=é", contentEncoding: "gzip" };
    const envelope = createEnvelope({ payload: new Uint8Array(), brokerProperties });

    expect(envelopeToHttp(envelope).headers).not.toHaveProperty("content-type");
    expect(through(envelope).brokerProperties).toEqual(brokerProperties);
    expect(envelopeFromHttp(["Content-Encoding", "br"], new Uint8Array()).brokerProperties).toEqual({
      contentEncoding: "br",
    });
  });

  it.each([
    ["value", encodeValue({ a: 1n, uint: typed.uint(7), $odd: [true, new Date(0)], raw: Uint8Array.of(1) })],
    ["value", encodeValue(new Map<unknown, unknown>([[1, 2n ** 60n]]))],
    ["sequence", Buffer.concat([encodeValue([1, "x"]), encodeValue([])])],
  ] as const)(
    "shows a body that is an AMQP %s as JSON, which says so and gives the same bytes back",
    (bodyKind, payload) => {
      const { headers, body } = envelopeToHttp(createEnvelope({ payload, bodyKind }), { amqpBody: "json" });
      const again = envelopeFromHttp(Object.entries(headers).flat(), body);

      expect(headers["content-type"]).toBe(`application/json; amqp=${bodyKind}`);
      expect(JSON.parse(Buffer.from(body).toString())).toBeTypeOf("object");
      expect(again.bodyKind).toBe(bodyKind);
      expect(Buffer.from(again.payload)).toEqual(Buffer.from(payload));
    },
  );

  it("reads bare integers of any size in such JSON", () => {
    const { payload } = envelopeFromHttp(
      ["Content-Type", "application/json; amqp=value"],
      Buffer.from("[9007199254740993]"),
    );

    expect(decodeValue(payload)).toEqual([9_007_199_254_740_993n]);
  });

  it.each(["{", '{"$int64":"x"}', "1"])("refuses the sequence %s in JSON", (text) => {
    expect(() => envelopeFromHttp(["Content-Type", "application/json; amqp=sequence"], Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });

  it("reads Subject as Label, and writes both", () => {
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
