import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { refusesNothingValid, texts } from "./unevaluated.support.ts";

describe("unevaluatedProperties", () => {
  it("counts a property next to a dependent schema that does not apply", () => {
    const check = compileJsonSchema({
      ...texts("a", "b"),
      dependentSchemas: { b: texts("c") },
      unevaluatedProperties: false,
    });

    expect(check({ a: "x" })).toEqual([]);
    expect(check({ b: "x", c: "y" })).toEqual([]);
    expect(check({ a: "x", c: "y" })).toHaveLength(1);
  });

  it.each(["anyOf", "oneOf"])("counts a property by its pattern when no branch of %s evaluates any", (union) => {
    const branches = [{ required: ["a"], ...texts("a") }, { required: ["b"] }];
    const check = compileJsonSchema({
      [union]: branches,
      patternProperties: { "^x-": true },
      unevaluatedProperties: false,
    });

    expect(check({ b: 1, "x-1": 1 })).toMatchObject([{ path: "$.b" }]);
    expect(check({ a: "x", "x-1": 1 })).toEqual([]);
  });

  it.each(["anyOf", "oneOf"])("counts a property by its pattern when a branch of %s evaluates all", (union) => {
    const branches = [{ required: ["a"], additionalProperties: true }, { required: ["b"] }];
    const check = compileJsonSchema({
      [union]: branches,
      patternProperties: { "^x-": true },
      unevaluatedProperties: false,
    });

    expect(check({ a: 1, "x-1": 1, other: 1 })).toEqual([]);
    expect(check({ b: 1, "x-1": 1 })).toMatchObject([{ path: "$.b" }]);
  });

  it("refuses nothing that the specification accepts, however properties and conditions are combined", () => {
    refusesNothingValid({ numRuns: 30, seed: 1 });
  });
});
