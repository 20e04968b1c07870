/** Knows which of several loops the running code was started from, even after an await. */
export interface AsyncScope {
  run<T>(store: object, body: () => T): T;
  /** The object that `run` was given, or `undefined` outside. */
  getStore(): unknown;
}

/** Reads a part of bytes as text. */
export type SliceText = (this: Uint8Array, start: number, end: number) => string;

/** Writes text of at most `length` bytes at `offset`, and gives the number of bytes. */
export type WriteText = (this: Uint8Array, text: string, offset: number, length: number) => number;

const decoder = new TextDecoder("utf-8", { fatal: true });
const looseDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of UTF-8 bytes, without a mark. @throws TypeError for bytes that are not UTF-8. */
export const readUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Writes UTF-8 in whole characters. */
export const writeUtf8: WriteText = function writeUtf8(text, offset, length) {
  return encoder.encodeInto(text, this.subarray(offset, offset + length)).written;
};

/** The UTF-8 text from `start` to `end`; bytes that are not UTF-8 become U+FFFD. */
export const sliceUtf8: SliceText = function sliceUtf8(start, end) {
  return looseDecoder.decode(this.subarray(start, end));
};

/** The text of one byte per character from `start` to `end`. */
export const sliceLatin1: SliceText = function sliceLatin1(start, end) {
  return Array.from(this.subarray(start, end), (byte) => String.fromCharCode(byte)).join("");
};

/** The hexadecimal digits of the bytes from `start` to `end`. */
export const sliceHex: SliceText = function sliceHex(start, end) {
  return Array.from(this.subarray(start, end), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** The bytes of a base64 text (RFC 4648 section 4); throws a DOMException when it is invalid. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // A loop is ten times as fast as Uint8Array.from.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Bytes of a buffer of their own, which may hold anything: clearing them costs more than to write small messages. */
export const unclearedBytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(size);

/** A new scope; browsers have none, so that every call seems to come from outside. */
export const createAsyncScope = (): AsyncScope => ({ run: (_store, body) => body(), getStore: () => undefined });

/** Prints a warning of the library where nobody listens; browsers print none. */
export const emitWarning = (_message: string, _code: string): void => undefined;
