import { describe, expect, it } from "vitest";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown, options: Partial<CompatibilityOptions> = {}) =>
  checkCompatibility({ format: "json-schema", older, newer, ...options });

const integer = { type: "integer" };
const draft = (name: string) => ({ $schema: `http://json-schema.org/${name}/schema#` });
const newest = { $schema: "https://json-schema.org/draft/2020-12/schema" };

describe("keywords that the named dialect does not have", () => {
  it.each([
    ["const", "draft-04", { ...draft("draft-04"), const: 1 }, { ...draft("draft-04"), enum: [1] }],
    ["if", "draft-06", { ...draft("draft-06"), if: false, else: integer }, { ...draft("draft-06"), ...integer }],
    [
      "contains",
      "draft-04",
      { ...draft("draft-04"), type: "array", contains: integer },
      { ...draft("draft-04"), type: "array", minItems: 1 },
    ],
    [
      "dependencies",
      "2020-12",
      { ...newest, type: "object", properties: { a: {}, b: {} }, dependencies: { a: ["b"] } },
      { ...newest, type: "object", properties: { a: {}, b: {} }, dependentRequired: { a: ["b"] } },
    ],
  ])("prove nothing: %s in %s", async (_, __, older, newer) => {
    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.at(-1)).toContain("keywords that the dialect of $schema does not have");
  });

  it("are read as usual where no dialect is named", async () => {
    const older = { type: "object", properties: { a: {}, b: {} }, dependencies: { a: ["b"] } };

    expect((await compare(older, { ...older, dependencies: undefined, dependentRequired: { a: ["b"] } })).verdict).toBe(
      "safe",
    );
  });
});

describe("embedded schemas that validators read differently", () => {
  const old = { $schema: "http://json-schema.org/draft-07/schema#" };

  it.each([
    [
      "one that names another dialect",
      {
        ...newest,
        $ref: "http://z/a",
        $defs: { a: { ...old, $id: "http://z/a", $ref: "#/definitions/q", ...integer, definitions: { q: true } } },
      },
    ],
    [
      "one of draft-07 with $id beside $ref",
      {
        ...old,
        $id: "http://x/",
        allOf: [{ $ref: "#/definitions/a" }],
        definitions: {
          a: { $id: "http://y/", $ref: "#/definitions/c", definitions: { c: { type: "string" } } },
          c: integer,
        },
      },
    ],
  ])("prove nothing: %s", async (_, older) => {
    expect((await compare(older, integer)).verdict).toBe("unproven");
  });
});

describe("formats of numbers", () => {
  const int32 = { ...integer, format: "int32" };

  it("narrow where they may be asserted, so that they prove nothing", async () => {
    expect((await compare(integer, int32)).verdict).toBe("unproven");
    expect((await compare(integer, int32, { formats: "assertion" })).verdict).toBe("unproven");
    expect((await compare(integer, int32, { formats: "annotation" })).verdict).toBe("safe");
  });

  it("are proven by the same range", async () => {
    const ranged = { ...integer, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

    expect((await compare(ranged, int32)).verdict).toBe("safe");
    expect((await compare(integer, { ...integer, format: "int64" })).verdict).toBe("safe");
  });
});

describe("numbers that no double is", () => {
  it.each([
    ["an integer beyond 2^53", { ...integer, exclusiveMinimum: 2 ** 53, exclusiveMaximum: 2 ** 53 + 2 }],
    ["multiples beyond doubles", { type: "number", minimum: 1.7e308, multipleOf: 1e308 }],
  ])("do not prove that nothing is sent: %s", async (_, older) => {
    expect((await compare(older, { type: "string" })).verdict).toBe("unproven");
  });

  it("end in a verdict where factors have no common multiple among doubles", async () => {
    const { verdict } = await compare({ multipleOf: Number.MAX_VALUE }, { multipleOf: Number.MIN_VALUE });

    expect(verdict).toBe("unproven");
  });

  it("are assumed not to occur next to multipleOf, which the verdict states", async () => {
    const { verdict, assumptions } = await compare(
      { type: "number", multipleOf: 4 },
      { type: "number", multipleOf: 2 },
    );

    expect(verdict).toBe("safe");
    expect(assumptions.join()).toContain("10^21");
  });
});

describe("schemas that are not JSON", () => {
  const cyclic = { type: "object", properties: {} };
  Object.assign(cyclic.properties, { a: cyclic });

  it.each([
    ["a bigint", { maximum: 10n }, "#/maximum"],
    ["a Date", { const: new Date(0) }, "#/const"],
    ["a Map", { properties: new Map() }, "#/properties"],
    ["a function", { properties: { a: () => true } }, "#/properties/a"],
    ["a circle", cyclic, "#/properties/a"],
  ])("are refused with the place: %s", async (_, schema, path) => {
    await expect(compare({}, schema)).rejects.toMatchObject({ code: "InvalidArgument", path });
  });

  it("may hold one object in many places, and members that are undefined", async () => {
    const shared = { type: "string", maxLength: undefined };

    expect((await compare({ properties: { a: shared, b: shared } }, { properties: { a: shared } })).verdict).toBe(
      "safe",
    );
  });
});
