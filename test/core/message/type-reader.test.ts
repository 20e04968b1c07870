import { describe, expect, it } from "vitest";
import { z } from "zod";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import {
  createTypeReader,
  defineMessage,
  type MessageType,
  messageTypeFromFiles,
  registryIds,
  schemaFilesOf,
  withTypeClaim,
} from "../../../src/core/message/index.ts";
import * as v from "valibot";
import { refusal } from "../../refusal.support.ts";

const id = "5f1b6a7c8d9e0f1a2b3c4d5e6f708192";
const guid = "01020304-0506-0708-090a-0b0c0d0e0f10";
const Order = defineMessage(
  "acme.order",
  { 0: z.object({ key: z.number() }), 1: z.object({ key: z.number() }), 2: z.object({ id: z.number() }) },
  {
    upcast: { 0: (body) => body, 1: ({ key }) => ({ id: key }) },
    aliases: { "com.acme.order.v1": 1, [id]: 1, [guid]: 2, "77": 1 },
  },
);
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });

const serializer = createSerializer({ codecs: [json()] });
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

async function read(
  init: Partial<EnvelopeInit>,
  body: unknown,
  types: readonly MessageType[] = [Order, Invoice],
  stage = registryIds(),
) {
  const { brokerProperties, ...rest } = init;
  const received = createEnvelope({
    payload: bytes(body),
    ...rest,
    brokerProperties: { contentType: "application/json", ...brokerProperties },
  });
  const envelope = (await stage.afterReceive?.(received)) ?? received;
  const result = serializer.deserialize(envelope);
  if (!result.ok) throw result.error;
  return createTypeReader(types)(envelope, result);
}

it("a type from files asserts formats where that is asked for", () => {
  const files = { "1.0.schema.json": { type: "string", format: "uuid" } };

  expect(messageTypeFromFiles("acme.id", files).read("none", 1)).toBe("none");
  const asserting = messageTypeFromFiles("acme.id", files, { formats: "assertion" });
  expect(refusal(() => asserting.read("none", 1)).message).toContain('$ must match format "uuid"');
});

describe("a message without a version", () => {
  it.each<readonly [string, Partial<EnvelopeInit>, string]>([
    ["neither type nor version", {}, "The message names no type or version, but acme.invoice has 1."],
    [
      "its type only",
      { brokerProperties: { subject: "acme.invoice" } },
      "The message names no version, but acme.invoice has 1.",
    ],
  ])("that names %s is unreadable in those words where its type has no version 0", async (_what, init, words) => {
    const result = await read(init, { number: "A-1" }, [Invoice]);

    expect(result).toMatchObject({ ok: false, error: { code: "UnknownMessageVersion" } });
    expect(!result.ok && result.error.message).toContain(words);
  });

  it("is held to version 0, which is called what it is", async () => {
    const result = await read({}, { key: "x" }, [Order]);

    expect(!result.ok && result.error.message).toBe(
      "The body is not acme.order version 0 (of messages that name no version): $.key is refused by zod: Invalid input: expected number, received string.",
    );
  });
});

