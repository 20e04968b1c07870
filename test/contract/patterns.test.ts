import { describe, expect, it } from "vitest";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";
import { matcherOf } from "../../src/contract/json-schema/pattern-matcher.ts";
import { jsonSchema } from "../../src/core/json-schema/index.ts";
import { refusal } from "../refusal.support.ts";

const compare = (older: unknown, newer: unknown, more: Partial<CompatibilityOptions> = {}) =>
  checkCompatibility({ format: "json-schema", older, newer, ...more });
const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});
const text = (pattern: string) => ({ type: "string", pattern });

/** The words of `jsonSchema()` about a pattern. */
const refusalOf = (pattern: string): string =>
  refusal(() => jsonSchema({ pattern })).message.replace("The JSON Schema cannot be used at #/pattern: ", "");

describe("the gate and the service", () => {
  it.each(["^\\s$", "^[\\s]$", "^\\S$", "^.$", "^\\w$", "^\\d$", "^[\\w-.]$", "\\ba\\b", "^\\p{L}$"])(
    "read %s alike",
    (pattern) => {
      const matcher = matcherOf(pattern);
      const validate = jsonSchema({ pattern })["~standard"].validate;

      for (const one of ["\u00a0", "\u000b", "\ufeff", "\u2028", "\r", "\n", "a", "é", "-", "🚀", "٣", ""])
        expect([one, matcher.test(one)]).toEqual([one, "value" in Object(validate(one))]);
    },
  );
});

describe("a pattern that a service cannot run", () => {
  it.each(["^(?=a)[ab]+$", "^(?!a)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "(?i:a)", "^(?:a{500}){500}$"])(
    "leaves a pair unproven at its path, in the words of the service: %s",
    async (pattern) => {
      const { verdict, tried = [] } = await compare(object({ a: { const: "b" } }), object({ a: text(pattern) }));

      expect(verdict).toBe("unproven");
      expect(tried[0]).toBe(`#/properties/a/pattern of the reader's schema: ${refusalOf(pattern)}`);
    },
  );

  const ahead = object({ a: text("^(?=a)[ab]+$") });

  it.each([
    ["the same schema", ahead, ahead],
    ["another title", ahead, { ...ahead, title: "other" }],
    ["a reader without the pattern", ahead, object({ a: { type: "string" } })],
    ["a reader that takes everything", ahead, {}],
    ["an alternative that is not needed", object({ b: true }), { anyOf: [object({ b: true }), ahead] }],
  ])("is never safe: %s", async (_, older, newer) => {
    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.join()).toContain(refusalOf("^(?=a)[ab]+$"));
  });

  it("is reported with its pointer for each side, in definitions, unions and names of members", async () => {
    const [word, name] = ["^(?=a)b", "^(?!x-)"];
    const older = { $ref: "#/$defs/a", $defs: { a: object({ a: text(word) }), unused: text("(?=never)") } };
    const newer = { oneOf: [{ patternProperties: { [name]: true } }, { type: "null" }] };
    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.slice(0, 2)).toEqual([
      `#/$defs/a/properties/a/pattern of the writer's schema: ${refusalOf(word)}`,
      `#/oneOf/0/patternProperties/^(?!x-) of the reader's schema: ${refusalOf(name)}`,
    ]);
    expect(tried?.join()).not.toContain("never");
  });

  it("leaves the rest of the schema to be judged: breaks elsewhere are found, with a valid witness", async () => {
    const secret = text("^(?=.*[0-9])[a-z0-9]+$");
    const { verdict, rest, findings } = await compare(
      object({ secret, n: { type: "integer" } }),
      object({ secret, n: { type: "string" } }),
    );

    expect({ verdict, rest }).toEqual({ verdict: "breaking", rest: "unproven" });
    expect(findings.map(({ newerPointer }) => newerPointer)).toEqual(["#/properties/n/type"]);
    expect(findings[0]?.witness?.value).toMatchObject({ secret: expect.stringMatching(/^(?=.*[0-9])[a-z0-9]+$/) });
  });

  it.each([
    "^(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w]).{8,20}$",
    "^(?!.*--)(?!x)[a-z-]{3,}$",
    "^(?![ab])[a-c]",
    "(?<!a)b$",
    "^(?:(?=a)a|b)c$",
  ])("is met by the witnesses of breaks elsewhere, also of those inside and above: %s", async (pattern) => {
    const inside = (type: string): object => ({
      type: "array",
      minItems: 1,
      items: object({ a: text(pattern), b: { type } }),
    });
    const { verdict, rest, findings } = await compare(
      object({ list: inside("integer") }),
      object({ list: inside("string") }),
    );
    const [{ witness } = {}] = findings;

    expect({ verdict, rest, count: findings.length }).toEqual({ verdict: "breaking", rest: "unproven", count: 1 });
    expect(JSON.stringify(witness?.value)).toContain('"a":');
    expect(findings[0]?.newerPointer).toBe("#/properties/list/items/properties/b/type");
    for (const { a } of Object(witness?.value).list) expect(a).toMatch(new RegExp(pattern, "u"));
  });

  it("decides nothing where it says which members others are", async () => {
    const reader = { patternProperties: { "^(?!x-)": true }, additionalProperties: false };
    const { verdict } = await compare(object({ "x-a": true }), reader);

    expect(verdict).toBe("unproven");
  });

  it("is not proven by what an upcaster makes of samples either", async () => {
    const schema = object({ a: { enum: ["b"] }, c: text("^(?!a)") });
    const { verdict, tried } = await compare(schema, schema, { contentModel: "upcast", upcast: (value) => value });

    expect(verdict).toBe("unproven");
    expect(tried).toContain(`#/properties/c/pattern of the writer's schema: ${refusalOf("^(?!a)")}`);
  });
});

describe("a broken pattern", () => {
  it("is refused at its path, in the words of the service", async () => {
    const error = await compare(object({ a: text("a\\Z") }), {}).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "InvalidArgument", path: "#/properties/a/pattern" });
    expect(String(error)).toContain(refusalOf("a\\Z"));
  });
});

describe("patterns of older schemas", () => {
  it.each([
    ["^[\\w-.]+$", "^[\\w.-]+$"],
    ["^\\d\\-\\d$", "^\\d-\\d$"],
    ["^{\\_}$", "^\\{_\\}$"],
  ])("are proven: %s is %s", async (loose, strict) => {
    expect((await compare(text(loose), text(strict))).verdict).toBe("safe");
    expect((await compare(text(strict), text(loose))).verdict).toBe("safe");
  });
});
