import * as portable from "./utf8.ts";

// Bundles for browsers have the portable module in place of this one, by the field "browser" of package.json.
const buffer: object = Object(Reflect.get(Object(Reflect.get(globalThis, "Buffer")), "prototype"));
// The functions behind `toString` and `write` of Node's Buffer: they need half the time of TextDecoder and TextEncoder, and give
// strings of one byte a character where they can, which everything reads faster.
const slice: unknown = Reflect.get(buffer, "utf8Slice");
const write: unknown = Reflect.get(buffer, "utf8Write");

/** {@link portable.readUtf8}, with Node's own means where there are any. @throws TypeError for bytes that are not UTF-8. */
export const readUtf8: (bytes: Uint8Array) => string = isSlice(slice)
  ? (bytes) => {
      const text = slice.call(bytes, 0, bytes.length);
      // Invalid UTF-8 became U+FFFD.
      if (text.includes("\ufffd")) return portable.readUtf8(bytes);
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    }
  : portable.readUtf8;

/** {@link portable.encodeUtf8}, with Node's own means where there are any. */
export const encodeUtf8: (text: string) => Uint8Array = isWrite(write) ? inSlabs(write) : portable.encodeUtf8;

/** Bytes of a slab; small payloads share one, because a separate buffer costs more than writing the text. */
const slabSize = 64 * 1024;
/** Longer texts get their own buffer, so that a long-lived payload keeps little else alive. */
const longestShared = 2048;

function inSlabs(writeAt: Write): (text: string) => Uint8Array {
  let slab = new Uint8Array(0);
  let used = 0;
  return (text) => {
    if (text.length > longestShared) return portable.encodeUtf8(text);
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    if (3 * text.length > slab.length - used) {
      slab = new Uint8Array(slabSize);
      used = 0;
    }
    const start = used;
    used += writeAt.call(slab, text, start, slab.length - start);
    return slab.subarray(start, used);
  };
}

type Write = (this: Uint8Array, text: string, at: number, most: number) => number;

function isSlice(method: unknown): method is (this: Uint8Array, start: number, end: number) => string {
  return typeof method === "function";
}

function isWrite(method: unknown): method is Write {
  return typeof method === "function";
}