describe("the type of a message", () => {
  it.each<readonly [string, Partial<EnvelopeInit>, number]>([
    ["our properties", { applicationProperties: { "sobre-type": "acme.order", "sobre-version": 1 } }, 1],
    ["a typed version", { applicationProperties: { "sobre-type": "acme.order", "sobre-version": typed.uint(1) } }, 1],
    ["a version in digits", { applicationProperties: { "sobre-type": "acme.order", "sobre-version": "1" } }, 1],
    ["parameters", { brokerProperties: { contentType: "application/json;type=acme.order;version=1" } }, 1],
    ["messageType", { brokerProperties: { contentType: "application/json; messageType=acme.order; Version=1" } }, 1],
    ["the CloudEvents type", { applicationProperties: { "cloudEvents:type": "com.acme.order.v1" } }, 1],
    ["the CloudEvents type of JMS", { applicationProperties: { cloudEvents_type: "com.acme.order.v1" } }, 1],
    ["the subject", { brokerProperties: { subject: "acme.order" } }, 0],
    ["the id of @azure/schema-registry-json", { brokerProperties: { contentType: `application/json+${id}` } }, 1],
    ["no version, which is 0", { applicationProperties: { "sobre-type": "acme.order" } }, 0],
  ])("is read from %s", async (_name, init, version) => {
    expect(await read(init, { key: 7 })).toMatchObject({
      ok: true,
      body: { id: 7 },
      messageType: "acme.order",
      messageVersion: version,
      typeName: "acme.order",
    });
  });

  it("is read from Confluent's header and from its prefix when that is on", async () => {
    const header = new Uint8Array([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    const prefixed = new Uint8Array([0, 0, 0, 0, 77, ...bytes({ key: 7 })]);

    const byHeader = await read({ applicationProperties: { __value_schema_id: header } }, { id: 7 });
    const byPrefix = await read({ payload: prefixed }, undefined, [Order], registryIds({ confluentPrefix: true }));

    expect(byHeader).toMatchObject({ ok: true, messageVersion: 2 });
    expect(byPrefix).toMatchObject({ ok: true, body: { id: 7 }, messageVersion: 1 });
  });

  it("is refused where the prefix is missing", () => {
    const stage = registryIds({ confluentPrefix: true });

    expect(refusal(() => stage.afterReceive?.(createEnvelope({ payload: bytes({}) }))).code).toBe("DecodeFailed");
    expect(refusal(() => stage.afterReceive?.(createEnvelope({ payload: new Uint8Array([0, 1]) }))).offset).toBe(0);
  });

  it("is read with the greatest version there may be from where its own writer put it", async () => {
    const Late = messageTypeFromFiles("acme.late", { "2147483647.0.schema.json": true }, { wire: "contentType" });
    const { contentType } = withTypeClaim(
      { body: 1 },
      { name: Late.name, version: Late.latestVersion },
      Late.wire,
      "application/json",
    );

    const envelope = createEnvelope({ payload: bytes(1), brokerProperties: { contentType } });
    const result = serializer.deserialize(envelope);

    expect(result.ok && createTypeReader([Late])(envelope, result)).toMatchObject({ messageVersion: 2147483647 });
  });

  it("is not taken for the only one that is read where the content type declares another", async () => {
    const ours = { brokerProperties: { contentType: "application/json;type=acme.parcel;version=1" } };
    const theirs = { brokerProperties: { contentType: "application/json;type=entry" } };

    expect(await read(ours, { key: 7 }, [Order])).toMatchObject({ ok: false, error: { code: "UnknownMessageType" } });
    expect(await read(theirs, { key: 7 }, [Order])).toMatchObject({ ok: true, messageType: "acme.order" });
  });

  it("prefers what is declared over what is implied", async () => {
    const init = {
      applicationProperties: { "sobre-type": "acme.invoice", "sobre-version": 1 },
      brokerProperties: { subject: "acme.order" },
    };

    expect(await read(init, { number: "A" })).toMatchObject({ ok: true, messageType: "acme.invoice" });
  });

  it("is the only one there is when a message says nothing, and unknown otherwise", async () => {
    expect(await read({ brokerProperties: { subject: "new" } }, { key: 7 }, [Order])).toMatchObject({ ok: true });
    expect(await read({ brokerProperties: { subject: "new" } }, { key: 7 })).toMatchObject({
      ok: false,
      error: { code: "UnknownMessageType" },
      attempts: [{ codec: "json", outcome: "read" }],
    });
    expect(await read({ applicationProperties: { "sobre-type": "x" } }, { key: 7 }, [Order])).toMatchObject({
      error: { code: "UnknownMessageType" },
    });
  });

  it.each(["x", "1.5", -1, 1.5, true, "99999999999"])("has no version %j", async (version) => {
    const applicationProperties = { "sobre-type": "acme.order", "sobre-version": version };

    expect(await read({ applicationProperties }, { key: 7 })).toMatchObject({
      error: { code: "UnknownMessageVersion" },
    });
  });

  it("makes a wrong body unreadable with its own code, and also one at which a schema breaks", async () => {
    const Breaking = defineMessage("acme.breaking", {
      1: z.string().refine(() => {
        throw new TypeError("secret");
      }),
    });
    const wrong = await read({ applicationProperties: { "sobre-type": "acme.invoice", "sobre-version": 1 } }, {});
    const envelope = createEnvelope({
      payload: bytes("x"),
      brokerProperties: { contentType: "application/json" },
      applicationProperties: { "sobre-version": 1 },
    });
    const result = serializer.deserialize(envelope);
    const broken = result.ok && (await createTypeReader([Breaking])(envelope, result));

    expect(wrong).toMatchObject({ ok: false, error: { code: "ValidationFailed", path: "$.number" } });
    expect(broken).toMatchObject({ ok: false, error: { code: "ValidationFailed" } });
  });

  it("is named by one type only", () => {
    const Other = defineMessage("acme.other", { 1: z.string() }, { aliases: { "acme.order": 1 } });

    expect(refusal(() => createTypeReader([Order, Other])).message).toContain("acme.order");
  });
});

describe("writing a type", () => {
  it("replaces the parameters that are there", () => {
    const message = { body: 1, contentType: "application/json; charset=utf-8; Version=9" };

    const { contentType } = withTypeClaim(message, { name: "acme.order", version: 2 }, "contentType", "text/plain");

    expect(contentType).toBe("application/json;charset=utf-8;type=acme.order;version=2");
  });
});

describe("schema files", () => {
  const files = {
    "1.0.schema.json": { type: "object", properties: { key: { type: "number" } } },
    "1.1.schema.json": { type: "object", properties: { key: { type: "number" } }, required: ["key"] },
    "2.0.schema.json": { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
    "subject.json": {},
  };

  it("define a message type: each major a version, its greatest minor the schema", async () => {
    const type = messageTypeFromFiles<{ readonly id: number }>("acme.order", files, {
      upcast: { 1: ({ key }: { key: number }) => ({ id: key }) },
    });

    expect(type.versions).toEqual([1, 2]);
    expect(await type.read({ key: 7 }, 1)).toEqual({ id: 7 });
    expect(refusal(() => type.read({}, 1)).code).toBe("ValidationFailed");
    expect(schemaFilesOf(type)).toEqual({
      "1.0.schema.json": files["1.1.schema.json"],
      "2.0.schema.json": files["2.0.schema.json"],
    });
  });

  it("are written from libraries that offer JSON Schema, and make the same type again", async () => {
    const written = schemaFilesOf(Invoice);
    const again = messageTypeFromFiles("acme.invoice", written);

    expect(written["1.0.schema.json"]).toMatchObject({ type: "object", required: ["number"] });
    expect(await again.read({ number: "A" }, 1)).toEqual({ number: "A" });
    expect(refusal(() => again.read({ number: 1 }, 1)).code).toBe("ValidationFailed");
  });

  it("are refused for libraries that offer none", () => {
    const type = defineMessage("acme.valibot", { 1: v.string() });

    expect(refusal(() => schemaFilesOf(type)).message).toContain("valibot");
    expect(refusal(() => Reflect.apply(schemaFilesOf, undefined, ["acme.order"])).path).toBe("$.type");
    expect(refusal(() => Reflect.apply(messageTypeFromFiles, undefined, ["acme.order", null])).path).toBe("$.files");
    expect(refusal(() => schemaFilesOf(defineMessage("a", { 1: z.bigint() }))).message).toContain("a, version 1");
  });
});
