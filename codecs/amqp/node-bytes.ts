/** What is used of Node's `Buffer` under its own name, so that the declarations compile without Node's types. */
export interface NodeBytes extends Uint8Array {
  toString(encoding?: "hex" | "latin1" | "utf8", start?: number, end?: number): string;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset: number, length: number, encoding: "latin1" | "utf8"): number;
  readUInt32BE(offset: number): number;
}

type WriteUtf8 = (this: NodeBytes, text: string, offset: number, length: number) => number;

/** What `write` and `toString` come to after their checks of arguments, which cost as much as a short text. */
const direct: unknown = Reflect.get(Buffer.prototype, "utf8Write");

/** Writes UTF-8 text of at most `length` bytes at `offset`, and gives the number of bytes. */
export const writeUtf8: WriteUtf8 = isWriteUtf8(direct)
  ? direct
  : function viaWrite(this: NodeBytes, text: string, offset: number, length: number): number {
      return this.write(text, offset, length, "utf8");
    };

function isWriteUtf8(method: unknown): method is WriteUtf8 {
  return typeof method === "function";
}
