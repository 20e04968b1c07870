import { assert, bigInt, boolean, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { type DecimalType, fromDecimalString, toDecimalString } from "../../../src/core/amqp-values/decimal.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { hex } from "./vectors.support.ts";

describe("decimals", () => {
  it.each([
    ["decimal32", "3092d687", "123.4567"],
    ["decimal64", "b10462d53d216ef4", "-1234567899.999988"],
    ["decimal128", "30400000ffffffffffffffffffffffff", "79228162514264337593543950335"],
    ["decimal32", "78000000", "Infinity"],
    ["decimal64", "f800000000000000", "-Infinity"],
    ["decimal32", "7c000000", "NaN"],
    ["decimal32", "77f8967f", "9.999999E+96"],
  ] as const)("show %s %s as %s", (type, bits, expected) => {
    const text = toDecimalString(typed[type](hex(bits)));

    expect(text).toBe(expected);
  });

  it.each(["decimal32", "decimal64", "decimal128"] satisfies DecimalType[])(
    "come back from text as %s with their scale",
    (type) => {
      const precision = { decimal32: 7, decimal64: 16, decimal128: 34 }[type];
      assert(
        property(
          bigInt(0n, 10n ** BigInt(precision) - 1n),
          integer({ min: -90, max: 90 }),
          boolean(),
          (digits, exponent, negative) => {
            const text = `${negative ? "-" : ""}${digits}E${exponent}`;

            const shown = toDecimalString(fromDecimalString(text, type));

            expect(toDecimalString(fromDecimalString(shown, type))).toBe(shown);
            expect(exactly(shown)).toEqual(exactly(text));
          },
        ),
      );
    },
  );

  it.each(["", "1,5", "12345678", "1E+300", "1E-300", "NaN"])(
    "refuse %j as decimal32 instead of rounding it",
    (text) => {
      const read = (): unknown => fromDecimalString(text, "decimal32");

      expect(read).toThrow(SobreError);
    },
  );
});

/** Sign, coefficient and exponent of a decimal text. */
function exactly(text: string): readonly [boolean, bigint, number] {
  const [, sign, whole = "", fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(text) ?? [];
  return [sign === "-", BigInt(whole + fraction), Number(power) - fraction.length];
}
