import { describe, expect, it } from "vitest";
import { amqp } from "../../../codecs/amqp/index.ts";
import { decodeValue } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { type DecodeContext, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../src/core/values/typed.ts";
import type { BodyKind } from "../../../src/core/envelope/index.ts";
import { DateTimeOffset, Decimal, Duration, Uri } from "../../../src/core/values/index.ts";
import { hex } from "./vectors.support.ts";

const plain = (value: AmqpValue): unknown => decodeValue(encodeValue(value), { mode: "plain" });

const context = (bodyKind: BodyKind): DecodeContext => ({
  contentType: undefined,
  applicationProperties: {},
  bodyKind,
  limits: resolveDecodeLimits(),
});

describe("plain reading", () => {
  it("gives numbers, bigints and text for every scalar type", () => {
    const value = plain([
      typed.ubyte(1),
      typed.ushort(2),
      typed.uint(3),
      typed.ulong(4n),
      typed.byte(-1),
      typed.short(-2),
      -3,
      typed.long(-4n),
      typed.float(0.5),
      typed.double(5),
      typed.char("🚀"),
      typed.symbol("s"),
      typed.uuid("0F8FAD5B-d9cb-469f-a165-70867728950e"),
      typed.array("uint", [1, 2]),
    ]);

    expect(value).toEqual([
      1,
      2,
      3,
      4n,
      -1,
      -2,
      -3,
      -4n,
      0.5,
      5,
      "🚀",
      "s",
      "0f8fad5b-d9cb-469f-a165-70867728950e",
      [1, 2],
    ]);
  });

  it("makes own members of dangerous names and never sets a prototype", () => {
    const value = plain(
      new AmqpMap([
        ["__proto__", new AmqpMap([["polluted", true]])],
        ["constructor", 1],
      ]),
    );

    expect(Object.keys(value ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it("gives a Map for keys other than text, and keeps the AmqpMap where only types distinguish keys", () => {
    const numbered = plain(
      new AmqpMap([
        ["a", 1],
        [2, "b"],
      ]),
    );
    const ambiguous = new AmqpMap([
      [1, "int"],
      [typed.uint(1), "uint"],
    ]);

    expect(numbered).toEqual(
      new Map<unknown, unknown>([
        ["a", 1],
        [2, "b"],
      ]),
    );
    expect(plain(ambiguous)).toEqual(ambiguous);
  });

  it("reads what .NET wrote as a graph of ArrayList and IDictionary as arrays and objects", () => {
    // IDictionary and ArrayList in the 32-bit forms, long, TimeSpan, DateTimeOffset, Uri, Guid and a boolean octet.
    const graph = hex(
      "d10000011400000010a1026964810020000000000001a1056c696e6573d00000004800000002d10000001d00000004a103736b75a103582d31a1087175616e746974797100000002d10000001d00000004a103736b75a103582d31a1087175616e746974797100000002a107656c617073656400a316636f6d2e6d6963726f736f66743a74696d657370616e810000000861c46800a102617400a31d636f6d2e6d6963726f736f66743a6461746574696d652d6f66667365748108dc0a5c9900c000a1046c696e6b00a311636f6d2e6d6963726f736f66743a757269a11568747470733a2f2f6578616d706c652e6f72672f61a1046775696498f275ea5e0c574ad7b11ab20c563d3b71a104706169645601a1046e6f6e6540",
    );

    const value = decodeValue(graph, { mode: "plain" });

    const line = { sku: "X-1", quantity: 2 };
    expect(value).toEqual({
      id: 9007199254740993n,
      lines: [line, line],
      elapsed: Duration.fromTicks(36_000_000_000n),
      at: new DateTimeOffset(638396640000000000n),
      link: new Uri("https://example.org/a"),
      guid: "f275ea5e-0c57-4ad7-b11a-b20c563d3b71",
      paid: true,
      none: null,
    });
    expect(decodeValue(encodeValue(value), { mode: "plain" })).toEqual({ ...Object(value) });
  });

  it("leaves unknown described values, infinite decimals and far timestamps typed", () => {
    const values = [
      typed.described(typed.symbol("acme:point"), [1, 2]),
      typed.decimal32(hex("78000000")),
      typed.timestamp(2n ** 62n),
      typed.described(typed.symbol("com.microsoft:uri"), 5),
    ];

    expect(plain(values)).toEqual(values);
  });
});

describe("the values of .NET and Java", () => {
  it.each([
    [Duration.fromTicks(-15_000_000n), "timespan", -15_000_000n],
    [new Duration("PT1.5S"), "timespan", 15_000_000n],
    [DateTimeOffset.fromDate(new Date(0)), "datetime-offset", 621355968000000000n],
    [new Uri("../relative"), "uri", "../relative"],
    [new URL("https://example.org/"), "uri", "https://example.org/"],
  ])("are written as described types: %s as com.microsoft:%s", (value, name, content) => {
    const written = decodeValue(encodeValue(value));

    expect(written).toEqual(typed.described(typed.symbol(`com.microsoft:${name}`), content));
  });

  it("are refused where something of them would be lost", () => {
    for (const value of [new DateTimeOffset(0n, 60), new Duration("P1M"), new Decimal("1".repeat(35))]) {
      expect(() => encodeValue([value])).toThrow(expect.objectContaining({ code: "UnsupportedValue", path: "$[0]" }));
    }
  });

  it("have their decimals as Decimal with all digits, and write them as decimal128", () => {
    const values = [typed.decimal32(hex("3092d687")), typed.array("decimal64", [hex("b10462d53d216ef4")])];

    const read = plain(values);

    expect(read).toEqual([new Decimal("123.4567"), [new Decimal("-1234567899.999988")]]);
    expect(plain(decodeValue(encodeValue(new Decimal("12.30"))))).toEqual(new Decimal("12.30"));
    expect(decodeValue(encodeValue(new Decimal(".5")))).toBeInstanceOf(Typed);
  });

  it("can have other extensions", () => {
    class Point {
      readonly x: number;
      constructor(x: number) {
        this.x = x;
      }
    }
    const extensions = [
      {
        descriptor: "acme:point",
        read: (value: AmqpValue) => (typeof value === "number" ? new Point(value) : undefined),
        write: (value: object) => (value instanceof Point ? value.x : undefined),
      },
    ];

    const bytes = encodeValue({ at: new Point(3) }, { extensions });

    expect(decodeValue(bytes, { mode: "plain", extensions })).toEqual({ at: new Point(3) });
    expect(() => encodeValue(Duration.fromTicks(1n), { extensions })).toThrow("no type");
  });
});

describe("the amqp codec", () => {
  const codec = amqp();
  it("writes the body kind value without a content type", () => {
    const encoded = codec.encode([1], context("value"));

    expect(encoded).toEqual({ payload: hex("c003015401"), bodyKind: "value" });
  });

  it("writes data when application/x-amqp-value is asked for", () => {
    const contentType = { type: "application/x-amqp-value", parameters: [], skipped: [] };

    const encoded = codec.encode("a", { contentType, applicationProperties: {} });

    expect(encoded).toMatchObject({ bodyKind: "data", contentType: "application/x-amqp-value" });
  });

  it("reads one list of a sequence as an array, several as an array of arrays", () => {
    const one = codec.decode(hex("c003015401"), context("sequence"));
    const two = codec.decode(hex("c003015401c003015402"), context("sequence"));

    expect([one, two]).toEqual([{ body: [1] }, { body: [[1], [2]] }]);
  });

  it("writes undefined as no body and null as a body that is null", () => {
    const none = codec.encode(undefined, context("value"));
    const empty = codec.encode(null, context("value"));

    expect([none.payload.byteLength, empty.payload]).toEqual([0, hex("40")]);
  });

  it("keeps every type when asked to", () => {
    const lossless = amqp({ mode: "typed" });

    expect(lossless.decode(hex("5205"), context("value"))).toEqual({ body: typed.uint(5) });
  });

  it.each([
    ["c003015401", "strong"],
    ["c00301540100", "no"],
    ["a10161", "weak"],
    ["7b226122", "no"],
    ["40", "weak"],
    ["00a3016140", "weak"],
    ["02", "no"],
    ["d0", "no"],
    ["", "no"],
  ])("sniffs %s as %s", (bytes, expected) => {
    expect(codec.sniff?.(hex(bytes))).toBe(expected);
  });
});
