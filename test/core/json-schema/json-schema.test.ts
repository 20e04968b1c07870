import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { refusal } from "../../refusal.support.ts";

describe("compileJsonSchema", () => {
  const problemsOf = compileJsonSchema({
    type: "object",
    properties: {
      id: { type: "string", maxLength: 5 },
      state: { enum: ["open", "closed"] },
      version: { const: 2 },
      lines: { type: "array", items: { $ref: "#/$defs/line" } },
      "a/b~c": { type: "number" },
    },
    required: ["id"],
    additionalProperties: false,
    $defs: {
      line: { type: "object", properties: { price: { type: "number", minimum: 0 } }, unevaluatedProperties: false },
    },
  });

  it("lists nothing for a value that matches", () => {
    expect(problemsOf({ id: "1", state: "open", version: 2, lines: [{ price: 1 }] })).toEqual([]);
  });

  it.each([
    [{ id: 5 }, "$.id", "must be string"],
    [{}, "$", "must have required property 'id'"],
    [{ id: "1", state: "lost" }, "$.state", 'must be one of ["open","closed"]'],
    [{ id: "1", version: 3 }, "$.version", "must be 2"],
    [{ id: "1", lines: [{}, { price: -1 }] }, "$.lines[1].price", "must be >= 0"],
    [{ id: "1", lines: [{ cost: 1 }] }, "$.lines[0].cost", "is not an allowed member"],
    [{ id: "1", more: 1 }, "$.more", "is not an allowed member"],
    [{ id: "1", "a/b~c": "x" }, "$.a/b~c", "must be number"],
    [null, "$", "must be object"],
  ])("reports for %j the path %s and that it %s", (value, path, message) => {
    expect(problemsOf(value)).toMatchObject([{ path, message }]);
  });

  it("lists every problem, not only the first", () => {
    const paths = problemsOf({ id: "too long", state: 1, lines: [{ price: "x" }, 5] }).map(({ path }) => path);

    expect(paths).toEqual(["$.id", "$.state", "$.lines[0].price", "$.lines[1]"]);
  });

  it("never quotes the value", () => {
    const secret = "4929-1234";
    const everything = compileJsonSchema({
      properties: {
        a: { pattern: "^x" },
        b: { maxLength: 1 },
        c: { const: 1 },
        d: { enum: [1] },
        e: { type: "number" },
        f: { uniqueItems: true },
        g: { contains: { type: "number" } },
        h: { not: {} },
        i: { oneOf: [{ type: "string" }, { minLength: 1 }] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        j: { if: { type: "string" }, then: { maxLength: 1 } },
        k: false,
      },
    });
    const names = ["a", "b", "c", "d", "e", "h", "i", "j", "k"];
    const value = Object.fromEntries([
      ...names.map((name) => [name, secret]),
      ["f", [secret, secret]],
      ["g", [secret]],
    ]);

    const problems = everything(value);

    expect(new Set(problems.map(({ path }) => path.slice(0, 3)))).toEqual(
      new Set([...names, "f", "g"].map((name) => `$.${name}`)),
    );
    expect(JSON.stringify(problems)).not.toContain(secret);
  });

  it("names the member whose name is wrong", () => {
    const problems = compileJsonSchema({ propertyNames: { pattern: "^[a-z]+$" } })({ fine: 1, Wrong: 2 });

    expect(problems.map(({ path }) => path)).toContain("$.Wrong");
  });

  it("compiles one schema as often as one likes", () => {
    const schema = { $id: "urn:test:twice", type: "string" };

    expect(compileJsonSchema(schema)("x")).toEqual([]);
    expect(compileJsonSchema(schema)(5)).toHaveLength(1);
  });

  it.each([
    [[new Date(1), new Date(2)], true],
    [[new Date(1), new Date(1)], false],
    [[new Map([[1, { a: 1 }]]), new Map([[1, { a: 2 }]])], true],
    [[new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])], false],
    [[new Uint8Array([1]), new Uint8Array([2])], true],
    [[new Uint8Array([1]), new Uint8Array([1])], false],
    [[[new Date(1)], [new Date(2)], {}], true],
  ])("distinguishes values that codecs return and JSON lacks: %o are unique: %s", (items, expected) => {
    expect(compileJsonSchema({ type: "array", uniqueItems: true })(items).length === 0).toBe(expected);
  });

  it.each(["date-time", "email", "uuid", "uri", "ipv6", "regex"])("takes the format %s as an annotation", (format) => {
    expect(compileJsonSchema({ type: "string", format })("what it says is not looked at")).toEqual([]);
  });

  it.each([
    ["http://json-schema.org/draft-07/schema#", { items: [{ type: "string" }], additionalItems: false }],
    ["https://json-schema.org/draft/2019-09/schema", { items: [{ type: "string" }], additionalItems: false }],
    ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "string" }], items: false }],
  ])("reads a schema of the dialect %s", ($schema, keywords) => {
    const problemsIn = compileJsonSchema({ $schema, type: "array", minItems: 1, maxItems: 9, ...keywords });

    expect(problemsIn(["a"])).toEqual([]);
    expect(problemsIn(["a", "b"])).toHaveLength(1);
  });

  it("leaves keywords with x- to their owners", () => {
    expect(compileJsonSchema({ "x-owner": "billing", properties: { a: { "x-pii": true } } })({ a: 1 })).toEqual([]);
  });

  it.each([
    [null],
    ["string"],
    [[]],
    [{ type: "strin" }],
    [{ typo: 1 }],
    [{ $ref: "#/$defs/missing" }],
    [{ pattern: "(" }],
    [{ format: "no-such-format" }],
    [{ $schema: "http://json-schema.org/draft-07/schema#", unevaluatedProperties: false }],
    [{ $async: true, type: "string" }],
  ])("refuses the broken schema %j", (schema) => {
    expect(refusal(() => compileJsonSchema(schema)).code).toBe("InvalidArgument");
  });
});
