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
      const schema = object({ a: text(pattern) });
      const pairs = [
        [schema, schema],
        [schema, object({ a: text(pattern) }, { title: "same" })],
        [schema, object({ a: { type: "string" } })],
        [schema, {}],
        [object({ b: true }), { anyOf: [object({ b: true }), schema] }],
      ] as const;
      for (const [older, newer] of pairs) {
        const { verdict, tried = [] } = await compare(older, newer);

        expect(verdict).toBe("unproven");
        expect(tried.join("\n")).toContain("/a/pattern of the ");
        expect(tried.join("\n")).toContain(refusalOf(pattern));
      }
    },
  );

  it("is told of with its pointer for each side, in definitions, unions and names of members", async () => {
    const [ahead, name] = ["^(?=a)b", "^(?!x-)"];
    const older = { $ref: "#/$defs/a", $defs: { a: object({ a: text(ahead) }), unused: text("(?=never)") } };
    const newer = { oneOf: [{ patternProperties: { [name]: true } }, { type: "null" }] };
    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.slice(0, 2)).toEqual([
      `#/$defs/a/properties/a/pattern of the writer's schema: ${refusalOf(ahead)}`,
      `#/oneOf/0/patternProperties/^(?!x-) of the reader's schema: ${refusalOf(name)}`,
    ]);
    expect(tried?.join()).not.toContain("never");
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
