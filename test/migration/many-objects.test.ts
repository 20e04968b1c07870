import { expect, it } from "vitest";
import { lowerValue } from "../../src/migration/target/lower-value.ts";
import { jsonRules } from "../../src/migration/target/target-rules.ts";
import { refusal } from "../refusal.support.ts";

/** A list in which everything is shared, so that it stands for 2^levels lists. */
function bomb(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

it("writes any number of objects that are not shared, and 100,000 more that are", () => {
  const many = Array.from({ length: 150_000 }, (_, index) => ({ index }));
  const rules = jsonRules("text", "as-written");

  // As text, since a matcher takes seconds for so many.
  expect(JSON.stringify(lowerValue(many, undefined, rules)) === JSON.stringify(many)).toBe(true);
  expect(lowerValue({ many, bomb: bomb(10) }, undefined, rules)).toBeTypeOf("object");
  expect(refusal(() => lowerValue(bomb(40), undefined, rules)).code).toBe("LimitExceeded");
});
