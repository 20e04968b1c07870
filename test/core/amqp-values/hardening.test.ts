import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeValue, type ReadOptions } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { fromTypedJson, toTypedJson } from "../../../codecs/amqp/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { simple } from "../envelope/arbitraries.support.ts";
import { hex } from "./vectors.support.ts";

describe("bytes are refused with code, offset and path", () => {
  it.each([
    ["a1", "TruncatedPayload", 1, "$"],
    ["c0030154", "TruncatedPayload", 1, "$"],
    ["5402ff", "TrailingBytes", 2, "$"],
    ["c10902a1026964c003015602", "DecodeFailed", 8, "${value 0}"],
    ["c10802a10178a102c328", "DecodeFailed", 8, "${value 0}"],
    ["c00401c0020145", "DecodeFailed", 4, "$[0]"],
    ["c1020140", "DecodeFailed", 1, "$"],
    ["c10904a1016140a1016141", "DecodeFailed", 1, "$"],
    ["c10c04a1016140b1000000016141", "DecodeFailed", 1, "$"],
    ["c10e0453054080000000000000000541", "DecodeFailed", 1, "$"],
    ["a302e9e8", "DecodeFailed", 2, "$"],
    ["a302c3b1", "DecodeFailed", 2, "$"],
    ["f0000000050000100140", "LimitExceeded", 10, "$"],
    ["e0035000", "TruncatedPayload", 1, "$"],
  ])("%s: %s at byte %i in %s", (bytes, code, offset, path) => {
    const error = errorOf(() => decodeValue(hex(bytes)));

    expect([error.code, error.offset, error.path]).toEqual([code, offset, path]);
  });

  it.each<[ReadOptions, string, string]>([
    [{ limits: { maxDepth: 1 } }, "c0020145", "$"],
    [{ limits: { maxItems: 2 } }, "c00403404040", "$"],
    [{ limits: { maxBytes: 3 } }, "a1026162", "$"],
    [{ maxZeroWidth: 2 }, "e0020340", "$"],
  ])("by the budget %o", (options, bytes, path) => {
    const error = errorOf(() => decodeValue(hex(bytes), options));

    expect(error.code).toBe("LimitExceeded");
    expect(error.path?.startsWith(path)).toBe(true);
    expect(() => decodeValue(hex(bytes))).not.toThrow();
  });

  it.each(['{"maxZeroWidth":-1}', '{"maxZeroWidth":"4"}', '{"mode":"type"}', '{"limits":{"maxDepth":1.5}}'])(
    "and no misspelt option is taken for another: %s",
    (json) => {
      const options: ReadOptions = JSON.parse(json);

      expect(errorOf(() => decodeValue(hex("40"), options)).code).toBe("InvalidArgument");
    },
  );

  it("but arrays without bytes are read up to the cap", () => {
    const uints = decodeValue(hex("e0021143"));

    expect(uints).toEqual(
      typed.array(
        "uint",
        Array.from({ length: 17 }, () => 0),
      ),
    );
  });

  it("with a path that is cut where nobody would read on", () => {
    const deep = Array.from({ length: 60 }).reduce<AmqpValue>((inner) => [inner], typed.symbol("s"));
    const bytes = encodeValue(deep);
    bytes[bytes.length - 1] = 0xff;

    const error = errorOf(() => decodeValue(bytes));

    expect(error.path).toMatch(/^\$(\[0\]){32}…$/);
  });

  it("and without a word of the content", () => {
    const error = errorOf(() => decodeValue(hex("c10d02a106736563726574a10370c328")));

    expect(error.message).not.toContain("secret");
  });
});

describe("lenient reading tolerates", () => {
  it.each([
    ["a size that is too large", "c0ff0254015402", [1, 2]],
    ["a size that is too small", "c0020254015402", [1, 2]],
    ["text that is no UTF-8", "a102c328", "\ufffd("],
    ["a symbol that is not ASCII", "a302e9e8", new Typed("symbol", "éè")],
    [
      "a key that comes twice",
      "c10904a1016140a1016141",
      new AmqpMap([
        ["a", null],
        ["a", true],
      ]),
    ],
  ])("%s", (_what, bytes, expected) => {
    expect(decodeValue(hex(bytes), { lenient: true })).toEqual(expected);
    expect(() => decodeValue(hex(bytes))).toThrow(SobreError);
  });
});

it("lenient reading caches nothing that strict reading would then accept", () => {
  const key = hex("c10702a10361fd6240");
  const symbol = hex("a30361fd62");

  for (let again = 0; again < 4; again++) for (const bytes of [key, symbol]) decodeValue(bytes, { lenient: true });

  for (const bytes of [key, symbol]) expect(errorOf(() => decodeValue(bytes)).code).toBe("DecodeFailed");
});

