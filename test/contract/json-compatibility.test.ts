import { describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown, options: Partial<CompatibilityOptions> = {}) =>
  checkCompatibility({ format: "json-schema", older, newer, ...options });

/** A tree whose names have at most so many characters. */
function tree(most: number): object {
  const name = { type: "string", maxLength: most };
  return { type: "object", properties: { name, children: { type: "array", items: { $ref: "#" } } } };
}

function renamed(value: unknown): unknown {
  return { full: Reflect.get(Object(value), "name") };
}

const texts = { type: "string" };
const one = { const: 1 };
const newest = "https://json-schema.org/draft/2020-12/schema";

describe("checkCompatibility of JSON Schemas", () => {
  it("attaches a shrunk witness with its bytes when a member becomes required", async () => {
    const older = {
      type: "object",
      properties: { id: { type: "string" }, note: { type: "string" } },
      required: ["id"],
    };

    const result = await compare(older, { ...older, required: ["id", "note"] }, { codecs: [json(), msgpack()] });

    expect(result.verdict).toBe("breaking");
    expect(result.findings[0]).toMatchObject({ code: "member-required", witness: { value: { id: "" } } });
    expect(result.findings[0]?.witness?.encodings.map(({ codec }) => codec)).toEqual(["json", "msgpack"]);
    expect(result.rows.map(({ verdict }) => verdict)).toEqual(["breaking", "breaking"]);
  });

  it("proves an optional member safe for writers of declared members, and shows why it is not for all that is written", async () => {
    const older = { type: "object", properties: { a: { type: "string" } } };
    const newer = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } };

    const declared = await compare(older, newer);
    const written = await compare(older, newer, { contentModel: "as-written" });

    expect(declared.verdict).toBe("safe");
    expect(declared.trace).not.toEqual([]);
    expect(written.verdict).toBe("breaking");
    expect(written.findings[0]?.instancePointer).toBe("/b");
  });

  it("proves recursive schemas by induction on the depth of a value", async () => {
    const [wider, narrower] = [await compare(tree(4), tree(8)), await compare(tree(8), tree(4))];

    expect(wider.verdict).toBe("safe");
    expect(narrower.verdict).toBe("breaking");
  });

  it.each([
    [
      "patterns",
      { type: "string", pattern: "^[a-f]{2,4}$" },
      { type: "string", pattern: "^[a-z]+$", maxLength: 4 },
      "safe",
    ],
    ["negated patterns", { type: "string", not: { pattern: "^x" } }, { type: "string", pattern: "^[^y]" }, "breaking"],
    ["multiples", { type: "integer", multipleOf: 6 }, { multipleOf: 3 }, "safe"],
    [
      "tuples",
      { prefixItems: [{ type: "string" }], items: false, minItems: 1 },
      { type: ["array", "object", "string", "number", "boolean", "null"], maxItems: 1 },
      "safe",
    ],
    [
      "distinct items",
      { type: "array", items: { enum: [1, 2] }, uniqueItems: true },
      { type: "array", maxItems: 2 },
      "safe",
    ],
    ["contains", { type: "array", items: { type: "integer" }, minItems: 1 }, { contains: { type: "number" } }, "safe"],
    [
      "unevaluated members",
      { type: "object", allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { type: "object", additionalProperties: false, properties: { a: true, b: true } },
      "safe",
    ],
    ["conditions", { type: "string", if: { maxLength: 1 }, else: { maxLength: 3 } }, { maxLength: 2 }, "breaking"],
    [
      "dependent members",
      { type: "object", required: ["a"], dependentRequired: { a: ["b"] } },
      { required: ["b"] },
      "safe",
    ],
    ["names of members", { type: "object", propertyNames: { enum: ["a", "b"] } }, { maxProperties: 2 }, "safe"],
  ] as const)("decides %s", async (_, older, newer, verdict) => {
    const result = await compare(older, newer, { contentModel: "as-written" });

    expect(result.verdict).toBe(verdict);
  });

  it("calls unproven what depends on the meaning of a format, unless formats says it", async () => {
    const [older, newer] = [{ type: "string" }, { type: "string", format: "date" }];

    const verdicts = [
      (await compare(older, newer)).verdict,
      (await compare(older, newer, { formats: "annotation" })).verdict,
      (await compare(older, newer, { formats: "assertion" })).verdict,
    ];

    expect(verdicts).toEqual(["unproven", "safe", "breaking"]);
  });

  it("searches for values that an upcaster turns into invalid ones, and calls one that passes tested, never safe", async () => {
    const older = { type: "object", properties: { name: { type: ["string", "null"] } }, required: ["name"] };
    const newer = { type: "object", properties: { full: { type: "string" } }, required: ["full"] };

    const wrong = await compare(older, newer, { contentModel: "upcast", upcast: renamed });
    const right = await compare(older, newer, {
      contentModel: "upcast",
      upcast: (value) => ({ full: String(Reflect.get(Object(value), "name")) }),
    });

    expect(wrong.findings[0]?.witness?.value).toEqual({ name: null });
    expect(right.verdict).toBe("tested");
  });

  it("takes lists of versions and both directions", async () => {
    const versions = [{ type: "integer" }, { type: "number" }];

    const result = await compare(versions, [{ type: ["number", "string"] }], { direction: "full" });

    expect(result.verdict).toBe("breaking");
    expect(result.findings).toHaveLength(2);
  });

  it.each([
    ["contains behind a tuple", { prefixItems: [texts], contains: one }, { contains: one }],
    ["distinct items behind a tuple", { prefixItems: [true, true, texts], uniqueItems: true }, { uniqueItems: true }],
    ["contains in a loop", { items: { contains: one } }, { items: { minItems: 1 } }],
    [
      "an inherited member that is required",
      { type: "object", required: ["toString"] },
      { type: "object", minProperties: 1 },
    ],
    [
      "a member named __proto__",
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
      { type: "object", additionalProperties: texts },
    ],
    ["a type with nullable", { type: "string", nullable: true }, { type: "string" }],
    [
      "what only an if has evaluated",
      { $schema: newest, if: { properties: { a: one } }, unevaluatedProperties: false },
      { properties: { a: one }, additionalProperties: false },
    ],
    [
      "items that alternatives evaluate",
      { $schema: newest, anyOf: [{ prefixItems: [true], minItems: 3 }, true], unevaluatedItems: { type: "number" } },
      { prefixItems: [true], items: { type: "number" } },
    ],
    [
      "items that contains evaluates",
      { $schema: newest, contains: one, unevaluatedItems: { type: "number" } },
      { items: { type: "number" } },
    ],
  ])("calls nothing safe that ajv, departing from the specification, refutes: %s", async (_, older, newer) => {
    const typed = { type: ["array", "object", "string"], ...older };

    const [changed, titled] = [await compare(typed, newer), await compare(typed, { ...typed, title: "a" })];

    expect(changed.verdict).toBe("unproven");
    expect(changed.tried?.[0]).toContain("depends on where a validator departs from it");
    expect(changed.tried?.[1]).toMatch(/^ajv /);
    expect(titled.verdict).toBe("safe");
  });

  it.each([
    [
      "properties that come before a dependent schema",
      { properties: { a: true }, dependentSchemas: { b: { properties: { b: true } } } },
    ],
    [
      "what a reference evaluates before an alternative",
      { $defs: { x: { properties: { a: true } } }, $ref: "#/$defs/x", anyOf: [{ properties: { b: true } }] },
    ],
    [
      "what an allOf evaluates before an else",
      { allOf: [{ properties: { a: true } }], if: { maxProperties: 9 }, else: { properties: { b: true } } },
    ],
  ])("calls no reader safe that ajv lets forget what was evaluated: %s", async (_, counting) => {
    const older = { type: "object", properties: { a: true }, additionalProperties: false };
    const newer = { $schema: newest, ...counting, unevaluatedProperties: false };

    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.[1]).toContain("ajv forgets what was evaluated");
  });

  it("proves unevaluated members where ajv counts as the specification does", async () => {
    const kinds = {
      if: { properties: { kind: one } },
      else: { properties: { b: texts } },
    };
    const older = { $schema: newest, properties: { kind: true }, ...kinds, unevaluatedProperties: false };
    const newer = { properties: { kind: true, a: texts, b: texts }, additionalProperties: false };

    const { verdict } = await compare({ type: "object", ...older }, newer, { contentModel: "as-written" });

    expect(verdict).toBe("safe");
  });

  it("gives every change a finding of its own, whose witness is refused for that alone", async () => {
    const older = { type: "object", properties: { id: { type: "string" }, total: { type: "number" } } };
    const newer = {
      type: "object",
      properties: { id: { type: "string", minLength: 3 }, total: { type: "integer" } },
      required: ["id"],
    };

    const { findings } = await compare(older, newer);

    expect(findings.map(({ code, witness }) => [code, witness?.value])).toEqual([
      ["member-required", {}],
      ["range-narrowed", { id: "" }],
      ["type-narrowed", { id: "aaa", total: 0.5 }],
    ]);
  });

  it("says which version sends each witness", async () => {
    const { findings } = await compare({ type: "integer" }, { type: "string" }, { direction: "full" });

    expect(findings.map(({ writer, witness }) => [writer, witness?.value])).toEqual([
      ["older", 0],
      ["newer", ""],
    ]);
  });

  it("shows a witness that validators refuse whether they apply keywords next to a reference or ignore them", async () => {
    const older = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { a: { type: "object" } },
      $ref: "#/definitions/a",
      required: ["a"],
    };
    const newer = { ...older, definitions: { a: { type: "object", required: ["b"] } } };

    const { verdict, findings } = await compare(older, newer, { contentModel: "as-written" });

    expect(verdict).toBe("breaking");
    expect(findings.map(({ witness }) => Object.keys(Object(witness?.value)))).toEqual([["a"]]);
  });

  it.each(["http://json-schema.org/draft-07/schema#", newest])("points through references, in %s", async ($schema) => {
    const line = { type: "object", properties: { sku: { type: "string" } } };
    const order = { properties: { lines: { type: "array", items: { $ref: "#/definitions/line" } } } };
    const document = (to: object): object => ({
      $schema,
      $ref: "#/definitions/order",
      definitions: { order, line: to },
    });

    const { findings } = await compare(document(line), document({ ...line, required: ["sku"] }));

    expect(findings.map(({ newerPointer }) => newerPointer)).toEqual(["#/definitions/line/required"]);
  });

  it.each(['{"maximum":1e400}', '{"enum":[[1e400]]}', '{"const":{"a":-1e400}}'])(
    "refuses a number that no double can hold: %s",
    async (text) => {
      const comparison = compare({}, JSON.parse(text));

      await expect(comparison).rejects.toMatchObject({
        code: "InvalidArgument",
        message: expect.stringContaining("double"),
      });
    },
  );

  it("proves contains where ajv keeps to the specification", async () => {
    const older = { type: "object", properties: { a: { type: "array", contains: one } } };
    const newer = { type: "object", properties: { a: { type: "array", minItems: 1 } } };

    const { verdict } = await compare(older, newer);

    expect(verdict).toBe("safe");
  });
});
