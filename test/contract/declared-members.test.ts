import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown) => checkCompatibility({ format: "json-schema", older, newer });

const integer = { type: "integer" };
const withX = { type: "object", properties: { x: integer } };
const withY = { type: "object", properties: { y: integer } };
const reader = { type: "object", properties: { x: integer, y: { type: "string" } } };

describe("declared-writer", () => {
  it.each([
    ["a listed value", { properties: { a: integer }, enum: [{ a: 1, x: 2 }] }, { const: { a: 5 } }],
    [
      "a listed name",
      { type: "object", properties: { a: integer }, propertyNames: { enum: ["a", "b"] }, minProperties: 2 },
      { type: "string" },
    ],
    [
      "more members than are declared",
      { type: "object", properties: { a: integer }, minProperties: 2 },
      { type: "string" },
    ],
    [
      "a member that a pattern describes, too",
      { type: "object", properties: { a: withX }, patternProperties: { "^a": withY } },
      { type: "object", properties: { a: reader } },
    ],
    [
      "a member that two patterns describe",
      { type: "object", patternProperties: { "^a": withX, b$: withY } },
      { type: "object", properties: { ab: reader } },
    ],
    [
      "items that contains describes, too",
      { type: "array", items: withX, contains: { ...withY, required: ["y"] } },
      { type: "array", items: reader },
    ],
  ])("lets a writer send %s", async (_, older, newer) => {
    expect((await compare(older, newer)).verdict).toBe("breaking");
  });

  it("proves nothing of a schema that allows no message of declared members alone", async () => {
    const older = { type: "object", properties: { a: integer }, not: { not: { required: ["b"] } } };

    const { verdict, tried } = await compare(older, { type: "string" });

    expect(verdict).toBe("unproven");
    expect(tried?.[0]).toContain("members that it does not declare");
  });

  it("proves a schema safe that allows no message at all", async () => {
    expect((await compare({ type: "object", properties: { a: integer }, not: {} }, { type: "string" })).verdict).toBe(
      "safe",
    );
  });
});

describe("options of checkCompatibility", () => {
  it.each([
    [{ contentmodel: "as-written" }, "Unknown option `contentmodel`"],
    [{ contentModel: "asWritten" }, 'contentModel must be one of "declared-writer"'],
    [{ policy: "wires" }, 'policy must be one of "json", "wire", "source"'],
    [{ formats: "asserted" }, "formats must be one of"],
    [{ budget: "2s" }, "budget must be a whole number"],
    [{ codecs: "json" }, "codecs must be a list of codecs"],
    [{ older: undefined }, "older must be a schema"],
  ])("are refused where they are misspelt or wrong: %j", async (wrong, text) => {
    const options = { format: "json-schema", older: {}, newer: {}, ...wrong } as const;

    await expect(Reflect.apply(checkCompatibility, undefined, [options])).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining(text),
    });
  });
});
