import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { isLike, readPattern } from "../../../src/broker/policy/sql/like.ts";

const like = (text: string, pattern: string, escape?: string): boolean => {
  const pieces = readPattern(pattern, escape);
  if (pieces === undefined) throw new Error("The pattern is malformed.");
  return isLike(text, pieces);
};

describe("LIKE", () => {
  it("agrees with a regular expression of the same meaning", () => {
    const text = array(constantFrom("a", "b"), { maxLength: 8 }).map((parts) => parts.join(""));
    const pattern = array(constantFrom("a", "b", "%", "_"), { maxLength: 8 }).map((parts) => parts.join(""));
    assert(
      property(text, pattern, (candidate, form) => {
        const expression = new RegExp(`^${form.replaceAll("%", "[ab]*").replaceAll("_", "[ab]")}$`);

        expect(like(candidate, form)).toBe(expression.test(candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it("finds pieces of any length, at any place", () => {
    const piece = array(constantFrom("a", "b", "_"), { minLength: 20, maxLength: 80 }).map((parts) => parts.join(""));
    const around = array(constantFrom("a", "b"), { maxLength: 40 }).map((parts) => parts.join(""));
    assert(
      property(piece, around, around, (form, before, after) => {
        const text = `${before}${form.replaceAll("_", "b")}${after}`;

        expect(like(text, `%${form}%`)).toBe(true);
        expect(like(text, `%${form}c%`)).toBe(false);
        expect(like(text.slice(0, form.length - 1), `%${form}%`)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it("takes no longer for patterns that make others try everything", () => {
    const text = "a".repeat(60_000);
    const pattern = `${"a%".repeat(500)}b`;

    expect(like(text, pattern)).toBe(false);
  });

  it("takes one character for _, even one outside the basic plane", () => {
    expect(like("\u{1F4E9}", "_")).toBe(true);
  });

  it.each([
    ["100%", "100!%", "!", true],
    ["100x", "100!%", "!", false],
    ["a_b", "a__b", "_", true],
  ])("reads %s like %s with the escape %s", (text, pattern, escape, expected) => {
    expect(like(text, pattern, escape)).toBe(expected);
  });

  it.each([
    ["a", "ab"],
    ["a!", "!"],
  ])("refuses the pattern %s with the escape %s", (pattern, escape) => {
    expect(readPattern(pattern, escape)).toBeUndefined();
  });
});
