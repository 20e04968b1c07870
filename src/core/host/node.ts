import * as web from "./web.ts";

// The one door to what Node has and browsers have not. Bundles for browsers have web.ts in place of this module, by the field
// "browser" of package.json; a platform without Node's globals gets the same functions.

/** The globals of Node that are used; declared here, since this compiles without Node's types, too. */
interface NodeGlobals {
  readonly Buffer?: { allocUnsafeSlow?(size: number): Uint8Array<ArrayBuffer>; readonly prototype: BufferMethods };
  readonly process?: {
    getBuiltinModule?(name: "node:async_hooks"): { readonly AsyncLocalStorage: new () => web.AsyncScope } | undefined;
    emitWarning?(message: string, options: { readonly type: string; readonly code: string }): void;
  };
}

/**
 * The functions behind `toString` and `write` of Node's Buffer, which it does not document: they need half the time of
 * TextDecoder and TextEncoder, a fifth of that of `atob`, and the argument checks of the documented ones cost as much as a
 * short text. They give strings of one byte a character where they can, which everything reads faster.
 */
interface BufferMethods {
  readonly utf8Slice?: web.SliceText;
  readonly latin1Slice?: web.SliceText;
  readonly hexSlice?: web.SliceText;
  readonly utf8Write?: web.WriteText;
  readonly base64Write?: web.WriteText;
}

const globals: object = globalThis;
const { Buffer: buffer, process }: NodeGlobals = isNode(globals) ? globals : {};
const { utf8Slice, latin1Slice, hexSlice, utf8Write, base64Write }: BufferMethods = buffer?.prototype ?? {};

function isNode(platform: object): platform is NodeGlobals {
  return "Buffer" in platform || "process" in platform;
}

/** {@link web.readUtf8}, with Node's own means where there are any. @throws TypeError for bytes that are not UTF-8. */
export const readUtf8: (bytes: Uint8Array) => string = utf8Slice === undefined ? web.readUtf8 : strictly(utf8Slice);

function strictly(slice: web.SliceText): (bytes: Uint8Array) => string {
  return (bytes) => {
    const text = slice.call(bytes, 0, bytes.length);
    // Invalid UTF-8 became U+FFFD.
    if (text.includes("\ufffd")) return web.readUtf8(bytes);
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  };
}

/** {@link web.encodeUtf8}, with Node's own means where there are any. */
export const encodeUtf8: (text: string) => Uint8Array = utf8Write === undefined ? web.encodeUtf8 : inSlabs(utf8Write);

/** Bytes of a slab; small payloads share one, because a separate buffer costs more than writing the text. */
const slabSize = 64 * 1024;
/** Longer texts get their own buffer, so that a long-lived payload keeps little else alive. */
const maxSharedLength = 2048;

function inSlabs(write: web.WriteText): (text: string) => Uint8Array {
  let slab = new Uint8Array(0);
  let used = 0;
  return (text) => {
    if (text.length > maxSharedLength) return web.encodeUtf8(text);
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    if (3 * text.length > slab.length - used) {
      slab = new Uint8Array(slabSize);
      used = 0;
    }
    const start = used;
    used += write.call(slab, text, start, slab.length - start);
    return slab.subarray(start, used);
  };
}

/** {@link web.writeUtf8}, with Node's own means where there are any. */
export const writeUtf8: web.WriteText = utf8Write ?? web.writeUtf8;

/** {@link web.sliceUtf8}, with Node's own means where there are any. */
export const sliceUtf8: web.SliceText = utf8Slice ?? web.sliceUtf8;

/** {@link web.sliceLatin1}, with Node's own means where there are any. */
export const sliceLatin1: web.SliceText = latin1Slice ?? web.sliceLatin1;

/** {@link web.sliceHex}, with Node's own means where there are any. */
export const sliceHex: web.SliceText = hexSlice ?? web.sliceHex;

/** {@link web.fromBase64}, with Node's own means where there are any. Throws a DOMException for invalid text. */
export const fromBase64: (text: string) => Uint8Array =
  base64Write === undefined ? web.fromBase64 : byWriting(base64Write);

const foreign = /[^A-Za-z\d+/=]/;

function byWriting(write: web.WriteText): (text: string) => Uint8Array {
  return (text) => {
    // Node skips other characters, and reads those beyond U+00FF by their lower half.
    if (text.length % 4 !== 0 || foreign.test(text)) return web.fromBase64(text);
    const size = (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
    const bytes = new Uint8Array(size);
    return write.call(bytes, text, 0, size) === size ? bytes : web.fromBase64(text);
  };
}

/** {@link web.unclearedBytes}, with Node's own means where there are any. */
export function unclearedBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer?.allocUnsafeSlow?.(size);
  // A plain view: a Buffer's own methods differ from those of a Uint8Array.
  return bytes === undefined ? web.unclearedBytes(size) : new Uint8Array(bytes.buffer, bytes.byteOffset, size);
}

/** {@link web.createAsyncScope}, on Node an `AsyncLocalStorage`. */
export function createAsyncScope(): web.AsyncScope {
  const hooks = process?.getBuiltinModule?.("node:async_hooks");
  return hooks === undefined ? web.createAsyncScope() : new hooks.AsyncLocalStorage();
}

/** {@link web.emitWarning}, on Node a `SobreWarning` of the process. */
export function emitWarning(message: string, code: string): void {
  process?.emitWarning?.(message, { type: "SobreWarning", code });
}
