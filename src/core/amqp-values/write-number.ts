import type { ByteWriter } from "./byte-writer.ts";

/** Which AMQP type a JavaScript number stands for: native to .NET, Java and Python, or as the official JavaScript client has it. */
export type Profile = "azure" | "azure-js";

/** Writes a number as the type that the profile gives it; what no integer type holds exactly is a double. */
export function writeNumber(writer: ByteWriter, value: number, profile: Profile): void {
  if (profile === "azure-js") return writeAsOfficialClient(writer, value);
  if (value === (value | 0) && !Object.is(value, -0)) return writeInt(writer, value);
  if (Number.isSafeInteger(value) && value !== 0) return writer.codeInteger(0x81, value);
  writer.codeDouble(0x82, value);
}

/**
 * The choice of `rhea`, on which `@azure/service-bus` runs: positive integers are unsigned.
 *
 * Where it would change the value (NaN, -0, more than 64 bits) this writes a double.
 */
function writeAsOfficialClient(writer: ByteWriter, value: number): void {
  if (!Number.isInteger(value) || Object.is(value, -0)) return writer.codeDouble(0x82, value);
  if (value > 0) {
    if (value < 2 ** 32) return writeUint(writer, value);
    if (value < 2 ** 64) return writer.code64(0x80, BigInt(value));
  } else {
    if (value > -(2 ** 31 - 1)) return writeInt(writer, value);
    if (value >= -(2 ** 63)) return writer.code64(0x81, BigInt(value));
  }
  writer.codeDouble(0x82, value);
}

/** Writes an int in its smallest form. */
export function writeInt(writer: ByteWriter, value: number): void {
  if (value >= -0x80 && value <= 0x7f) writer.code8(0x54, value);
  else writer.code32(0x71, value);
}

/** Writes a uint in its smallest form. */
export function writeUint(writer: ByteWriter, value: number): void {
  if (value === 0) writer.byte(0x43);
  else if (value <= 0xff) writer.code8(0x52, value);
  else writer.code32(0x70, value);
}
