import { describe, expect, it } from "vitest";
import { bodyOf, errorOf, utf8, utf16be, utf16le } from "./reading.support.ts";

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("the charset of a JSON payload", () => {
  const text = '{"city":"Málaga"}';
  const marked = `\ufeff${text}`;

  it.each([
    ["UTF-8", utf8(text), undefined],
    ["UTF-8 with a mark", utf8(marked), undefined],
    ["UTF-16LE with a mark", utf16le(marked), undefined],
    ["UTF-16BE with a mark", utf16be(marked), undefined],
    ["UTF-16LE without a mark, by its zero bytes", utf16le(text), undefined],
    ["UTF-16BE without a mark, by its zero bytes", utf16be(text), undefined],
    ["declared UTF-8 with a mark", utf8(marked), "utf-8"],
    ["declared UTF-16, big-endian with a mark", utf16be(marked), "utf-16"],
    ["declared UTF-16, little-endian without a mark", utf16le(text), "UTF-16"],
    ["declared UTF-16, big-endian without a mark", utf16be(text), "utf-16"],
    ["declared UTF-16LE", utf16le(text), "utf-16le"],
    ["declared UTF-16BE", utf16be(text), "UTF-16BE"],
    ["declared Latin-1", latin1(text), "ISO-8859-1"],
    ["declared windows-1252", latin1(text), "windows-1252"],
  ])("is read as %s", (_, payload, charset) => {
    const contentType = charset === undefined ? "application/json" : `application/json; charset=${charset}`;

    expect(bodyOf(payload, { contentType })).toEqual({ city: "Málaga" });
  });

  it("distinguishes true Latin-1 from windows-1252", () => {
    const payload = Uint8Array.of(0x22, 0x80, 0x22);

    expect(bodyOf(payload, { contentType: "application/json; charset=iso-8859-1" })).toBe("\u0080");
    expect(bodyOf(payload, { contentType: "application/json; charset=windows-1252" })).toBe("€");
  });

  it("reads a single digit, which has no second byte to look at", () => {
    expect(bodyOf("7")).toBe(7);
  });

  it.each([
    ["mark, little-endian", [0xff, 0xfe, 0, 0, 0x37, 0, 0, 0]],
    ["mark, big-endian", [0, 0, 0xfe, 0xff, 0, 0, 0, 0x37]],
    ["zero bytes, little-endian", [0x37, 0, 0, 0]],
    ["zero bytes, big-endian", [0, 0, 0, 0x37]],
  ])("refuses UTF-32 by name: %s", (_, bytes) => {
    const error = errorOf(Uint8Array.from(bytes));

    expect(error.code).toBe("UnknownCharset");
    expect(error.message).toContain("UTF-32");
  });

  it("refuses a charset it does not know", () => {
    const error = errorOf("7", { contentType: "application/json; charset=utf-7" });

    expect(error.code).toBe("UnknownCharset");
    expect(error.message).toContain('"utf-7"');
  });

  it.each([
    ["UTF-8", [0x22, 0x61, 0xff, 0x22], "utf-8", "DecodeFailed", 2],
    ["UTF-8 behind a mark", [0xef, 0xbb, 0xbf, 0x22, 0xff, 0x22], "utf-8", "DecodeFailed", 4],
    ["UTF-8 cut inside a character", [0x22, 0xc3], "utf-8", "TruncatedPayload", 2],
    ["US-ASCII", [0x22, 0xc3, 0xa9, 0x22], "us-ascii", "DecodeFailed", 1],
    ["UTF-16 cut inside a character", [0x22, 0, 0x61], "utf-16le", "TruncatedPayload", 3],
  ])("refuses bytes that are not %s, with the offset", (_, bytes, charset, code, offset) => {
    const error = errorOf(Uint8Array.from(bytes), { contentType: `application/json; charset=${charset}` });

    expect({ code: error.code, offset: error.offset }).toEqual({ code, offset });
  });
});

describe("numbers in a JSON payload", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["18446744073709551615", 18446744073709551615n],
    ["9007199254740993.0", 9007199254740992],
    ["9007199254740993e0", 9007199254740992],
    ["1e400000000", undefined],
    ["0.1234567890123456", 0.1234567890123456],
    ["1e21", 1e21],
    ["1.7e308", 1.7e308],
    ["-0", -0],
    [`1${"0".repeat(400)}`, 10n ** 400n],
  ])("reads %s without a silent change", (source, expected) => {
    const read = expected === undefined ? errorOf(source).code : bodyOf(source);

    expect(read).toBe(expected ?? "DecodeFailed");
  });

  it("finds a long integer at every position", () => {
    for (let pad = 0; pad < 40; pad++) {
      const body = bodyOf(`${" ".repeat(pad)}{"a":[1,9007199254740993 ],"b":"9007199254740993"}`);

      expect(body).toEqual({ a: [1, 9007199254740993n], b: "9007199254740993" });
    }
  });

  it("gives the nearest number when asked for numbers", () => {
    expect(bodyOf("[9007199254740993]", { options: { bigint: "number" } })).toEqual([9007199254740992]);
  });

  it.each(["1e400", "-1E+400", "1e0400", `1${"0".repeat(250)}e99`, "9".repeat(4301)])(
    "refuses a number that no double and no reasonable bigint holds, with its path: %.12s",
    (source) => {
      const error = errorOf(`{"order":{"lines":[0,${source}]}}`);

      expect(error.code).toBe("DecodeFailed");
      expect(error.path).toBe("$.*.*[1]");
    },
  );

  it("refuses infinity also where numbers are asked for", () => {
    expect(errorOf("9".repeat(400), { options: { bigint: "number" } }).code).toBe("DecodeFailed");
  });
});

