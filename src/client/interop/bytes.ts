import { Buffer } from "node:buffer";
import { typed } from "../../core/values/typed-makers.ts";
import type { Typed } from "../../core/values/typed.ts";

/** The same bytes as a Buffer, which is what Node's clients recognise. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The same bytes as a plain Uint8Array: the methods of a Buffer differ. */
export function asBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The uuid of 16 bytes in network order. */
export function toUuid(bytes: Uint8Array): Typed<"uuid"> {
  const hex = asBuffer(bytes).toString("hex");
  return typed.uuid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"));
}

/** The 16 bytes of a uuid in network order. */
export function fromUuid({ value }: Typed<"uuid">): Buffer {
  return Buffer.from(value.replaceAll("-", ""), "hex");
}
