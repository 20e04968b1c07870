/** The parts of Node's `Buffer` that are used, declared so that the declarations compile without Node's types. */
export interface NodeBytes extends Uint8Array {
  toString(encoding?: "hex" | "latin1" | "utf8", start?: number, end?: number): string;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset: number, length: number, encoding: "latin1" | "utf8"): number;
  readUInt32BE(offset: number): number;
}

type WriteUtf8 = (this: NodeBytes, text: string, offset: number, length: number) => number;
type ReadLatin1 = (this: NodeBytes, start: number, end: number) => string;

// The functions behind `write` and `toString`: their argument checks cost as much as a short text.
const directWrite: unknown = Reflect.get(Buffer.prototype, "utf8Write");
const directRead: unknown = Reflect.get(Buffer.prototype, "latin1Slice");

/** Writes UTF-8 text of at most `length` bytes at `offset`, and gives the number of bytes. */
export const writeUtf8: WriteUtf8 = isWriteUtf8(directWrite)
  ? directWrite
  : function viaWrite(this: NodeBytes, text: string, offset: number, length: number): number {
      return this.write(text, offset, length, "utf8");
    };

/** The text of one byte per character from `start` to `end`. */
export const readLatin1: ReadLatin1 = isReadLatin1(directRead)
  ? directRead
  : function viaToString(this: NodeBytes, start: number, end: number): string {
      return this.toString("latin1", start, end);
    };

function isWriteUtf8(method: unknown): method is WriteUtf8 {
  return typeof method === "function";
}

function isReadLatin1(method: unknown): method is ReadLatin1 {
  return typeof method === "function";
}
