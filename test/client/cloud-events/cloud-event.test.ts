import type { IncomingHttpHeaders } from "node:http";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import type { CloudEvent, CloudEventTypes } from "../../../src/client/cloud-events/cloud-event.ts";
import {
  cloudEventFromEnvelope,
  cloudEventFromHttp,
  cloudEventToEnvelope,
  cloudEventToHttp,
} from "../../../src/client/cloud-events/cloud-event-binding.ts";
import { cloudEventFromJson, cloudEventToJson } from "../../../src/client/cloud-events/cloud-event-json.ts";
import { refusal } from "../../refusal.support.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined): string => new TextDecoder().decode(data);

const event: CloudEvent = {
  id: "A234-1234",
  source: "/orders",
  type: "com.acme.order.v1",
  subject: 'Euro € 😀 "quoted" 100%',
  time: new Date("2026-11-21T17:31:00.123Z"),
  dataschema: "https://acme.example/order",
  datacontenttype: "application/json",
  data: bytes('{ "number": 9007199254740993, "data": "}" }'),
  extensions: {
    flag: true,
    count: -2_147_483_648,
    note: "text",
    blob: new Uint8Array([0, 255, 7]),
    link: new URL("https://acme.example/a?b=c"),
    until: new Date("2030-01-01T00:00:00.000Z"),
  },
};
const types: CloudEventTypes = { flag: "boolean", count: "integer", blob: "binary", link: "uri", until: "timestamp" };

