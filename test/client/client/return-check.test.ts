import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { amqp } from "../../../codecs/amqp/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { createClient } from "../../../src/client/client/client.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import type { Codec } from "../../../src/core/codec/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { defineMessage, type MessageType, type Schema } from "../../../src/core/message/index.ts";
import { rejection } from "../../refusal.support.ts";

/** Sends bodies of a type and reads them with it. */
async function across(codec: Codec, Thing: MessageType, ...bodies: readonly unknown[]): Promise<readonly unknown[]> {
  const client = createClient({
    engine: memoryEngine({ queues: ["q"] }),
    serializer: createSerializer({ codecs: [codec] }),
  });
  const sender = client.createSender("q");
  for (const body of bodies) await sender.sendMessages(Thing.message(body));
  const read = await client.createReceiver("q", { messageTypes: [Thing] }).receiveMessages(bodies.length);
  await client.close();
  return read.map((message) => (message.result.ok ? message.body : message.result.error.message));
}

const thing = (schema: Schema): MessageType => {
  const made: unknown = defineMessage("acme.thing", { 1: schema });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bodies of every schema are tried
  return made as MessageType;
};

const at = new Date("2026-11-22T10:00:00.250Z");
const small = 7n;
const large = 2n ** 60n;

/** Types whose values are of another type in some codecs. */
const kept: Readonly<Record<string, { readonly schema: Schema; readonly bodies: readonly unknown[] }>> = {
  "zod's bigint": { schema: z.object({ a: z.bigint() }), bodies: [{ a: small }, { a: large }, { a: -1n }] },
  "zod's date": { schema: z.object({ a: z.array(z.date()) }), bodies: [{ a: [at, new Date(0)] }] },
  "zod's nullable date": { schema: z.object({ a: z.date().nullable() }), bodies: [{ a: at }, { a: null }] },
  "zod's coerced date": { schema: z.object({ a: z.coerce.date() }), bodies: [{ a: at }] },
  "a union of zod's": {
    schema: z.object({ a: z.union([z.bigint(), z.boolean()]) }),
    bodies: [{ a: small }, { a: true }],
  },
  "zod's literals": { schema: z.object({ a: z.literal([1n, 2n]) }), bodies: [{ a: 2n }] },
  "a union of zod's objects": {
    schema: z.union([
      z.object({ kind: z.literal("a"), at: z.date() }),
      z.object({ kind: z.literal("b"), n: z.bigint() }),
    ]),
    bodies: [
      { kind: "a", at },
      { kind: "b", n: small },
    ],
  },
  "zod's map of dates by name": { schema: z.record(z.string(), z.date()), bodies: [{ x: at, "a/b": at }] },
  "zod's number": { schema: z.object({ a: z.number() }), bodies: [{ a: 7 }, { a: 0.5 }, { a: -0 }] },
  "zod's refined asynchronously": {
    schema: z.object({ a: z.date() }).refine(async () => Promise.resolve(true)),
    bodies: [{ a: at }],
  },
  "valibot's bigint": { schema: v.object({ a: v.bigint() }), bodies: [{ a: small }, { a: large }] },
  "valibot's date": { schema: v.object({ a: v.optional(v.date()) }), bodies: [{ a: at }, {}] },
  "a variant of valibot's": {
    schema: v.union([v.object({ kind: v.literal("a"), at: v.date() }), v.object({ kind: v.literal("b") })]),
    bodies: [{ kind: "a", at }, { kind: "b" }],
  },
  "arktype's bigint": { schema: type({ a: "bigint" }), bodies: [{ a: small }, { a: large }] },
  "arktype's date": { schema: type({ a: "Date[]" }), bodies: [{ a: [at, at, at] }] },
  "a union of arktype's": { schema: type({ a: "bigint | Date" }), bodies: [{ a: small }, { a: at }] },
};

describe.each([
  ["json", json()],
  ["msgpack", msgpack()],
  ["amqp", amqp()],
] as const)("a body sent by %s", (_name, codec) => {
  it.each(Object.entries(kept))("comes back as its type says: %s", async (_what, { schema, bodies }) => {
    expect(await across(codec, thing(schema), ...bodies)).toEqual(bodies);
  });
});

