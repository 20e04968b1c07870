import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { refusal } from "../../refusal.support.ts";

describe("a schema", () => {
  it.each(["^(a+)+$", "^(a|a)*$", "^([a-z0-9]+[-_]?)*$", "(x+x+)+y"])(
    "with the catastrophic pattern %s is checked",
    (pattern) => {
      const problemsOf = compileJsonSchema({ type: "string", pattern });

      // A backtracking engine would need 2^5,000 steps, and the test would never end.
      expect(problemsOf(`${"a".repeat(5_000)}!`)).toHaveLength(1);
      expect(problemsOf(pattern.endsWith("y") ? "xxy" : "aaa")).toEqual([]);
    },
  );

  it.each(["^\\p{L}+$", "^\\d{4}-[01]\\d$", "[^\\u0000]", "^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$", "^/a/b$"])(
    "reads the ordinary pattern %s",
    (pattern) => {
      const problemsOf = compileJsonSchema({ pattern });

      for (const text of ["é", "2026-11", "a@b.example", "/a/b", "", "x y"]) {
        expect(problemsOf(text).length === 0).toBe(new RegExp(pattern, "u").test(text));
      }
    },
  );

  it.each(["(?=a)b", "(a)\\1", "("])(
    "with the pattern %s, which needs backtracking or is broken, is refused by name",
    (pattern) => {
      const error = refusal(() => compileJsonSchema({ pattern }));

      expect(error.code).toBe("InvalidArgument");
      expect(error.message).toContain(JSON.stringify(pattern));
    },
  );

  it("with patterns for names is checked in linear time too", () => {
    const problemsOf = compileJsonSchema({ patternProperties: { "^(a+)+$": { type: "number" } } });

    expect(problemsOf({ [`${"a".repeat(5_000)}!`]: "x", aaa: "x" })).toMatchObject([{ path: "$.aaa" }]);
  });
});

describe("uniqueItems", () => {
  const problemsOf = compileJsonSchema({ type: "array", uniqueItems: true });

  it("checks twenty thousand objects one by one, not each with each", () => {
    const items = Array.from({ length: 20_000 }, (_, id) => ({ id, tags: ["a", id] }));

    expect(problemsOf(items)).toEqual([]);
    expect(problemsOf([...items, { tags: ["a", 7], id: 7 }])).toMatchObject([
      { path: "$", message: "must NOT have duplicate items (items ## 7 and 20000 are identical)" },
    ]);
  });

  it.each<readonly [unknown[], boolean]>([
    [[1, "1", true, null, [1], ["1"], { a: 1 }, { a: "1" }, {}, []], true],
    [[1, 1.0], false],
    [[1n, 1], false],
    [[0, -0], false],
    [
      [
        { a: 1, b: [{ c: 2, d: 3 }] },
        { b: [{ d: 3, c: 2 }], a: 1 },
      ],
      false,
    ],
    [[null, null], false],
    [["#1", 1, '"', ""], true],
    [[{ object: [] }, {}], true],
    [[["a,b"], ["a", "b"]], true],
    [[[null], [undefined]], false],
  ])("finds equal items: case %#", (items, unique) => {
    expect(problemsOf(items).length === 0).toBe(unique);
  });
});
