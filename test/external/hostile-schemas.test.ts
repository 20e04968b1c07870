import { describe, expect, it } from "vitest";
import { chooseSamplesWithin } from "../../src/contract/json-schema/bounded-comparison.ts";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown, options: Partial<CompatibilityOptions> = {}) =>
  checkCompatibility({
    format: "json-schema",
    older,
    newer,
    contentModel: "as-written",
    budget: 3_000_000,
    ...options,
  });

/** References each of which leads to two others on the same value, down to a type. */
function bomb(levels: number): object {
  const defs = Array.from({ length: levels }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, at === levels - 1 ? { type: "string" } : { allOf: [next, next] }];
  });
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries(defs) };
}

/** A schema of a megabyte. */
function great(type: string): object {
  const names = Array.from({ length: 9000 }, (_, at) => `member_${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type, description: "-".repeat(70) }]));
  return { type: "object", properties, required: names };
}

function deep(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
}

const list = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

describe("hostile schemas", () => {
  it.each([
    ["a catastrophic pattern", { pattern: "^(a+)+$" }, { pattern: "^(a|aa)+$" }, "safe"],
    ["a pattern that repeats repetitions", { pattern: "^(a{1,900}){1,900}$" }, { pattern: "^a*$" }, "unproven"],
    [
      "patterns that need backtracking",
      { type: "string", pattern: "^(?=(a+)+$)(a|b)*c" },
      { type: "string", pattern: "^(?!(a+)+$)x*y" },
      "unproven",
    ],
    [
      "many distinct items",
      { type: "array", minItems: 1e9, uniqueItems: true },
      { type: "array", maxItems: 5 },
      "unproven",
    ],
    ["a great list of distinct values", { const: list(50_000) }, { uniqueItems: true }, "unproven"],
    ["a reference to itself", { $ref: "#" }, { type: "string" }, "breaking"],
    ["references that multiply", bomb(60), { type: "integer" }, "unproven"],
    ["nesting of 300 levels", deep(300), deep(300), "safe"],
    [
      "many alternatives",
      { anyOf: list(300).map((at) => ({ required: [`a${at}`] })) },
      { oneOf: list(60).map((at) => ({ required: [`b${at}`] })) },
      "breaking",
    ],
  ] as const)(
    "end in a verdict: %s",
    async (_, older, newer, verdict) => {
      const result = await compare(older, newer);

      expect(result.verdict).toBe(verdict);
      if (verdict === "unproven") expect(result.tried).not.toEqual([]);
    },
    // Steps end a comparison; this ends a test that hangs, on a machine with much else to do.
    60_000,
  );

  it("are stopped by their steps: a schema of a megabyte", async () => {
    const result = await compare(great("string"), great("integer"), { budget: 200 });

    expect(result).toMatchObject({
      verdict: "unproven",
      tried: ["The comparison has used up its budget of 200 steps."],
    });
  });

  it("name the error from a worker as they do elsewhere", async () => {
    const broken = { pattern: "(?=a)", properties: { a: { minLength: "two" } } };

    await expect(compare(broken, {})).rejects.toMatchObject({
      code: "InvalidArgument",
      path: "#/properties/a/minLength",
    });
  });

  it("are proven in a worker too, with the steps", async () => {
    const older = { type: "string", maxLength: 4, description: "long ".repeat(20_000) };

    const result = await compare(older, { type: "string", maxLength: 5 });

    expect(result.verdict).toBe("safe");
    expect(result.trace).not.toEqual([]);
  });
});

/** Many patterns on one object, which make many automata. */
const patterned = {
  type: "object",
  patternProperties: Object.fromEntries(
    list(60).map((at) => [`^(a|b)*${at % 2 === 0 ? "a" : "b"}.{${at % 15}}$`, { minLength: at }]),
  ),
};

const same = (value: unknown): unknown => value;

describe("samples of hostile schemas", () => {
  it.each([
    ["a schema of a megabyte", great("string"), false],
    ["references that multiply", bomb(60), false],
    ["more members than can be", { type: "object", minProperties: 1e6 }, false],
    ["many patterns", patterned, true],
    ["a reference to itself", { $ref: "#" }, true],
  ])(
    "are chosen until the budget is used up: %s",
    async (_, schema, found) => {
      const comparison = {
        writer: schema,
        reader: schema,
        declared: true,
        formats: "either",
        budget: 200_000,
      } as const;

      const chosen = await chooseSamplesWithin(comparison);

      expect(chosen !== undefined).toBe(found);
    },
    // Steps end a comparison; this ends a test that hangs, on a machine with much else to do.
    60_000,
  );

  it.each([
    ["a schema of a megabyte", great("string")],
    ["references that multiply", bomb(60)],
  ])("leave what an upcaster makes unproven, and say that none was found: %s", async (_, older) => {
    const result = await compare(older, {}, { contentModel: "upcast", upcast: same, budget: 200 });

    expect(result).toMatchObject({
      verdict: "unproven",
      tried: ["no message of the writer was found within the budget"],
    });
  });
});

describe("broken schemas are refused with a clear error", () => {
  it.each([
    ["a remote reference", { $ref: "https://example.org/other.json" }, "never fetched"],
    ["a reference to nothing", { $ref: "#/$defs/none" }, "does not resolve"],
    ["a broken keyword", { minLength: "two" }, "minLength must be"],
    ["a broken pattern", { pattern: "(" }, "a group is not closed"],
    ["an unknown type", { type: "text" }, "type must be"],
    ["a list where dependents are", { dependentRequired: { a: true } }, "dependentRequired must be"],
    ["no schema at all", 7, "must be an object or a boolean"],
  ])("%s", async (_, schema, said) => {
    await expect(compare(schema, {})).rejects.toMatchObject({
      name: "SobreError",
      code: "InvalidArgument",
      message: expect.stringContaining(said),
    });
  });

  it("too much nesting", async () => {
    await expect(compare(deep(5000), {})).rejects.toMatchObject({ code: "LimitExceeded" });
  });
});