describe("hostile JSON", () => {
  it.each(['{"a":[{"__proto__":{"admin":true}}]}', '{"a":[{"\\u005f_proto__":1}]}', '{"a":[{"__pr\\u006Fto__":1}]}'])(
    "refuses a member named __proto__ however it is spelled: %s",
    (text) => {
      const error = errorOf(text);

      expect(error.code).toBe("DecodeFailed");
      expect(error.path).toBe("$.*[0].__proto__");
    },
  );

  it("refuses it with any one of its letters escaped, in digits of either case", () => {
    const name = "__proto__";
    const spelled = Array.from(name, (letter, at) => {
      const hex = letter.charCodeAt(0).toString(16).padStart(4, "0");
      return [hex, hex.toUpperCase()].map((digits) => `${name.slice(0, at)}\\u${digits}${name.slice(at + 1)}`);
    }).flat();

    const codes = spelled.map((key) => errorOf(`[{"${key}":{"admin":true}}]`).code);

    expect(new Set(codes)).toEqual(new Set(["DecodeFailed"]));
  });

  it("keeps __proto__ as an own member when asked to", () => {
    const body = bodyOf('{"__proto__":{"admin":true}}', { options: { protoKey: "keep" } });

    expect(Object.keys(Object(body))).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });

  it("reads __proto__ as a value, and other escapes", () => {
    expect(bodyOf('["__proto__","\\u005f"]')).toEqual(["__proto__", "_"]);
  });

  it("refuses nesting beyond the limit, with the offset", () => {
    const deepest = bodyOf(deep(128));
    const [lists, objects, endless] = [
      errorOf(deep(129)),
      errorOf('{"a":'.repeat(129) + "1" + "}".repeat(129)),
      errorOf(deep(200_000)),
    ];

    expect(deepest).toHaveLength(1);
    expect([lists.code, lists.offset]).toEqual(["LimitExceeded", 128]);
    expect([objects.code, objects.offset]).toEqual(["LimitExceeded", 640]);
    expect([endless.code, endless.offset]).toEqual(["LimitExceeded", 128]);
  });

  it("does not take brackets inside strings for nesting", () => {
    const text = JSON.stringify({ note: '[{"\\'.repeat(200), list: [[]] });

    expect(bodyOf(text)).toEqual(JSON.parse(text));
  });

  it("ends with an error when a generous limit lets the stack run out", () => {
    const depth = 500_000;

    const error = errorOf(deep(depth), {
      limits: { maxDepth: depth - 1, maxItems: 4 * depth },
    });

    expect(error.code).toBe("LimitExceeded");
  });

  it.each([
    ["[1,2,3]", 3, true],
    ["[1,2,3]", 2, false],
    ['{"a":[],"b":[ ]}', 2, true],
    ['{"a":[],"b":[0]}', 2, false],
    ["[[[[]]]]", 3, true],
    ["[[[[]]]]", 2, false],
    ['[",,,,,\\",,,"]', 1, true],
    ["7", 0, true],
  ])("counts list elements and map entries: %s within %i is %s", (text, maxItems, fits) => {
    const outcome = fits ? typeof bodyOf(text, { limits: { maxItems } }) : errorOf(text, { limits: { maxItems } }).code;

    expect(outcome).toBe(fits ? typeof JSON.parse(text) : "LimitExceeded");
  });

  it("refuses more bytes than the limit", () => {
    expect(errorOf("[1]", { limits: { maxBytes: 2 } }).code).toBe("LimitExceeded");
  });
});

describe("an empty JSON payload", () => {
  it("holds no value, under any charset", () => {
    const cut = { code: "TruncatedPayload", offset: 0 };

    expect(errorOf(new Uint8Array(0))).toMatchObject(cut);
    expect(errorOf(new Uint8Array(0), { contentType: "application/json; charset=utf-16" })).toMatchObject(cut);
    expect(errorOf(new Uint8Array(0), { contentType: "application/json; charset=us-ascii" })).toMatchObject(cut);
  });
});