describe("a value that a codec cannot bring back", () => {
  it.each<readonly [string, Codec, Schema, unknown, string]>([
    ["zod's Map", msgpack(), z.object({ a: z.map(z.string(), z.number()) }), { a: new Map([["x", 1]]) }, "$.a"],
    ["valibot's Map", msgpack(), v.object({ a: v.map(v.string(), v.number()) }), { a: new Map([["x", 1]]) }, "$.a"],
    ["arktype's Map", msgpack(), type({ a: "Map" }), { a: new Map([["x", 1]]) }, "$.a"],
    ["zod's Map in JSON", json(), z.object({ a: z.map(z.string(), z.number()) }), { a: new Map() }, "$.a"],
    ["zod's Set", json(), z.object({ a: z.set(z.number()) }), { a: new Set([1]) }, "$.a"],
    ["zod's Set in MessagePack", msgpack(), z.object({ a: z.set(z.number()) }), { a: new Set([1]) }, "$.a"],
    ["an undefined member of valibot's", json(), v.object({ a: v.undefined() }), { a: undefined }, "$.a"],
    ["an undefined member of arktype's", json(), type({ a: "undefined" }), { a: undefined }, "$.a"],
    [
      "a Date where a JSON Schema has an object",
      json(),
      jsonSchema({ properties: { a: { type: "object" } } }),
      { a: at },
      "$.a",
    ],
  ])("is refused as it is sent, with path and codec: %s", async (_what, codec, schema, body, path) => {
    const error = await rejection(across(codec, thing(schema), body));

    expect(error).toMatchObject({ code: "UnsupportedValue", path });
    expect(error.message).toMatch(/JSON|MessagePack|"(?:json|msgpack)"/);
    expect(error.message).toMatch(/convert it first|Convert it before sending|transform it in the schema/);
  });

  it("is found behind bodies that came back", async () => {
    const Thing = thing(z.object({ a: z.union([z.number(), z.map(z.string(), z.number())]) }));

    await expect(across(msgpack(), Thing, { a: 1 }, { a: 2 }, { a: new Map([["secret", 1]]) })).rejects.toThrow(
      'The codec "msgpack" decodes this body in a form that its own message type rejects',
    );
    await expect(across(msgpack(), Thing, { a: new Map([["secret", 1]]) })).rejects.not.toThrow("secret");
  });

  it("is found in the first message where it is a codec's own type of a plain value", async () => {
    const codec = protobuf({
      protos: {
        "a.proto":
          'syntax = "proto3"; package acme; message thing { State state = 1; } enum State { NEW = 0; OLD = 1; }',
      },
    });

    const error = await rejection(across(codec, thing(z.object({ state: z.literal(1) })), { state: 1 }));

    expect(error).toMatchObject({ code: "UnsupportedValue", path: "$.state" });
  });

  it("accepts a number that a codec returns as a bigint", async () => {
    const codec = protobuf({
      protos: { "a.proto": 'syntax = "proto3"; package acme; message thing { int64 n = 1; }' },
    });

    expect(await across(codec, thing(z.object({ n: z.number() })), { n: 7 })).toEqual([{ n: 7 }]);
  });
});

describe("a refused body", () => {
  it("is refused for what it is, and not for what it was converted to", async () => {
    const Thing = thing(z.object({ a: z.number().min(10), at: z.iso.date() }));

    const reading = Promise.resolve().then(() => Thing.read({ a: 5, at: at.toISOString() }, 1));

    expect((await rejection(reading)).message).toBe(
      "The body is not acme.thing version 1: $.a is refused by zod: Too small: expected number to be >=10; $.at is refused by zod: Invalid ISO date.",
    );
  });

  it.each([
    [{ a: "2026-13-01T00:00:00Z" }, z.object({ a: z.date() })],
    [{ a: "2026-11-22" }, z.object({ a: z.date() })],
    [{ a: 1.5 }, z.object({ a: z.bigint() })],
    [{ a: "7" }, z.object({ a: z.bigint() })],
    [{ a: 2n ** 60n }, z.object({ a: z.number() })],
  ])("stays refused where nothing is the same value: case %#", async (body, schema) => {
    expect((await rejection(Promise.resolve().then(() => thing(schema).read(body, 1)))).code).toBe("ValidationFailed");
  });
});
