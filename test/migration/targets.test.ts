import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noteValue } from "../../src/migration/infer/note-value.ts";
import { settleShape } from "../../src/migration/infer/settled-shape.ts";
import { PathShape } from "../../src/migration/infer/shape.ts";
import { createTarget, type TargetFormat, targetFormats, type TypeTarget } from "../../src/migration/target/target.ts";
import { DateTime, DateTimeOffset, Decimal, Duration, EnumValue } from "../../src/core/values/index.ts";
import { anyText } from "../unicode.support.ts";

/** The target of a type of which these bodies are all messages. */
function targetOf(format: TargetFormat, bodies: readonly unknown[]): TypeTarget {
  const shape = new PathShape();
  for (const body of bodies) noteValue(body, shape, { guessing: "nothing", literal: false, budget: { left: 10_000 } });
  return createTarget({ format }).forType("Order", settleShape(PathShape.from(JSON.parse(JSON.stringify(shape)))));
}

const scalar = fc.oneof(
  anyText(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.uint8Array({ maxLength: 12 }),
  fc.date({ noInvalidDate: true, min: new Date("0001-01-01"), max: new Date("9999-12-31") }),
  fc
    .tuple(
      fc.bigInt({ min: 0n, max: 3_155_378_975_999_999_999n }),
      fc.constantFrom("utc" as const, "unspecified" as const),
    )
    .map(([ticks, kind]) => new DateTime(ticks, kind)),
  fc.integer({ min: -800, max: 800 }).map((minutes) => new DateTimeOffset(638_396_640_000_000_001n, minutes)),
  fc.tuple(fc.integer(), fc.nat()).map(([whole, fraction]) => new Decimal(`${whole}.${fraction}0`)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((ticks) => Duration.fromTicks(ticks)),
  fc.constantFrom("One", "Two").map((name) => new EnumValue(name, name === "One" ? 1 : 2)),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("body"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "Größe", "1st", "x y"), tie("body"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(fc.integer(), tie("body")), { maxLength: 3 }).map((entries) => new Map(entries)),
  ),
}));

describe.each<TargetFormat>(["json", "msgpack", "tagged-json"])("the target %s", (format) => {
  it("gives every value back, and loses nothing that it does not name", () => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 4 }), (bodies) => {
        const target = targetOf(format, bodies);
        for (const one of bodies) expect(target.compare(one, target.decode(target.encode(one)))).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });
});

describe("the target protobuf", () => {
  it("loses nothing but the difference of null and absent", () => {
    const members = fc.dictionary(fc.constantFrom("a", "b", "Größe", "1st"), body, {
      maxKeys: 4,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.array(members, { minLength: 1, maxLength: 4 }), (bodies) => {
        // A -0 next to text becomes JSON text, which has no such number.
        fc.pre(
          !JSON.stringify(bodies, (_, value: unknown) =>
            Object.is(value, -0) ? "minus zero" : typeof value === "bigint" ? "" : value,
          ).includes("minus zero"),
        );
        const target = targetOf("protobuf", bodies);
        for (const one of bodies) {
          const losses = target.compare(one, target.decode(target.encode(one)));
          expect(losses.filter(({ kind }) => kind !== "null-or-absent")).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it("keeps the sign of zero where integers are text", () => {
  const bodies = [[-0, 9_007_199_254_740_993n]];
  const target = targetOf("json", bodies);

  expect(target.compare(bodies[0], target.decode(target.encode(bodies[0])))).toEqual([]);
});

describe("the comparison", () => {
  const changes: readonly (readonly [was: unknown, is: unknown])[] = [
    ["a", "b"],
    ["1", 1],
    [1, 2],
    [0, -0],
    [1.5, "1.50"],
    [9_007_199_254_740_993n, 9_007_199_254_740_992n],
    [true, "true"],
    [null, ""],
    [[1, 2], [1]],
    [{ a: 1 }, {}],
    [{ a: 1 }, { a: 1, b: 2 }],
    [new Uint8Array([1]), new Uint8Array([2])],
    [new Decimal("1.10"), "1.1"],
    [new DateTime(0n, "utc"), "0001-01-01T00:00:00"],
    [new EnumValue("One", 1), "Two"],
    [new Map([[1, 2]]), [[1, 3]]],
  ];

  it.each(targetFormats.filter((format) => format !== "tagged-json"))("sees every other value, as %s", (format) => {
    for (const [was, is] of changes) {
      const target = targetOf(format, [was]);
      expect(() => target.compare({ member: was }, { member: is })).toThrow(
        expect.objectContaining({ code: "UnsupportedValue" }),
      );
    }
  });

  it("names what is lost with an object in two places, and with several types in one", () => {
    const shared = { a: 1 };
    const twice = [shared, shared];
    const target = targetOf("json", [twice]);

    expect(target.compare(twice, target.decode(target.encode(twice)))).toEqual([
      { kind: "shared-reference", path: "$[]" },
    ]);
  });
});
