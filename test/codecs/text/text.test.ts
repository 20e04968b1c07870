import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../../codecs/text/index.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { bodyOf } from "../json/reading.support.ts";
import { anyText } from "../../unicode.support.ts";

function read(payload: Uint8Array, contentType = "text/plain", codec = text()): unknown {
  const decoded = codec.decode(payload, {
    contentType: parseContentType(contentType),
    applicationProperties: {},
    bodyKind: "data",
    limits: defaultDecodeLimits,
  });
  return "body" in decoded ? decoded.body : undefined;
}

function write(body: unknown, contentType?: string): Uint8Array {
  const parsed = contentType === undefined ? undefined : parseContentType(contentType);
  return text().encode(body, { contentType: parsed, applicationProperties: {} }).payload;
}

function errorOf(action: () => unknown): Pick<SobreError, "code" | "offset" | "path"> {
  try {
    action();
  } catch (error) {
    if (error instanceof SobreError) return { code: error.code, offset: error.offset, path: error.path };
    throw error;
  }
  throw new Error("nothing was thrown");
}

function outcome(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error instanceof SobreError ? error.code : error;
  }
}

describe("text", () => {
  it.each([
    ["utf-8", "Zürich €"],
    ["utf-16", "Zürich €"],
    ["utf-16le", "Zürich €"],
    ["utf-16be", "Zürich €"],
    ["us-ascii", "Zurich"],
    ["iso-8859-1", "Zürich \u0080"],
    ["windows-1252", "Zürich €"],
  ])("comes back in the charset of the content type: %s", (charset, body) => {
    const contentType = `text/plain; charset="${charset}"`;

    expect(read(write(body, contentType), contentType)).toBe(body);
  });

  it("is UTF-8 without a charset, and goes by a byte-order mark", () => {
    const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0x00);

    expect(write("é")).toEqual(Uint8Array.of(0xc3, 0xa9));
    expect(read(Uint8Array.of(0xc3, 0xa9), "text/html")).toBe("é");
    expect(read(utf16)).toBe("a");
    expect(read(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("a");
  });

  it("reads the other charsets that the platform knows", () => {
    expect(read(Uint8Array.of(0x83, 0x65), "text/plain; charset=shift_jis")).toBe("テ");
  });

  it.each([
    "latin1",
    "l1",
    "iso8859-1",
    "iso_8859-1",
    "us",
    "ascii",
    "cp1252",
    "unicode-1-1-utf-8",
    "x-user-defined",
    "klingon",
  ])("reads %s as JSON does, or refuses it as JSON does", (charset) => {
    const payload = Uint8Array.of(0x22, 0x41, 0xe9, 0x22);
    const contentType = `; charset=${charset}`;

    const asText = outcome(() => read(payload, `text/plain${contentType}`));
    const asJson = outcome(() => `"${String(bodyOf(payload, { contentType: `application/json${contentType}` }))}"`);

    expect(asText).toEqual(asJson);
  });

  it("uses another charset for a payload that names none", () => {
    expect(read(Uint8Array.of(0xe9), "text/plain", text({ charset: "iso-8859-1" }))).toBe("é");
    expect(errorOf(() => text({ charset: "klingon" })).code).toBe("UnknownCharset");
    // @ts-expect-error -- what JavaScript callers may do
    expect(errorOf(() => text({ charset: 5 })).code).toBe("InvalidArgument");
  });

  it("is the empty string for zero bytes", () => {
    expect(read(new Uint8Array(0))).toBe("");
    expect(write("")).toEqual(new Uint8Array(0));
  });

  it("keeps a first character that looks like a byte-order mark", () => {
    for (const charset of ["utf-8", "utf-16", "utf-16be"]) {
      const contentType = `text/plain; charset=${charset}`;

      expect(read(write("\ufeffa", contentType), contentType)).toBe("\ufeffa");
    }
  });

  it.each([
    ["utf-8", [0x61, 0xc3, 0x28], "DecodeFailed", 2],
    ["utf-8", [0x61, 0xc3], "TruncatedPayload", 2],
    ["us-ascii", [0x61, 0x80], "DecodeFailed", 1],
    ["utf-16le", [0x61, 0x00, 0x00, 0xdc], "DecodeFailed", 3],
    ["shift_jis", [0x83, 0xff], "DecodeFailed", undefined],
    ["klingon", [0x61], "UnknownCharset", undefined],
  ])("refuses what is not %s", (charset, bytes, code, offset) => {
    const error = errorOf(() => read(Uint8Array.from(bytes), `text/plain; charset=${charset}`));

    expect(error).toEqual({ code, offset, path: undefined });
  });

  it("finds the offset of a broken byte far inside", () => {
    const payload = new Uint8Array(200_000).fill(0x61);
    payload[150_001] = 0xff;

    expect(errorOf(() => read(payload)).offset).toBe(150_001);
  });

  it.each([
    ["a number", 5, undefined],
    ["null", null, undefined],
    ["half a surrogate pair", "a\ud800", undefined],
    ["a character beyond the charset", "€", "text/plain; charset=iso-8859-1"],
    ["a character beyond 7 bits", "é", "text/plain; charset=us-ascii"],
  ])("refuses to write %s", (_, body, contentType) => {
    expect(errorOf(() => write(body, contentType))).toMatchObject({ code: "UnsupportedValue", path: "$" });
  });

  it("names the type of a body that is not a string", () => {
    expect(() => text().encode({}, { contentType: undefined, applicationProperties: {} })).toThrow(
      "The body is of type object and not a string.",
    );
  });

  it("refuses to write a charset that it only reads", () => {
    expect(errorOf(() => write("a", "text/plain; charset=shift_jis")).code).toBe("UnknownCharset");
  });

  it("sniffs control bytes and broken UTF-8 as no text", () => {
    const codec = text();
    const answers = [[0x61, 0x00], [0x1b], [0x61, 0xff], [0x61, 0x09, 0x0d, 0x0a], [], [0xff, 0xfe, 0x61, 0x00]].map(
      (bytes) => codec.sniff?.(Uint8Array.from(bytes)),
    );

    expect(answers).toEqual(["no", "no", "no", "weak", "weak", "weak"]);
  });

  it("sniffs by the first bytes, even when they end inside a character", () => {
    const payload = new TextEncoder().encode(`a${"é".repeat(2000)}`);

    expect(text().sniff?.(payload)).toBe("weak");
  });

  it("reads back every well-formed string", () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom("utf-8", "utf-16", "utf-16be"), (body, charset) => {
        const contentType = `text/plain; charset=${charset}`;

        expect(read(write(body, contentType), contentType)).toBe(body);
      }),
      { numRuns: 300 },
    );
  });
});
