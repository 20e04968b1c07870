import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { type BodyOf, defineMessage, type StandardSchema } from "../../src/core/message/index.ts";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";

const zodOrder = z.object({ id: z.number(), at: z.string().transform((text) => new Date(text)) });

describe("Standard Schema", () => {
  it("is taken as its own types declare it", () => {
    expectTypeOf<StandardSchemaV1<string, number>>().toExtend<StandardSchema<string, number>>();
    expectTypeOf<StandardSchema<string, number>>().toExtend<StandardSchemaV1<string, number>>();
  });
});

describe("a message type", () => {
  it("takes its body's types from zod: senders give the input, handlers get the output", () => {
    const Order = defineMessage("acme.order", { 1: zodOrder });

    expectTypeOf<BodyOf<typeof Order>>().toEqualTypeOf<{ id: number; at: Date }>();
    expectTypeOf<Parameters<(typeof Order)["message"]>[0]>().toEqualTypeOf<{ id: number; at: string }>();
    expectTypeOf(Order.name).toEqualTypeOf<"acme.order">();
  });

  it("takes its body's types from valibot and arktype", () => {
    const ByValibot = defineMessage("a", { 1: v.object({ id: v.number(), note: v.optional(v.string()) }) });
    const ByArktype = defineMessage("b", { 1: type({ id: "number", tags: "string[]" }) });

    expectTypeOf<BodyOf<typeof ByValibot>>().toEqualTypeOf<{ id: number; note?: string | undefined }>();
    expectTypeOf<BodyOf<typeof ByArktype>>().toEqualTypeOf<{ id: number; tags: string[] }>();
  });

  it("takes its body's type from a JSON Schema written in place", () => {
    const Order = defineMessage("acme.order", {
      1: jsonSchema({
        type: "object",
        properties: {
          id: { type: "integer" },
          state: { enum: ["open", "closed"] },
          lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
          note: { type: ["string", "null"] },
          account: { type: "integer", format: "int64" },
        },
        required: ["id", "state"],
      }),
    });

    expectTypeOf<BodyOf<typeof Order>>().toEqualTypeOf<{
      readonly id: number;
      readonly state: "open" | "closed";
      readonly lines?: readonly { readonly sku?: string | undefined }[] | undefined;
      readonly note?: string | null | undefined;
      readonly account?: number | bigint | undefined;
    }>();
  });

  it("has the body of its latest version, whatever the order and the gaps", () => {
    const Order = defineMessage(
      "acme.order",
      { 7: z.object({ seven: z.number() }), 0: z.string(), 2: z.object({ two: z.number() }) },
      {
        upcast: {
          0: (text) => {
            expectTypeOf(text).toEqualTypeOf<string>();
            return { two: 2 };
          },
          2: ({ two }) => {
            expectTypeOf(two).toEqualTypeOf<number>();
            return { seven: two };
          },
        },
        downcast: {
          7: ({ seven }) => ({ two: seven }),
        },
      },
    );

    expectTypeOf<BodyOf<typeof Order>>().toEqualTypeOf<{ seven: number }>();
  });

  it("has versions as great as they may be, as years and dates are, and gaps of any length", () => {
    const Order = defineMessage(
      "acme.order",
      { 2_147_483_647: z.object({ last: z.number() }), 9: z.string(), 2024: z.object({ year: z.number() }) },
      {
        upcast: { 9: (text) => ({ year: text.length }), 2024: ({ year }) => ({ last: year }) },
        downcast: { 2_147_483_647: ({ last }) => ({ year: last }), 2024: ({ year }) => String(year) },
      },
    );

    expectTypeOf<BodyOf<typeof Order>>().toEqualTypeOf<{ last: number }>();
    // @ts-expect-error -- the version above 9 is 2024, which has a year
    void (() => defineMessage("b", { 9: z.string(), 2024: z.number() }, { upcast: { 9: (text) => text } }));
  });

  it("refuses a body that is not of its latest version", () => {
    const Order = defineMessage("acme.order", { 1: z.object({ id: z.number() }) });

    // @ts-expect-error -- the id is a number
    Order.message({ id: "7" });
    // @ts-expect-error -- the id is missing
    Order.message({});
  });

  it("refuses versions without their steps up, and steps that lead elsewhere", () => {
    const versions = { 1: z.object({ id: z.number() }), 2: z.object({ key: z.string() }) };

    // @ts-expect-error -- there is no way from 1 to 2
    void (() => defineMessage("acme.order", versions));
    // @ts-expect-error -- there is no way from 1 to 2
    void (() => defineMessage("acme.order", versions, { upcast: {} }));
    // @ts-expect-error -- version 2 has a key, and it is text
    void (() => defineMessage("acme.order", versions, { upcast: { 1: ({ id }) => ({ key: id }) } }));
    // @ts-expect-error -- version 1 has no name
    void (() => defineMessage("acme.order", versions, { upcast: { 1: ({ name }) => ({ key: String(name) }) } }));
  });
});
