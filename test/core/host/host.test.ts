import { AsyncLocalStorage } from "node:async_hooks";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as node from "../../../src/core/host/node.ts";
import * as web from "../../../src/core/host/web.ts";
import { toBase64 } from "../../../src/core/values/base64.ts";

const outcome = (read: (bytes: Uint8Array) => string, bytes: Uint8Array): unknown => {
  try {
    return read(bytes);
  } catch (error) {
    return error instanceof TypeError;
  }
};
/** Texts with lone surrogates, marks, replacement characters and all else. */
const anyString = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "é", "\ufeff", "\ufffd", "\ud800", "\udc00", "€", "😀", "\0"),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  ),
  maxLength: 40,
});

describe("UTF-8 with Node's own means", () => {
  it("reads the text that every platform reads, and refuses what it refuses", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      anyString.map((value) => new TextEncoder().encode(value)),
      fc.tuple(anyString, fc.nat(40)).map(([value, cut]) => new TextEncoder().encode(value).subarray(0, cut)),
    );

    fc.assert(
      fc.property(bytes, (value) => {
        expect(outcome(node.readUtf8, value)).toBe(outcome(web.readUtf8, value));
      }),
      { numRuns: 2000 },
    );
  });

  it("writes the bytes that every platform writes", () => {
    fc.assert(
      fc.property(anyString, (value) => {
        expect(node.encodeUtf8(value)).toEqual(web.encodeUtf8(value));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, 1, 2047, 2048, 2049, 70_000])("writes %i characters, and lets none of them be overwritten", (length) => {
    const value = "€".repeat(length);

    const first = node.encodeUtf8(value);
    for (let index = 0; index < 100; index++) node.encodeUtf8("x".repeat(2000));

    expect(first).toEqual(web.encodeUtf8(value));
    expect(first.constructor).toBe(Uint8Array);
    expect(node.readUtf8(first)).toBe(value);
  });
});

/** The bytes of a text, or that it is refused. */
function decoded(read: (text: string) => Uint8Array, text: string): string {
  try {
    return read(text).join();
  } catch (error) {
    return error instanceof DOMException ? "refused" : "failed otherwise";
  }
}

describe("base64 by Node's means", () => {
  it("gives the bytes of the platform's own means, whatever their number", () => {
    for (let length = 0; length < 70; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 0xff);

      expect(node.fromBase64(toBase64(bytes))).toEqual(bytes);
    }
  });

  it.each([
    "A",
    "A=",
    "A==",
    "A===",
    "====",
    "AQI",
    "AQ",
    "AQ==",
    "AR==",
    "AQ=A",
    "AQ==AQID",
    "AQIDA===",
    "AQ ID",
    "AQID\n",
    " AQI=\t",
    "AQ-_",
    "AQ_-AQID",
    "A*ID",
    "AQI\u{144}",
    "AQI\u{2044}",
    "AQ\0D",
  ])("reads or refuses %j as the platform's own means do", (text) => {
    expect(decoded(node.fromBase64, text)).toBe(decoded(web.fromBase64, text));
  });
});

describe("a part of bytes as text", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    anyString.map((value) => new TextEncoder().encode(value)),
  );

  it.each([
    ["UTF-8", node.sliceUtf8, web.sliceUtf8],
    ["Latin-1", node.sliceLatin1, web.sliceLatin1],
    ["hexadecimal digits", node.sliceHex, web.sliceHex],
  ])("is the same on every platform: %s", (_name, own, other) => {
    fc.assert(
      fc.property(bytes, fc.nat(10), fc.nat(40), (value, start, length) => {
        const from = Math.min(start, value.length);
        const to = Math.min(from + length, value.length);

        expect(own.call(value, from, to)).toBe(other.call(value, from, to));
      }),
      { numRuns: 1000 },
    );
  });

  it("is written the same on every platform, in whole characters", () => {
    fc.assert(
      fc.property(anyString, fc.nat(5), fc.nat(60), (value, offset, length) => {
        const [own, other] = [new Uint8Array(70), new Uint8Array(70)];

        const sizes = [
          node.writeUtf8.call(own, value, offset, length),
          web.writeUtf8.call(other, value, offset, length),
        ];

        expect(sizes[0]).toBe(sizes[1]);
        expect(own).toEqual(other);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("bytes that are not cleared", () => {
  it.each([0, 1, 100, 5000, 70_000])("are %i bytes in a buffer of their own", (size) => {
    for (const { unclearedBytes } of [node, web]) {
      const bytes = unclearedBytes(size);

      expect(bytes).toHaveLength(size);
      expect(bytes.byteOffset).toBe(0);
      expect(bytes.buffer.byteLength).toBe(size);
      expect(bytes.constructor).toBe(Uint8Array);
    }
  });
});

describe("a scope", () => {
  it("is known after an await on Node", async () => {
    const scope = node.createAsyncScope();
    const loop = {};

    const seen = await scope.run(loop, async () => {
      await Promise.resolve();
      return scope.getStore();
    });

    expect(scope).toBeInstanceOf(AsyncLocalStorage);
    expect(seen).toBe(loop);
    expect(scope.getStore()).toBeUndefined();
  });

  it("runs its body in browsers, and knows nothing", () => {
    const scope = web.createAsyncScope();

    expect(scope.run({}, () => scope.getStore() ?? "nothing")).toBe("nothing");
  });
});

describe("a platform without Node's globals", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("has the functions of browsers", async () => {
    vi.stubGlobal("Buffer", undefined);
    const { process } = globalThis;
    vi.stubGlobal("process", undefined);
    const address = `${new URL("../../../src/core/host/node.ts", import.meta.url).href}?without-globals`;
    const host: typeof node = await import(address).finally(() => vi.stubGlobal("process", process));

    const { createAsyncScope, emitWarning, unclearedBytes, ...functions } = host;
    expect(web).toMatchObject(functions);
    expect(unclearedBytes(3)).toEqual(new Uint8Array(3));
    expect(createAsyncScope().getStore()).toBeUndefined();
    expect(emitWarning("gone", "GeneralError")).toBeUndefined();
    expect(host.readUtf8(host.encodeUtf8("año"))).toBe("año");
    expect(() => host.readUtf8(Uint8Array.of(0xff))).toThrow(TypeError);
    expect(host.fromBase64("AQI=")).toEqual(Uint8Array.of(1, 2));
  });
});
