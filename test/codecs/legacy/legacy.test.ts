import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { byteOrderMark, gzip, legacy, type LegacyOptions, rawDeflate, zlib } from "../../../codecs/legacy/index.ts";
import { text } from "../../../codecs/text/index.ts";
import { createSerializer, type DeserializeResult } from "../../../src/core/codec/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { Decimal } from "../../../src/core/values/index.ts";
import {
  bytesOf,
  errorOf,
  hex,
  keptPayloads,
  legacyVectors,
  unwrappedBy,
  vectorBytes,
  vectors,
} from "./reading.support.ts";

function read(payload: Uint8Array, contentType?: string, options: LegacyOptions = {}): DeserializeResult {
  const codecs = [json(), ...legacy(options), text()];
  const fallback = codecs.map(({ name }) => name);
  const serializer = createSerializer({ codecs, fallback, whenUnknown: "fallback" });
  return serializer.deserialize(createEnvelope({ payload, brokerProperties: { contentType } }));
}

function bodyOf(result: DeserializeResult): unknown {
  if (result.ok) return valueToJson(result.body);
  throw result.error;
}

const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value);
const number = keptPayloads("nrbf").find(({ name }) => name === "decimal-zero");
const decimal = number === undefined ? new Uint8Array() : bytesOf(number);

describe("the legacy readers together", () => {
  it("read what is declared", () => {
    const result = read(decimal, "application/x-nrbf");

    expect(result).toMatchObject({ ok: true, codec: "nrbf", typeName: "System.Decimal", body: new Decimal("0.00") });
  });

  it("find what is not declared, or wrongly", () => {
    for (const contentType of [undefined, "application/json", "application/x-whatever"]) {
      expect(read(decimal, contentType)).toMatchObject({ ok: true, codec: "nrbf" });
    }
  });

  it("open layers around a payload, three at most", () => {
    const once = gzipSync(decimal);

    expect(bodyOf(read(once))).toEqual({ $decimal: "0.00" });
    expect(bodyOf(read(once, "application/x-nrbf"))).toEqual({ $decimal: "0.00" });
    expect(bodyOf(read(once, "application/gzip"))).toEqual({ $decimal: "0.00" });
    expect(bodyOf(read(deflateSync(gzipSync(once))))).toEqual({ $decimal: "0.00" });
    expect(read(gzipSync(deflateSync(gzipSync(once))))).toMatchObject({ ok: false, error: { code: "Unreadable" } });
  });

  it("open bare deflate only on request", () => {
    const bare = deflateRawSync(utf8('{"a":1}'));

    expect(read(bare).ok).toBe(false);
    expect(bodyOf(read(bare, undefined, { rawDeflate: true }))).toEqual({ a: 1 });
  });
});

