import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { bodyOf } from "./reading.support.ts";
import { anyText } from "../../unicode.support.ts";

const codec = json();

function bytesOf(body: unknown, contentType?: string): Uint8Array {
  const parsed = contentType === undefined ? undefined : parseContentType(contentType);
  return codec.encode(body, { contentType: parsed, applicationProperties: {} }).payload;
}

const textOf = (body: unknown): string => new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(body));

function backFrom(body: unknown, contentType = "application/json"): unknown {
  const decoded = codec.decode(bytesOf(body, contentType), {
    contentType: parseContentType(contentType),
    applicationProperties: {},
    bodyKind: "data",
    limits: defaultDecodeLimits,
  });
  return "body" in decoded ? decoded.body : undefined;
}

function pathOf(body: unknown): string | undefined {
  try {
    bytesOf(body);
  } catch (error) {
    if (error instanceof SobreError && error.code === "UnsupportedValue") return error.path;
    throw error;
  }
  throw new Error("was written");
}

class Invoice {
  readonly number = 7n;
  readonly #secret = "hidden";
  get secret(): string {
    return this.#secret;
  }
}

describe("writing JSON", () => {
  it.each<[unknown, string]>([
    [null, "null"],
    [{ a: 1, b: undefined }, '{"a":1}'],
    [{ id: 9007199254740993n, small: 5n }, '{"id":9007199254740993,"small":5}'],
    [{ zero: -0 }, '{"zero":-0}'],
    [[2 ** 60, 1e21, 2 ** 53 - 1], "[1.152921504606847e+18,1e+21,9007199254740991]"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ at: new Date(0), n: 1n }, '{"at":"1970-01-01T00:00:00.000Z","n":1}'],
    [{ url: new URL("https://example.com/") }, '{"url":"https://example.com/"}'],
    [{ toJSON: () => ({ n: 1n }) }, '{"n":1}'],
    [new Invoice(), '{"number":7}'],
    [Object.assign(Object.create(null), { a: 1n }), '{"a":1}'],
    ["\ud800", '"\\ud800"'],
  ])("writes %o as %s", (body, expected) => {
    expect(textOf(body)).toBe(expected);
  });

  it("writes nothing for the body undefined", () => {
    expect(bytesOf(undefined)).toEqual(new Uint8Array(0));
  });

  it.each<[string, unknown, string]>([
    ["NaN", { a: [1, Number.NaN] }, "$.a[1]"],
    ["infinity", Number.POSITIVE_INFINITY, "$"],
    ["a function", { a: { b: () => 1 } }, "$.a.b"],
    ["a symbol", [Symbol("s")], "$[0]"],
    ["undefined in a list", [1, undefined], "$[1]"],
    ["a hole in a list", Object.assign([], { length: 2 }), "$[0]"],
    ["bytes", { "odd key": Uint8Array.of(1) }, '$["odd key"]'],
    ["a Buffer, in spite of its toJSON", { a: Buffer.from("x") }, "$.a"],
    ["a Map", { a: new Map([["k", 1]]) }, "$.a"],
    ["a Set", { a: new Set([1]) }, "$.a"],
    ["a RegExp", { a: /x/ }, "$.a"],
    ["an Error", { a: new Error("x") }, "$.a"],
    ["a Promise", { a: Promise.resolve(1) }, "$.a"],
    ["an invalid Date", { a: new Date(Number.NaN) }, "$.a"],
    ["a typed AMQP value", { a: typed.uint(1) }, "$.a"],
    ["an AMQP map", { a: new AmqpMap([]) }, "$.a"],
    ["what toJSON gives", { a: { toJSON: () => new Map() } }, "$.a"],
    ["boxed primitives", { a: Object("boxed") }, "$.a"],
    ["a bigint that reading refuses", { a: 10n ** 4300n }, "$.a"],
    ["a member __proto__, which reading refuses", { a: [{ ["__proto__"]: 1 }] }, "$.a[0].__proto__"],
    ["a member __proto__ of what toJSON gives", { toJSON: () => ({ ["__proto__"]: 1 }) }, "$.__proto__"],
  ])("refuses %s with its path", (_, body, path) => {
    expect(pathOf(body)).toBe(path);
  });

  it("says what type is refused", () => {
    expect(() => bytesOf([undefined])).toThrow("$[0] is of type undefined, which JSON cannot hold; convert it first.");
    expect(() => bytesOf(new Map())).toThrow("$ is of type Map, which JSON cannot hold; convert it first.");
  });

  it("writes every bigint that is read", () => {
    const body = [10n ** 4300n - 1n, -(10n ** 4300n - 1n)];

    expect(backFrom(body)).toEqual(body);
  });

  it("writes and reads a member __proto__ with the option that keeps it", () => {
    const body = { ["__proto__"]: { a: 1 } };
    const keeping = json({ protoKey: "keep" });

    const { payload } = keeping.encode(body, { contentType: undefined, applicationProperties: {} });

    expect(bodyOf(payload, { options: { protoKey: "keep" } })).toEqual(body);
  });

  it("writes the text __proto__ as any other", () => {
    expect(textOf({ a: "__proto__", b: 1n })).toBe('{"a":"__proto__","b":1}');
  });

  it("refuses a body that contains itself, with a path of readable length", () => {
    const body: Record<string, unknown> = {};
    body["self"] = body;

    expect(pathOf(body)?.length).toBeLessThan(200);
  });

  it.each(["utf-16", "utf-16le", "utf-16be", "us-ascii", "iso-8859-1", "windows-1252", "utf-8"])(
    "writes the charset that is asked for: %s",
    (charset) => {
      const body = { clé: "100 € – \u{1f600}", n: 9007199254740993n };

      expect(backFrom(body, `application/json; charset=${charset}`)).toEqual(body);
    },
  );

  it("refuses a charset it does not know", () => {
    expect(() => bytesOf({}, "application/json; charset=ebcdic")).toThrow(
      expect.objectContaining({ code: "UnknownCharset" }),
    );
  });

  it("reads back every JSON value, with bigints beyond 2^53", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        anyText(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          fc.string().filter((name) => name !== "__proto__"),
          tie("value"),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    })).value;

    fc.assert(
      fc.property(value, (body) => {
        expect(backFrom(body)).toStrictEqual(body);
      }),
      { numRuns: 500 },
    );
  });

  it("writes exactly what JSON.stringify writes where that is faithful", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const exact = JSON.stringify(body, (_, value: unknown) => (Object.is(value, -0) ? undefined : value));
        fc.pre(exact === JSON.stringify(body) && !/\d{16}|__proto__/.test(exact));

        expect(textOf(body)).toBe(JSON.stringify(body));
      }),
      { numRuns: 300 },
    );
  });
});