describe("keys are the same when type and value are", () => {
  it.each<[string, AmqpValue, AmqpValue]>([
    ["lists that nest differently", [[1], 2], [[1, 2]]],
    ["symbols that look like two", [typed.symbol("a),symbol(b")], [typed.symbol("a"), typed.symbol("b")]],
    ["a string and a symbol", "a", typed.symbol("a")],
    ["numbers of two types", 1, typed.uint(1)],
    ["zeros of two signs", typed.double(0), -0],
    ["binaries", Uint8Array.of(1, 2), Uint8Array.of(12)],
    ["described values", typed.described(typed.symbol("x"), "1"), typed.described(typed.symbol("x"), 1)],
    ["arrays of two types", typed.array("int", []), typed.array("uint", [])],
    ["not a number, with different bits", decodeValue(hex("827ff8000000000001")), Number.NaN],
  ])("and differ otherwise: %s", (_what, one, other) => {
    const map = new AmqpMap([
      [one, 1],
      [other, 2],
    ]);

    expect(decodeValue(encodeValue(map))).toEqual(map);
  });

  it.each(["a10161", "a30161", "5401", "c003015401", "a00101", "83" + "00".repeat(8), "00a301785401"])(
    "%s twice is refused among few and among many",
    (key) => {
      for (const others of [0, 3, 40]) {
        const more = Array.from({ length: others }, (_, n) => `a302${(0x3030 + n).toString(16)}40`).join("");
        const entries = `${key}40${more}${key}41`;
        const count = (2 * others + 4).toString(16).padStart(8, "0");
        const size = (entries.length / 2 + 4).toString(16).padStart(8, "0");

        const error = errorOf(() => decodeValue(hex(`d1${size}${count}${entries}`)));

        expect(error).toMatchObject({ code: "DecodeFailed", path: "$" });
      }
    },
  );
});

/** Any AMQP value, four levels deep. */
const values = fc.letrec<{ value: AmqpValue }>((tie) => {
  const inner = tie("value");
  return {
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      simple,
      fc.array(inner, { maxLength: 5 }),
      fc
        .uniqueArray(fc.tuple(simple, inner), { maxLength: 5, selector: ([key]) => keyText(key) })
        .map((entries) => new AmqpMap(entries)),
      fc.tuple(simple, inner).map(([descriptor, value]) => typed.described(descriptor, value)),
      fc.array(fc.array(inner, { maxLength: 3 }), { maxLength: 3 }).map((lists) => typed.array("list", lists)),
      fc.array(fc.float(), { maxLength: 5 }).map((numbers) => typed.array("float", numbers, typed.symbol("acme:x"))),
    ),
  };
}).value;

function keyText(key: AmqpValue): string {
  return JSON.stringify(toTypedJson(key));
}

describe("every value", () => {
  it("comes back with its types, also through typed JSON", () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = attempt(() => encodeValue(value));
        if (bytes === undefined) return;

        const json = toTypedJson(decodeValue(bytes));

        expect(encodeValue(decodeValue(bytes))).toEqual(bytes);
        expect(encodeValue(fromTypedJson(JSON.parse(JSON.stringify(json))))).toEqual(bytes);
      }),
    );
  });

  it("of random bytes ends in a value or a SobreError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, lenient) => {
        attempt(() => decodeValue(bytes, { lenient }));
        attempt(() => decodeValue(bytes, { lenient, mode: "plain" }));
      }),
    );
  });
});

describe("typed JSON", () => {
  it.each([
    [null, "$"],
    [{ t: "unknown" }, "$"],
    [{ t: "uint", v: -1 }, "$"],
    [{ t: "long", v: 5 }, "$"],
    [{ t: "double", v: "00" }, "$"],
    [{ t: "int", v: null }, "$"],
    [{ t: "int", v: "7" }, "$"],
    [{ t: "ubyte", v: true }, "$"],
    [{ t: "char", v: "65" }, "$"],
    [{ t: "long", v: "" }, "$"],
    [{ t: "ulong", v: "0x10" }, "$"],
    [{ t: "timestamp", v: " 5" }, "$"],
    [{ t: "null", v: 0 }, "$"],
    [{ t: "binary", v: "0" }, "$"],
    [{ t: "list", v: [{ t: "null" }, { t: "char", v: 0xd800 }] }, "$[1]"],
    [{ t: "map", v: [[{ t: "null" }]] }, "${0}"],
    [{ t: "array", v: [] }, "$"],
    [{ t: "array", of: "int", v: ["x"] }, "$[0]"],
    [{ t: "array", of: "integer", v: [] }, "$"],
    [{ t: "array", of: "array", v: [{ t: "int", v: 1 }] }, "$[0]"],
    [{ t: "described", d: { t: "symbol", v: "ñ" }, v: { t: "null" } }, "${descriptor}"],
  ])("%j is refused at %s", (json, path) => {
    expect(errorOf(() => fromTypedJson(json))).toMatchObject({ code: "InvalidArgument", path });
  });

  it("has no int of -0, which would come out as a double", () => {
    expect(encodeValue(fromTypedJson({ t: "int", v: -0 }))).toEqual(hex("5400"));
  });

  it.each<[AmqpValue, string]>([
    [[2n ** 64n], "$[0]"],
    [[1, -(2n ** 63n) - 1n], "$[1]"],
    [[new Date(Number.NaN)], "$[0]"],
    [typed.array("timestamp", [new Date(Number.NaN)]), "$[0]"],
  ])("is not made of what AMQP cannot hold: %o", (value, path) => {
    expect(errorOf(() => toTypedJson(value))).toMatchObject({ code: "UnsupportedValue", path });
  });

  it("is not made of what contains itself", () => {
    const cyclic: AmqpValue[] = [];
    cyclic.push(cyclic);

    expect(errorOf(() => toTypedJson(cyclic)).code).toBe("UnsupportedValue");
  });
});

function errorOf(run: () => unknown): SobreError {
  try {
    run();
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

/** `undefined` for what is refused; any other error than a SobreError fails the test. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}