describe("compressed data", () => {
  it("is opened with the type that is declared, or seen inside", () => {
    const inside = utf8('{"a":1}');

    expect(unwrappedBy(gzip(), gzipSync(inside))).toEqual({
      unwrapped: inside,
      contentType: "application/json",
    });
    expect(unwrappedBy(zlib(), deflateSync(inside), { contentType: "text/plain" }).contentType).toBe("text/plain");
    expect(unwrappedBy(rawDeflate(), deflateRawSync(utf8("text"))).contentType).toBeUndefined();
  });

  it("is refused when it is cut off, broken, or goes on", () => {
    const whole = gzipSync("some text that is long enough to be compressed, compressed, compressed");
    const broken = Buffer.from(whole);
    broken.writeUInt8(broken.readUInt8(whole.length - 6) ^ 1, whole.length - 6);

    expect(errorOf(() => unwrappedBy(gzip(), whole.subarray(0, -9)))).toMatchObject({ code: "TruncatedPayload" });
    expect(errorOf(() => unwrappedBy(gzip(), broken))).toMatchObject({ code: "DecodeFailed", offset: 0 });
    expect(errorOf(() => unwrappedBy(gzip(), Buffer.concat([whole, hex("00112233")])))).toMatchObject({
      code: "TrailingBytes",
      offset: whole.length,
    });
    expect(errorOf(() => unwrappedBy(gzip(), utf8("text")))).toMatchObject({ code: "DecodeFailed" });
  });

  it("is refused when it grows too much, or beyond the limit", () => {
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));

    expect(errorOf(() => unwrappedBy(gzip(), bomb)).code).toBe("LimitExceeded");
    const small = gzipSync(Buffer.alloc(2000));
    expect(unwrappedBy(gzip(), small, { limits: { maxBytes: 2000 } }).unwrapped).toHaveLength(2000);
    expect(errorOf(() => unwrappedBy(gzip(), small, { limits: { maxBytes: 1999 } })).code).toBe("LimitExceeded");
  });

  it("is recognised by its first bytes, zlib only weakly", () => {
    expect(gzip().sniff?.(gzipSync("a"))).toBe("strong");
    expect(gzip().sniff?.(utf8("text"))).toBe("no");
    expect(zlib().sniff?.(deflateSync("a text"))).toBe("weak");
    expect(zlib().sniff?.(utf8("text"))).toBe("no");
  });
});

describe("text with a byte-order mark", () => {
  it.each([
    ["utf-8", "efbbbf 7b7d c3b1"],
    ["utf-16le", "fffe 7b00 7d00 f100"],
    ["utf-16be", "feff 007b 007d 00f1"],
    ["utf-32le", "fffe0000 7b000000 7d000000 f1000000"],
    ["utf-32be", "0000feff 0000007b 0000007d 000000f1"],
  ])("is opened as UTF-8: %s", (_, bytes) => {
    const payload = hex(bytes);

    expect(byteOrderMark().sniff?.(payload)).toBe("strong");
    const { unwrapped, contentType } = unwrappedBy(byteOrderMark(), payload);
    expect(new TextDecoder().decode(unwrapped)).toBe("{}ñ");
    expect(contentType).toBe("application/json");
    expect(unwrappedBy(byteOrderMark(), payload, { contentType: "text/plain; charset=utf-7" }).contentType).toBe(
      "text/plain",
    );
  });

  it.each([
    ["no mark", "7b7d", "DecodeFailed"],
    ["half a unit", "fffe7b", "DecodeFailed"],
    ["half a surrogate pair", "fffe00d8", "DecodeFailed"],
    ["part of a UTF-32 character", "fffe0000 7b0000", "TruncatedPayload"],
    ["a surrogate in UTF-32", "fffe0000 00d80000", "DecodeFailed"],
    ["a code point beyond Unicode", "fffe0000 00001100", "DecodeFailed"],
  ])("is refused with %s", (_, bytes, code) => {
    expect(errorOf(() => unwrappedBy(byteOrderMark(), hex(bytes))).code).toBe(code);
  });
});

describe("text and gzip of the vectors", () => {
  // XML without a type is text, and which of the JSON in text and NBFX is meant is for other tests.
  const readable = vectors("open").filter(
    ({ family, id, expected }) => family === "text" && expected !== undefined && !/xml|nbfx/.test(id),
  );

  it.each(readable)("are read: $id", (vector) => {
    const raw = vector.id === "text-rawdeflate-json";
    const contentType = raw ? "application/x-deflate" : (vector.legacyContentType ?? undefined);

    const result = read(vectorBytes("open", vector), contentType, { rawDeflate: raw });

    const expected: unknown = JSON.parse(readFileSync(`${legacyVectors}/open/${vector.expected}`, "utf8"));
    expect(bodyOf(result)).toEqual(expected);
  });

  it.each(vectors("malformed").filter(({ family }) => family === "gzip"))(
    "are refused when malformed: $id",
    (vector) => {
      const payload = vectorBytes("malformed", vector);

      expect(read(payload).ok).toBe(false);
    },
  );
});
