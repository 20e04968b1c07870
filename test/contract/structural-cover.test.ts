import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const reference = { $ref: "#/$defs/node" };

/** An alternative of a tree, with members of its own. */
const alternative = (at: number, more: object = {}, required: readonly string[] = []) => ({
  type: "object",
  properties: { [`v${at}`]: text, [`one${at}`]: reference, [`all${at}`]: { type: "array", items: reference }, ...more },
  required,
});

/** A tree of eight alternatives, of which the second one has more members. */
const tree = (keyword: string, how: string, more: object = {}, count = 8) => ({
  ...reference,
  $defs: {
    node: {
      [keyword]: Array.from({ length: count }, (_, at) => {
        const own = at === 1 ? more : {};
        if (how === "open") return alternative(at, own);
        if (how === "required") return alternative(at, own, [`v${at}`]);
        return alternative(at, { kind: { const: `k${at}` }, ...own }, ["kind"]);
      }),
    },
  },
});

/** A tenth of the default. */
const compare = (older: unknown, newer: unknown) =>
  checkCompatibility({ format: "json-schema", older, newer, budget: 1_000_000 });

describe("a recursive union", () => {
  const ways = ["anyOf", "oneOf"].flatMap((keyword) =>
    ["open", "required", "told apart"].map((how) => [keyword, how] as const),
  );

  it.each(ways)("of %s whose alternatives are %s is safe with a definition that nothing uses", async (keyword, how) => {
    const schema = tree(keyword, how);

    const result = await compare(schema, { ...schema, $defs: { ...schema.$defs, unused: text } });

    expect(result.verdict).toBe("safe");
    expect(result.trace?.join()).toContain("pairs of schemas");
  });

  it.each(ways)("of %s whose alternatives are %s is safe with an optional member", async (keyword, how) => {
    expect((await compare(tree(keyword, how), tree(keyword, how, { extra: integer }))).verdict).toBe("safe");
  });

  it.each(["anyOf", "oneOf"])("of %s is safe with another alternative that is told apart", async (keyword) => {
    expect((await compare(tree(keyword, "told apart"), tree(keyword, "told apart", {}, 9))).verdict).toBe("safe");
  });

  it.each(["anyOf", "oneOf"])(
    "of %s that is narrowed has its finding at the alternative, and a safe rest",
    async (keyword) => {
      const narrowed = tree(keyword, "told apart", { v1: { type: "string", maxLength: 5 } });
      const { verdict, rest, findings } = await compare(tree(keyword, "told apart"), narrowed);

      expect({ verdict, rest, at: findings.map(({ newerPointer }) => newerPointer) }).toEqual({
        verdict: "breaking",
        rest: "safe",
        at: [`#/$defs/node/${keyword}/1/properties/v1/maxLength`],
      });
    },
  );
});

describe("a comparison part by part", () => {
  it.each<readonly [string, object, object]>([
    [
      "a member that two alternatives describe",
      { anyOf: [{ properties: { a: text } }, {}] },
      { anyOf: [{ properties: { a: text } }, { properties: { a: integer } }] },
    ],
    [
      "a member of a closed reader",
      { properties: { a: text, b: text } },
      { properties: { a: text }, additionalProperties: false },
    ],
    [
      "a member that others describe",
      { allOf: [{ properties: { a: text } }, { properties: { b: text } }] },
      { allOf: [{ properties: { a: text, b: integer } }, { properties: { b: text } }] },
    ],
    [
      "a looser condition",
      { if: { required: ["a"] }, properties: { a: text, b: text } },
      { if: { required: ["b"] }, ...then({ maxProperties: 1 }), properties: { a: text, b: text } },
    ],
    [
      "another exclusion",
      { not: { required: ["a", "b"] }, properties: { a: text, b: text } },
      { not: { required: ["a"] }, properties: { a: text, b: text } },
    ],
    [
      "alternatives that both hold",
      {
        oneOf: [
          { properties: { a: text }, required: ["a"] },
          { properties: { b: text }, required: ["b"] },
        ],
      },
      {
        oneOf: [
          { properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
      },
    ],
    [
      "a pattern for names",
      { patternProperties: { "^x": text } },
      { patternProperties: { "^x": text, "^xy": integer } },
    ],
    ["other items", { prefixItems: [text], items: text }, { prefixItems: [text, integer], items: text }],
    ["a writer that closes a prefix less", { items: {} }, { items: text }],
  ])("calls nothing safe that breaks: %s", async (_, older, newer) => {
    expect((await compare(older, newer)).verdict).toBe("breaking");
  });
});

function then(schema: object): object {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { then: schema };
}
