import { runInNewContext } from "node:vm";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineMessage, type MessageType, type Schema } from "../../../src/core/message/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { jsonSchema } from "../../../src/core/json-schema/json-schema.ts";

const Order = defineMessage(
  "acme.order",
  {
    0: jsonSchema({ type: "string" }),
    1: z.object({ id: z.number(), total: z.number() }),
    3: v.object({ id: v.string(), cents: v.pipe(v.number(), v.integer()) }),
  },
  {
    upcast: {
      0: (text) => ({ id: Number(text), total: 0 }),
      1: ({ id, total }) => ({ id: `ORD-${id}`, cents: Math.round(total * 100) }),
    },
    downcast: {
      3: ({ id, cents }) => ({ id: Number(id.slice(4)), total: cents / 100 }),
    },
  },
);

const readers: Readonly<Record<string, Schema>> = {
  "JSON Schema": jsonSchema({ type: "object", properties: { id: { type: "number" } }, required: ["id"] }),
  zod: z.object({ id: z.number() }),
  "zod, asynchronous": z.object({ id: z.number() }).refine(async () => Promise.resolve(true)),
  valibot: v.object({ id: v.number() }),
  "valibot, asynchronous": v.pipeAsync(
    v.object({ id: v.number() }),
    v.checkAsync(async () => Promise.resolve(true)),
  ),
  arktype: type({ id: "number" }),
};

const define = (name: unknown, versions: unknown, options?: unknown): MessageType =>
  Reflect.apply(defineMessage, undefined, [name, versions, options]);

describe("reading", () => {
  it.each(Object.entries(readers))("validates with %s and names the path of what is wrong", async (_name, schema) => {
    const Thing = defineMessage("acme.thing", { 1: schema });

    const body = await Thing.read({ id: 7 }, 1);
    const error = await rejection(Promise.resolve().then(() => Thing.read({ id: "4929-1234" }, 1)));

    expect(body).toEqual({ id: 7 });
    expect(error).toMatchObject({ code: "ValidationFailed", path: "$.id" });
    expect(error.message).toContain("acme.thing version 1");
    expect(error.message).not.toContain("4929-1234");
  });

  it.each([
    ["12", 0, { id: "ORD-12", cents: 0 }],
    [{ id: 12, total: 9.99 }, 1, { id: "ORD-12", cents: 999 }],
    [{ id: "ORD-12", cents: 999 }, 3, { id: "ORD-12", cents: 999 }],
  ])("brings %j of version %i up to the latest", async (body, version, latest) => {
    expect(await Order.read(body, version)).toEqual(latest);
  });

  it("validates a value against the version it is in at each step", async () => {
    const fromOne = refusal(() => Order.read({ id: "ORD-12", cents: 999 }, 1));
    const afterUpcast = refusal(() => Order.read({ id: 12, total: Number.MAX_VALUE }, 1));

    expect(fromOne.message).toContain("version 1");
    expect(afterUpcast.message).toContain("version 3");
  });

  it.each([2, 4, -1, Number.NaN])("refuses version %d, which the type does not have", (version) => {
    const error = refusal(() => Order.read({}, version));

    expect(error.code).toBe("UnknownMessageVersion");
    expect(error.message).toContain("0, 1, 3");
  });

  it("reports an upcast that throws, without its message", async () => {
    const Broken = defineMessage(
      "acme.broken",
      { 1: z.string(), 2: z.string() },
      {
        upcast: {
          1: (text) => {
            throw new RangeError(text);
          },
        },
      },
    );
    const Rejecting = defineMessage(
      "acme.rejecting",
      { 1: z.string(), 2: z.string() },
      { upcast: { 1: (text) => Promise.reject(new RangeError(text)) } },
    );

    const thrown = refusal(() => Broken.read("secret", 1));
    const rejected = await rejection(Promise.resolve(Rejecting.read("secret", 1)));

    for (const error of [thrown, rejected]) {
      expect(error.code).toBe("UpcastFailed");
      expect(error.message).toContain("the upcast from version 1 failed with RangeError");
      expect(error.message).not.toContain("secret");
    }
  });

  it("treats an empty list of issues as a refusal of the whole body", () => {
    const standard = { version: 1, vendor: "own", validate: () => ({ issues: [] }) } as const;
    const Thing = defineMessage("acme.thing", { 1: { "~standard": standard } });

    const error = refusal(() => Thing.read({}, 1));

    expect(error).toMatchObject({ code: "ValidationFailed", path: "$" });
    expect(error.message).toBe("The body is not acme.thing version 1: $ is refused by own.");
  });

  it.each([[[true]], [null], ["1"]])("needs its versions as an object: %j", (versions) => {
    expect(refusal(() => Reflect.apply(defineMessage, undefined, ["a", versions])).message).toContain("{ 1: schema }");
  });

  it("stays synchronous where the schemas are", () => {
    expect(Order.read("12", 0)).not.toBeInstanceOf(Promise);
  });
});

/** A promise of another realm, as that of another library is. */
const promised = (value: unknown): unknown => runInNewContext("Promise.resolve(value)", { value });
const schemaGiving = (result: unknown): object => ({
  "~standard": { version: 1, vendor: "acme", validate: () => result },
});

