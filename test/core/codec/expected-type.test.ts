import { describe, expect, it } from "vitest";
import { z } from "zod";
import { json } from "../../../codecs/json/index.ts";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";

const protos = 'syntax = "proto3"; package acme; message Order { int32 id = 1; } message Customer { string name = 1; }';
const serializer = createSerializer({ codecs: [json(), protobuf({ protos })] });
const Order = z.object({ id: z.number(), note: z.string().default("none") });
const OrderPlaced = defineMessage(
  "acme.placed",
  { 1: z.object({ id: z.number() }), 2: Order },
  { upcast: { 1: ({ id }) => ({ id, note: "old" }) } },
);

const ofJson = (body: unknown, properties = {}): Envelope =>
  serializer.serialize({ body, contentType: "application/json", applicationProperties: properties });

describe("a type that is expected of one body", () => {
  it("is a schema, which checks the body and gives its type", () => {
    const result = serializer.deserialize(ofJson({ id: 7 }), { type: Order });

    // The compiler knows the body.
    const total: number = result.ok ? result.body.id + result.body.note.length : 0;
    expect(result).toMatchObject({ ok: true, body: { id: 7, note: "none" }, codec: "json" });
    expect(total).toBe(11);
  });

  it("refuses a body that does not fit a schema, by its path and without its content", () => {
    const result = serializer.deserialize(ofJson({ id: "secret" }), { type: Order });

    expect(result).toMatchObject({ ok: false, error: { code: "ValidationFailed", path: "$.id" } });
    expect(!result.ok && result.error.message).not.toContain("secret");
    expect(result.attempts).toHaveLength(1);
  });

  it("is a message type, which brings an older version to the latest", () => {
    const envelope = ofJson({ id: 7 }, { "sobre-type": "acme.placed", "sobre-version": 1 });

    const result = serializer.deserialize(envelope, { type: OrderPlaced });

    const note: string = result.ok ? result.body.note : "";
    expect(note).toBe("old");
  });

  it.each([
    ["another type", { "sobre-type": "acme.other", "sobre-version": 1 }, "UnknownMessageType"],
    ["a version that there is not", { "sobre-type": "acme.placed", "sobre-version": 9 }, "UnknownMessageVersion"],
  ])("refuses a message of %s", (_what, properties, code) => {
    const result = serializer.deserialize(ofJson({ id: 7 }, properties), { type: OrderPlaced });

    expect(result).toMatchObject({ ok: false, error: { code } });
  });

  it("is the name of a Protobuf message, for a payload that names none", () => {
    const envelope = createEnvelope({
      payload: Uint8Array.of(8, 7),
      brokerProperties: { contentType: "application/protobuf" },
    });

    const result = serializer.deserialize(envelope, { type: "acme.Order" });

    expect(result).toMatchObject({ ok: true, body: { id: 7 }, typeName: "acme.Order" });
    expect(
      serializer.deserialize(envelope, { type: defineMessage("acme.Order", { 0: z.object({ id: z.number() }) }) }),
    ).toMatchObject({ ok: true, body: { id: 7 } });
  });

  it("is an error when the payload names another one", () => {
    const contentType = 'application/protobuf; messageType="acme.Customer"';
    const envelope = serializer.serialize({ body: { name: "a" }, contentType });

    expect(serializer.deserialize(envelope, { type: "acme.Order" })).toMatchObject({
      ok: false,
      error: { code: "UnknownMessageType" },
    });
  });

  it("cannot wait, since a serializer does not", () => {
    const later = z.object({}).refine(async () => Promise.resolve(false));

    const result = serializer.deserialize(ofJson({}), { type: later });

    expect(result).toMatchObject({ ok: false, error: { code: "InvalidOperation" } });
  });

  it("leaves an unreadable payload unreadable", () => {
    const envelope = createEnvelope({
      payload: Uint8Array.of(0xff),
      brokerProperties: { contentType: "application/json" },
    });

    expect(serializer.deserialize(envelope, { type: Order })).toMatchObject({
      ok: false,
      error: { code: "Unreadable" },
    });
  });

  it.each([[5], [""], [{}], [null]])("is refused when it is %j", (type) => {
    expect(() => Reflect.apply(Reflect.get(serializer, "deserialize"), serializer, [ofJson({}), { type }])).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });
});
