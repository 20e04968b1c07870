/** The parts of Node's `Buffer` that are used, declared so that the declarations compile without Node's types. */
export interface NodeBytes extends Uint8Array {
  toString(encoding?: "hex" | "latin1" | "utf8", start?: number, end?: number): string;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset: number, length: number, encoding: "latin1" | "utf8"): number;
  readUInt32BE(offset: number): number;
}

type WriteUtf8 = (this: NodeBytes, text: string, offset: number, length: number) => number;
type ReadText = (this: Uint8Array, start: number, end: number) => string;

// The functions behind `write` and `toString`: their argument checks cost as much as a short text, and a Buffer even more.
const directWrite: unknown = Reflect.get(Buffer.prototype, "utf8Write");

/** Writes UTF-8 text of at most `length` bytes at `offset`, and gives the number of bytes. */
export const writeUtf8: WriteUtf8 = isWrite(directWrite)
  ? directWrite
  : function viaWrite(this: NodeBytes, text: string, offset: number, length: number): number {
      return this.write(text, offset, length, "utf8");
    };

/** The text of one byte per character from `start` to `end`. */
export const readLatin1: ReadText = reading("latin1");

/** The UTF-8 text from `start` to `end`; bytes that are not UTF-8 become U+FFFD. */
export const readUtf8: ReadText = reading("utf8");

/** The hexadecimal digits of the bytes from `start` to `end`. */
export const readHex: ReadText = reading("hex");

function reading(encoding: "hex" | "latin1" | "utf8"): ReadText {
  const direct: unknown = Reflect.get(Buffer.prototype, `${encoding}Slice`);
  if (isRead(direct)) return direct;
  return function viaToString(start, end) {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(encoding, start, end);
  };
}

function isWrite(method: unknown): method is WriteUtf8 {
  return typeof method === "function";
}

function isRead(method: unknown): method is ReadText {
  return typeof method === "function";
}
