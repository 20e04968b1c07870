import { describe, expect, it } from "vitest";
import { byteOffsetOf, charsetNamed, decodeText, markedCharset } from "../../../src/core/content-type/charset.ts";
import { encodeUnicode } from "../../../src/core/content-type/unicode-bytes.ts";

describe("charsets", () => {
  it("are found by label without case, and only those that are read", () => {
    expect(charsetNamed("UTF-8")).toBe("utf-8");
    expect(charsetNamed("ISO-8859-1")).toBe("iso-8859-1");
    expect(charsetNamed("iso-8859-15")).toBeUndefined();
    expect(charsetNamed("constructor")).toBeUndefined();
  });

  it.each([
    ["us-ascii", "ascii ANSI_X3.4-1968 ansi_x3.4-1986 iso646-us ISO_646.irv:1991 us csASCII cp367 IBM367"],
    ["iso-8859-1", "iso8859-1 iso_8859-1 ISO_8859-1:1987 iso88591 latin1 l1 cp819 IBM819 csISOLatin1 iso-ir-100"],
    ["windows-1252", "cp1252 x-cp1252"],
    ["utf-8", "utf8 unicode-1-1-utf-8 x-unicode20utf8"],
    ["utf-16le", "unicode ucs-2 iso-10646-ucs-2"],
  ])("are found by every label: %s", (charset, labels) => {
    for (const label of labels.split(" ")) expect(charsetNamed(label), label).toBe(charset);
  });

  it("read every byte of windows-1252 and of Latin-1 as one character of its own", () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);

    const windows = decodeText(all, "windows-1252");
    const latin = decodeText(all, "iso-8859-1");

    expect([windows.length, new Set(windows).size, latin.length, new Set(latin).size]).toEqual([256, 256, 256, 256]);
    expect([0x80, 0x81, 0x8c, 0x99, 0x9e, 0x9f, 0xe9].map((byte) => windows.charAt(byte)).join("")).toBe("€\x81Œ™žŸé");
    expect(latin.charCodeAt(0x80)).toBe(0x80);
  });

  it("read Latin-1 longer than one chunk", () => {
    const payload = new Uint8Array(20_000).fill(0xe9);

    expect(decodeText(payload, "iso-8859-1")).toBe("é".repeat(20_000));
  });

  it("follow byte-order marks, and refuse those of UTF-32", () => {
    expect(markedCharset(Uint8Array.of(0xef, 0xbb, 0xbf))).toBe("utf-8");
    expect(markedCharset(Uint8Array.of(0xef, 0xbb))).toBeUndefined();
    expect(markedCharset(Uint8Array.of(0xfe, 0xff))).toBe("utf-16be");
    expect(() => markedCharset(Uint8Array.of(0xff, 0xfe, 0, 0))).toThrow(
      expect.objectContaining({ code: "UnknownCharset" }),
    );
  });

  it("read on correctly after a payload that was refused", () => {
    expect(() => decodeText(Uint8Array.of(0x61, 0xc3), "utf-8")).toThrow(
      expect.objectContaining({ code: "TruncatedPayload", offset: 2 }),
    );

    expect(decodeText(Uint8Array.of(0xa9 - 0x40), "utf-8")).toBe("i");
  });

  it.each(["utf-8", "utf-16", "utf-16le", "utf-16be"] as const)("give byte offsets in %s", (charset) => {
    const text = "\ufeffaé€😀z";
    const payload = encodeUnicode(text, charset);
    const read = decodeText(payload, charset);

    const offset = byteOffsetOf(payload, charset, read, read.indexOf("z"));

    expect(read).toBe(text);
    expect(offset).toBe(payload.length - encodeUnicode("z", charset === "utf-16" ? "utf-16le" : charset).length);
  });
});
