import { expect, it } from "vitest";
import { isDouble, shortestSingle } from "../../../src/core/values/single.ts";

it.each([
  [2.5999999046325684, 2.6],
  [3.3999999521443642e38, 3.4e38],
  [3.4028234663852886e38, 3.4028235e38],
  [16_777_216, 16_777_216],
  [1e10, 1e10],
  [Number.NaN, Number.NaN],
])("writes the float %d in the fewest digits: %d", (value, shortest) => {
  expect(shortestSingle(value)).toBe(shortest);
});

it.each([
  ["0.1", true],
  ["0.30000000000000004", true],
  // The 17 digits of .NET Framework, one of which is not needed.
  ["0.79999999999999993", true],
  ["4.94065645841247E-324", true],
  ["12345678901234.567", false],
  ["-0.12345678901234567890", false],
])("tells whether %s is how a double is written: %s", (text, expected) => {
  expect(isDouble(text)).toBe(expected);
});
