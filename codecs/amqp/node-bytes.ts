/** What is used of Node's `Buffer` under its own name, so that the declarations compile without Node's types. */
export interface NodeBytes extends Uint8Array {
  toString(encoding?: "hex" | "latin1" | "utf8", start?: number, end?: number): string;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset: number, length: number, encoding: "latin1" | "utf8"): number;
  readUInt32BE(offset: number): number;
}
