import { type AmqpValue, Typed, type TypedValues } from "../../src/envelope/index.ts";
import type { ByteReader } from "./byte-reader.ts";
import { formatCodes } from "./format-code.ts";
import { nanBits } from "./nan-bits.ts";

/** Reads the rest of a value whose format code has been read. */
type ReadAs = (reader: ByteReader, code: number, depth: number) => AmqpValue;

/** Reads the size, count, constructor and elements of an array (AMQP 1.0 part 1.6.24). */
export function readArray(reader: ByteReader, width: 1 | 4, depth: number, read: ReadAs): TypedValues["array"] {
  reader.checkDepth(depth + 1);
  const outer = reader.end;
  const count = reader.enter(width);
  let code = reader.code();
  let descriptor: AmqpValue | undefined;
  if (code === 0x00) {
    descriptor = read(reader, reader.code(), depth + 1);
    code = reader.code();
    if (code === 0x00)
      throw reader.fault("An array has elements with two descriptors, which is not supported", reader.at - 1);
  }
  const format = formatCodes.get(code);
  if (format === undefined) throw reader.fault("A format code is none of AMQP 1.0", reader.at - 1);
  checkCount(reader, count, Math.abs(format.width));
  const values: AmqpValue[] = [];
  reader.spend(count);
  for (let left = count; left > 0; left--) values.push(bare(read(reader, code, depth + 1)));
  reader.leave(outer);
  Object.freeze(values);
  const elementType = format.type;
  return Object.freeze(descriptor === undefined ? { elementType, values } : { elementType, descriptor, values });
}

/** Elements carry no type of their own: the array has it. A NaN that remembers its bytes stays typed. */
function bare(value: AmqpValue): AmqpValue {
  if (!(value instanceof Typed)) return value;
  const { value: content } = value;
  if (typeof content === "object" && !(content instanceof Uint8Array)) return value;
  return nanBits(value) === undefined ? content : value;
}

function checkCount(reader: ByteReader, count: number, width: number): void {
  const left = reader.end - reader.at;
  if (width === 0) {
    if (count <= reader.settings.maxZeroWidth) return;
    throw reader.fault(
      `An array has ${count} elements without bytes; ${reader.settings.maxZeroWidth} are allowed (maxZeroWidth)`,
      reader.at,
      "LimitExceeded",
    );
  }
  if (count > left / width) throw reader.cut(`An array claims ${count} elements in ${left} bytes`, reader.at);
}
