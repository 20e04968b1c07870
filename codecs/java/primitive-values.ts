import { primitiveSizes } from "./cursor.ts";
import type { PrimitiveArrayNode } from "./nodes.ts";
import { charOf } from "./scalars.ts";

/** The value of an array of primitives: a view of its bytes, or a list. */
export function primitivesOf({ code, length, bytes }: PrimitiveArrayNode): Uint8Array | readonly unknown[] {
  if (code === "B") return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = primitiveSizes[code];
  const read = (each: (at: number) => unknown): readonly unknown[] => {
    const values: unknown[] = [];
    for (let at = 0; at < length * size; at += size) values.push(each(at));
    return values;
  };
  switch (code) {
    case "C":
      return read((at) => charOf(String.fromCharCode(view.getUint16(at))));
    case "D":
      return read((at) => view.getFloat64(at));
    case "F":
      return read((at) => view.getFloat32(at));
    case "I":
      return read((at) => view.getInt32(at));
    case "J":
      return read((at) => view.getBigInt64(at));
    case "S":
      return read((at) => view.getInt16(at));
    case "Z":
      return read((at) => view.getUint8(at) !== 0);
    default:
      return code satisfies never;
  }
}
