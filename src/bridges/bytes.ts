import { Buffer } from "node:buffer";

/** The same bytes as a Buffer, which is what Node's clients recognise. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The same bytes as a plain Uint8Array: the methods of a Buffer differ. */
export function asBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