describe("code of other libraries", () => {
  it("may give promises of its own kind, from schemas and from upcasts", async () => {
    const Thing = define(
      "a",
      { 1: schemaGiving(promised({ value: 1 })), 2: jsonSchema({ type: "string" }) },
      { upcast: { 1: () => promised("up") } },
    );

    expect(await Thing.read("whatever", 1)).toBe("up");
  });

  it.each([[undefined], [null], [5], [{}], [{ issues: "many" }]])(
    "gives no body by the result %j, which is none of a Standard Schema",
    (result) => {
      expect(() => define("a", { 1: schemaGiving(result) }, {}).read("whatever", 1)).toThrow("acme");
    },
  );
});

describe("writing", () => {
  it("sends what it was given, and not what a schema makes of it", async () => {
    const Dated = defineMessage("acme.dated", { 1: z.object({ at: z.string().transform((text) => new Date(text)) }) });

    const sent = await Dated.write({ at: "2026-11-21T00:00:00Z" });

    expect(sent).toEqual({ at: "2026-11-21T00:00:00Z" });
    expect(await Dated.read(sent, 1)).toEqual({ at: new Date("2026-11-21T00:00:00Z") });
  });

  it("goes down to an older version by the downcasts", async () => {
    expect(await Order.write({ id: "ORD-12", cents: 999 }, 1)).toEqual({ id: 12, total: 9.99 });
  });

  it("refuses a body that is not valid, and a way down that is not defined", () => {
    expect(refusal(() => Order.write({ id: "ORD-12", cents: 9.5 })).code).toBe("ValidationFailed");
    expect(refusal(() => Order.write({ id: "ORD-12", cents: 999 }, 0)).message).toContain("from version 1");
    expect(refusal(() => Order.message({ id: "ORD-12", cents: 999 }, { version: 2 })).code).toBe(
      "UnknownMessageVersion",
    );
  });
});

describe("defining", () => {
  const schema = jsonSchema({ type: "string" });

  it.each<readonly [string, unknown, unknown, unknown, string]>([
    ["no name", "", { 1: schema }, {}, "name"],
    ["a name that is not a text", 5, { 1: schema }, {}, "name"],
    ["no version", "a", {}, {}, "at least one version"],
    ["a version that is no number", "a", { one: schema }, {}, "integers"],
    ["a version under a second name", "a", { "01": schema }, {}, "integers"],
    ["a version without a schema", "a", { 1: undefined }, {}, "version 1"],
    ["a version whose schema is null", "a", { 1: null }, {}, "version 1"],
    ["a negative version", "a", { [-1]: schema }, {}, "integers"],
    ["a schema that is none", "a", { 1: 5 }, {}, "version 1"],
    ["a JSON Schema as it is", "a", { 1: { type: "string" } }, {}, "jsonSchema({ … }) from sobre/json-schema"],
    ["a missing upcast", "a", { 1: schema, 2: schema }, {}, "upcast[1]"],
    ["an upcast that is no function", "a", { 1: schema, 2: schema }, { upcast: { 1: 1 } }, "upcast[1]"],
    ["an upcast from the latest", "a", { 1: schema }, { upcast: { 1: String } }, "upcast[1]"],
    ["a downcast from nowhere", "a", { 1: schema }, { downcast: { 2: String } }, "downcast[2]"],
    ["an alias of no version", "a", { 1: schema }, { aliases: { b: 2 } }, 'aliases["b"]'],
    ["versions that are none", "a", null, {}, "versions"],
    ["upcasts that are no table", "a", { 1: schema }, { upcast: null }, "upcast"],
    ["downcasts that are no table", "a", { 1: schema }, { downcast: [] }, "downcast"],
    ["aliases that are no table", "a", { 1: schema }, { aliases: "order" }, "aliases"],
    ["an unknown wire", "a", { 1: schema }, { wire: "header" }, "wire"],
  ])("refuses %s and names it", (_what, name, versions, options, named) => {
    const error = refusal(() => define(name, versions, options));

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain(named);
  });
});

describe("a body of a codec with more types than JSON", () => {
  const Parcel = define("acme.parcel", {
    1: jsonSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        parcel: { type: "string", format: "int64" },
        at: { type: "string", format: "date-time" },
        label: { type: "string", contentEncoding: "base64" },
      },
      required: ["parcel", "at"],
    }),
  });
  const body = { parcel: 2n ** 60n, at: new Date(0), label: Uint8Array.of(1, 2) };

  it("is read as the schema says it", async () => {
    const read = await Parcel.read(body, 1);

    expect(read).toEqual({ parcel: "1152921504606846976", at: "1970-01-01T00:00:00Z", label: "AQI=" });
  });

  it("is sent as it was given", async () => {
    const written = await Parcel.write(body, 1);

    expect(written).toBe(body);
  });
});

it("a body that a library refuses is dead-lettered with the types asked for and found, and nothing of the body", async () => {
  const Placed = defineMessage("shop.order", { 1: z.object({ orderId: z.string() }) });

  const reading = async (): Promise<unknown> => Placed.read({ orderId: 4711 }, 1);

  await expect(reading()).rejects.toThrow(
    "$.orderId is refused by zod: Invalid input: expected string, received number",
  );
  await expect(reading()).rejects.not.toThrow("4711");
});
