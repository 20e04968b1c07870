import { type } from "arktype";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { StandardSchema } from "../../../src/core/message/index.ts";
import { compileSchema } from "../../../src/core/message/schema.ts";

async function reasons(schema: StandardSchema<unknown, unknown>, body: unknown): Promise<Record<string, string>> {
  const checked = await compileSchema(schema, "schema")(body);
  if (checked.ok) throw new Error("The body was accepted.");
  return Object.fromEntries(checked.problems.map(({ path, message }) => [path, message]));
}

const body = { id: "SECRET", count: -5, mail: "SECRET@x", tags: ["SECRET"], kind: "SECRET", extra: "SECRET" };

describe("the reason why a body is refused", () => {
  it("is zod's, with its path", async () => {
    const schema = z.object({
      id: z.number(),
      count: z.number().min(1),
      mail: z.email(),
      tags: z.array(z.string().max(2)),
      kind: z.enum(["a", "b"]),
      gone: z.string(),
    });

    expect(await reasons(schema, body)).toEqual({
      "$.id": "is refused by zod: Invalid input: expected number, received string",
      "$.count": "is refused by zod: Too small: expected number to be >=1",
      "$.mail": "is refused by zod: Invalid email address",
      "$.tags[0]": "is refused by zod: Too big: expected string to have <=2 characters",
      "$.kind": 'is refused by zod: Invalid option: expected one of "a"|"b"',
      "$.gone": "is refused by zod: Invalid input: expected string, received undefined",
    });
  });

  it("is valibot's, without what it received", async () => {
    const schema = v.object({
      id: v.number(),
      count: v.pipe(v.number(), v.minValue(1)),
      mail: v.pipe(v.string(), v.email()),
      tags: v.array(v.pipe(v.string(), v.maxLength(2))),
      kind: v.picklist(["a", "b"]),
      gone: v.string(),
    });

    expect(await reasons(schema, body)).toEqual({
      "$.id": "is refused by valibot: Invalid type: Expected number but received string",
      "$.count": "is refused by valibot: Invalid value: Expected >=1",
      "$.mail": "is refused by valibot: Invalid email",
      "$.tags[0]": "is refused by valibot: Invalid length: Expected <=2",
      "$.kind": 'is refused by valibot: Invalid type: Expected ("a" | "b") but received string',
      "$.gone": 'is refused by valibot: Invalid key: Expected "gone" but received undefined',
    });
  });

  it("is arktype's, without what it was", async () => {
    const schema = type({
      id: "number",
      count: "number>=1",
      mail: "string.email",
      tags: "string<=2[]",
      kind: "'a'|'b'",
      gone: "string",
    });

    expect(await reasons(schema, body)).toEqual({
      "$.id": "is refused by arktype: must be a number (was a string)",
      "$.count": "is refused by arktype: must be at least 1",
      "$.mail": "is refused by arktype: must be an email address",
      "$.tags[0]": "is refused by arktype: must be at most length 2",
      "$.kind": 'is refused by arktype: must be "a" or "b"',
      "$.gone": "is refused by arktype: must be a string (was missing)",
    });
  });

  it("has an ellipsis where a message of the user's quotes the value", async () => {
    const schema = z.object({
      id: z.string().refine(() => false, { error: ({ input }) => `no order ${String(input)}, see "${String(input)}"` }),
      when: z.date().refine(() => false, { error: ({ input }) => `not ${JSON.stringify(input)}` }),
      lines: z.array(z.object({ price: z.number() })).refine(() => false, { error: () => "the sum is above 12.5" }),
    });
    const given = { id: "SECRET 7", when: new Date(0), lines: [{ price: 12.5 }] };

    expect(await reasons(schema, given)).toEqual({
      "$.id": 'is refused by zod: no order …, see "…"',
      "$.when": 'is refused by zod: not "…"',
      "$.lines": "is refused by zod: the sum is above …",
    });
  });

  it("is on one line, and cut", async () => {
    const schema = z.string().refine(() => false, { error: () => `${"long ".repeat(100)}\nand longer` });
    const { $: reason = "" } = await reasons(schema, "x");

    expect(reason).not.toContain("\n");
    expect(reason.length).toBeLessThan(230);
  });

  it("never has the value, whatever the library", async () => {
    const text = fc.string({ minLength: 4, maxLength: 40, unit: "grapheme-ascii" }).filter((one) => /\w{3}/.test(one));
    await fc.assert(
      fc.asyncProperty(text, async (secret) => {
        const value = `§${secret}§`;
        const schemas = [
          z.object({ a: z.number() }),
          z.object({ a: z.string().refine(() => false, { error: ({ input }) => `not "${String(input)}"` }) }),
          v.object({ a: v.number() }),
          v.object({ a: v.pipe(v.string(), v.email()) }),
          v.object({
            a: v.pipe(
              v.string(),
              v.check(
                () => false,
                ({ input }) => `not ${input}`,
              ),
            ),
          }),
          type({ a: "number" }),
          type({ a: "string.email" }),
          type({ a: "'x'|number" }),
        ];
        for (const schema of schemas)
          expect(JSON.stringify(await reasons(schema, { a: value }))).not.toContain(JSON.stringify(value).slice(2, -2));
      }),
    );
  });
});