describe("an event with every type of attribute", () => {
  it.each(["cloudEvents:", "cloudEvents_"] as const)("goes by AMQP in binary mode, named by %s", (prefix) => {
    const envelope = cloudEventToEnvelope(event, { prefix, brokerProperties: { messageId: "m" } });

    expect(envelope.brokerProperties).toEqual({ contentType: "application/json", messageId: "m" });
    expect(envelope.payload).toBe(event.data);
    expect(envelope.applicationProperties).toMatchObject({
      [`${prefix}specversion`]: "1.0",
      [`${prefix}time`]: event.time,
      [`${prefix}count`]: -2_147_483_648n,
      [`${prefix}link`]: "https://acme.example/a?b=c",
    });
    expect(cloudEventFromEnvelope(envelope, { link: "uri" })).toEqual(event);
  });

  it("goes by AMQP in structured mode, its data character by character", () => {
    const envelope = cloudEventToEnvelope(event, { mode: "structured" });

    expect(envelope.brokerProperties.contentType).toBe("application/cloudevents+json; charset=UTF-8");
    expect(JSON.parse(text(envelope.payload))).toMatchObject({ specversion: "1.0", flag: true, blob: "AP8H" });
    expect(cloudEventFromEnvelope(envelope, types)).toEqual(event);
  });

  it.each(["binary", "structured"] as const)("goes by HTTP in %s mode", (mode) => {
    const { headers, body } = cloudEventToHttp(event, mode);

    expect(cloudEventFromHttp(headers, body, types)).toEqual(event);
    expect(cloudEventFromHttp(new Headers(headers), body, types)).toEqual(event);
  });

  it("is percent-encoded in headers as the binding says", () => {
    const { headers } = cloudEventToHttp(event);

    expect(headers["ce-subject"]).toBe("Euro%20%E2%82%AC%20%F0%9F%98%80%20%22quoted%22%20100%25");
    expect(cloudEventFromHttp({ ...headers, "ce-subject": '"a \\" b%20c"' }, new Uint8Array())?.subject).toBe(
      'a " b c',
    );
  });

  it("comes back from every form, whatever the text", () => {
    const sound = fc.string({ unit: "grapheme", maxLength: 40 }).filter((each) => !/\p{Cc}|\p{Cs}/u.test(each));

    fc.assert(
      fc.property(
        sound.filter((each) => each !== ""),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        (subject, data) => {
          const given: CloudEvent = { id: "1", source: "s", type: "t", subject, datacontenttype: "image/png", data };
          const { headers, body } = cloudEventToHttp(given);

          expect(cloudEventFromHttp(headers, body)).toEqual(given);
          expect(cloudEventFromJson(cloudEventToJson(given))).toEqual(given);
          expect(cloudEventFromEnvelope(cloudEventToEnvelope(given))).toEqual(given);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("data in the JSON format", () => {
  const around = (members: string): Uint8Array =>
    bytes(`{"specversion":"1.0","id":"1","source":"s","type":"t",${members}}`);

  it.each([
    ['"data": {"a": [1, "}\\"", {"data": 2}]} ', '{"a": [1, "}\\"", {"data": 2}]}'],
    ['"data":12345678901234567890', "12345678901234567890"],
    ['"data":"text"', '"text"'],
    ['"data":"text","datacontenttype":"text/plain"', "text"],
    ['"data":{"a":1},"datacontenttype":"text/plain"', '{"a":1}'],
    ['"data":null', "null"],
    ['"data":1,"data":2', "2"],
    ['"data_base64":"aGk=","datacontenttype":"text/plain"', "hi"],
  ])("%s are the bytes %s", (members, data) => {
    expect(text(cloudEventFromJson(around(members)).data)).toBe(data);
  });

  it("that are not the JSON they are said to be travel as bytes", () => {
    const given: CloudEvent = {
      id: "1",
      source: "s",
      type: "t",
      datacontenttype: "application/json",
      data: bytes("{"),
    };

    expect(cloudEventFromJson(cloudEventToJson(given))).toEqual(given);
  });

  it("keep a time finer than milliseconds as its text", () => {
    expect(cloudEventFromJson(around('"time":"2026-11-21T00:00:00.123456789Z"')).time).toBe(
      "2026-11-21T00:00:00.123456789Z",
    );
    expect(cloudEventFromJson(around('"time":"2026-11-21T01:00:00+01:00"')).time).toEqual(
      new Date("2026-11-21T00:00:00Z"),
    );
  });

  it.each([
    ["no JSON", bytes("{")],
    ["no UTF-8", new Uint8Array([0xff])],
    ["no object", bytes("[]")],
    ["another version", bytes('{"specversion":"0.3","id":"1","source":"s","type":"t"}')],
    ["no id", bytes('{"specversion":"1.0","source":"s","type":"t"}')],
    ["an attribute that is a list", around('"list":[1]')],
    ["data twice", around('"data":1,"data_base64":"aGk="')],
    ["broken Base64", around('"data_base64":"%"')],
    ["a time that is none", around('"time":"yesterday"')],
  ])("are refused with %s", (_what, given) => {
    expect(refusal(() => cloudEventFromJson(given)).code).toBe("DecodeFailed");
  });
});

describe("a message that is not an event, or not a valid one", () => {
  it.each<readonly [string, unknown]>([
    ["id", ""],
    ["source", undefined],
    ["type", 1],
    ["subject", ""],
    ["subject", 5],
    ["time", "yesterday"],
    ["time", 1],
    ["time", new Date(Number.NaN)],
    ["dataschema", ""],
    ["datacontenttype", 1],
    ["data", "text"],
    ["extensions", null],
    ["extensions", ["a"]],
  ])("is not written: %s = %o", (name, value) => {
    const wrong = { id: "1", source: "s", type: "t", [name]: value };

    for (const write of [cloudEventToEnvelope, cloudEventToHttp, cloudEventToJson]) {
      const error = refusal(() => Reflect.apply(write, undefined, [wrong]));
      expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${name}` });
    }
  });

  it.each<readonly [string, readonly unknown[]]>([
    ["mode", [cloudEventToEnvelope, { mode: "batched" }]],
    ["prefix", [cloudEventToEnvelope, { prefix: "ce-" }]],
    ["mode", [cloudEventToHttp, "batched"]],
  ])("is not written with another %s", (option, [write, options]) => {
    const error = refusal(() => typeof write === "function" && Reflect.apply(write, undefined, [event, options]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("is distinguished from one", () => {
    expect(cloudEventFromEnvelope(createEnvelope({ payload: bytes("{}") }))).toBeUndefined();
    expect(cloudEventFromHttp({ "content-type": "application/json" }, bytes("{}"))).toBeUndefined();
  });

  it("reads integers and times of any AMQP type, and refuses other types", () => {
    const own = {
      "cloudEvents:specversion": "1.0",
      "cloudEvents:id": "1",
      "cloudEvents:source": "s",
      "cloudEvents:type": "t",
    };
    const read = (more: Parameters<typeof createEnvelope>[0]["applicationProperties"]): CloudEvent | undefined =>
      cloudEventFromEnvelope(createEnvelope({ payload: bytes(""), applicationProperties: { ...own, ...more } }));

    expect(read({ "cloudEvents:count": typed.uint(7), "cloudEvents:large": 7n })?.extensions).toEqual({
      count: 7,
      large: 7,
    });
    expect(refusal(() => read({ "cloudEvents:nothing": null })).code).toBe("DecodeFailed");
    expect(refusal(() => cloudEventFromHttp({ "ce-specversion": "1.0", "ce-id": "%ff" }, bytes(""))).code).toBe(
      "DecodeFailed",
    );
  });

  it.each<readonly [string, CloudEventTypes]>([
    ["yes", { a: "boolean" }],
    ["1.5", { a: "integer" }],
    ["2147483648", { a: "integer" }],
    ["no url", { a: "uri" }],
    ["%", { a: "binary" }],
    ["2026-13-01", { a: "timestamp" }],
  ])("refuses %j as %j", (value, wanted) => {
    const headers = { "ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t", "ce-a": value };

    expect(refusal(() => cloudEventFromHttp(headers, bytes(""), wanted)).code).toBe("DecodeFailed");
  });

  it.each([
    ['"count":1.5', "count"],
    ['"count":2147483648', "count"],
    ['"data_base64":5', "data_base64"],
  ])("refuses the JSON member %s, and names it", (member, name) => {
    const json = bytes(`{"specversion":"1.0","id":"1","source":"s","type":"t",${member}}`);

    const error = refusal(() => cloudEventFromJson(json));

    expect(error.code).toBe("DecodeFailed");
    expect(error.message).toContain(name);
  });

  it("is read from the headers of Node's requests, which may be lists, and can be sent on", () => {
    const headers: IncomingHttpHeaders = {
      "ce-specversion": "1.0",
      "ce-id": "1",
      "ce-source": "s",
      "ce-type": "t",
      "ce-subject": "",
      "set-cookie": ["a=1", "b=2"],
    };

    const read = cloudEventFromHttp(headers, bytes(""));

    expect(read).toMatchObject({ id: "1", source: "s", type: "t" });
    expect(read?.subject).toBeUndefined();
    expect(read && cloudEventToHttp(read).headers["ce-id"]).toBe("1");
    expect(refusal(() => Reflect.apply(cloudEventFromHttp, undefined, [null, bytes("")])).path).toBe("$.headers");
  });

  it("is not written when it is not an event, or with an unknown option", () => {
    expect(refusal(() => Reflect.apply(cloudEventToEnvelope, undefined, [null])).code).toBe("InvalidArgument");
    expect(refusal(() => Reflect.apply(cloudEventToHttp, undefined, [])).code).toBe("InvalidArgument");
    expect(refusal(() => Reflect.apply(cloudEventFromEnvelope, undefined, [event])).path).toBe("$.envelope");
    expect(refusal(() => Reflect.apply(cloudEventToEnvelope, undefined, [event, { Mode: "structured" }])).path).toBe(
      "$.Mode",
    );
  });

  it("is not written without an attribute that other libraries add to those of the specification", () => {
    const foreign = { ...event, specversion: "1.0", traceparent: "00-1" };

    const error = refusal(() => cloudEventToJson(foreign));

    expect(error.path).toBe("$.traceparent");
    expect(error.message).toContain("extensions");
    expect(() => cloudEventToJson(Object.assign({ specversion: "1.0" }, event))).not.toThrow();
  });

  it.each<readonly [string, Partial<CloudEvent>]>([
    ["id", { id: "" }],
    ["subject", { subject: "line\nbreak" }],
    ["subject", { subject: "\ud800" }],
    ["Upper", { extensions: { Upper: 1 } }],
    ["data", { extensions: { data: 1 } }],
    ["count", { extensions: { count: 2_147_483_648 } }],
    ["count", { extensions: { count: 1.5 } }],
    ["when", { extensions: { when: new Date(Number.NaN) } }],
  ])("is not written with a wrong %s", (name, wrong) => {
    expect(refusal(() => cloudEventToJson({ ...event, ...wrong })).path).toBe(`$.${name}`);
  });
});
