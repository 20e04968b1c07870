import { type AmqpValue, Typed, type TypedValues } from "../values/typed.ts";
import type { ByteReader } from "./byte-reader.ts";
import { formatCodes } from "./format-code.ts";
import { nanBits } from "./nan-bits.ts";

/** Reads the rest of a value whose format code has been read. */
type ReadAs = (reader: ByteReader, code: number, depth: number) => AmqpValue;

/**
 * Reads the size, count, constructor and elements of an array (AMQP 1.0 part 1.6.24).
 *
 * The first descriptor is the array's. After it the constructor may have more: the elements are described values then,
 * of the element type `described`.
 */
export function readArray(reader: ByteReader, width: 1 | 4, depth: number, read: ReadAs): TypedValues["array"] {
  reader.checkDepth(depth + 1);
  const outer = reader.end;
  const count = reader.enter(width);
  const descriptors: AmqpValue[] = [];
  let code = reader.code();
  let shared = 0;
  for (; code === 0x00; code = reader.code()) {
    const { at, left } = reader;
    descriptors.push(read(reader, reader.code(), depth + 1));
    reader.checkDepth(depth + descriptors.length);
    if (descriptors.length > 1) shared += left - reader.left + ((reader.at - at) >>> 6);
  }
  const format = formatCodes.get(code);
  if (format === undefined) throw reader.fault("A format code is not defined by AMQP 1.0", reader.at - 1);
  checkCount(reader, count, Math.abs(format.width));
  const [descriptor, ...inner] = descriptors;
  if (count === 0 && inner.length > 0) {
    throw reader.fault(
      "An array without elements has more than one descriptor, which no value can represent",
      reader.at,
    );
  }
  const values: AmqpValue[] = [];
  const repeated = Math.max(0, count - 1) * shared;
  checkRepeated(reader, repeated);
  reader.spend(count + repeated);
  for (let left = count; left > 0; left--) {
    const element = read(reader, code, depth + 1 + inner.length);
    values.push(inner.length === 0 ? bare(element) : inner.reduceRight(describe, element));
  }
  reader.leave(outer);
  Object.freeze(values);
  const elementType = inner.length === 0 ? format.type : "described";
  return Object.freeze(descriptor === undefined ? { elementType, values } : { elementType, descriptor, values });
}

function describe(value: AmqpValue, descriptor: AmqpValue): Typed<"described"> {
  return new Typed("described", Object.freeze({ descriptor, value }));
}

/** Elements carry no type of their own: the array has it. A NaN that remembers its bytes stays typed. */
function bare(value: AmqpValue): AmqpValue {
  if (!(value instanceof Typed)) return value;
  const { value: content } = value;
  if (typeof content === "object" && !(content instanceof Uint8Array)) return value;
  return nanBits(value) === undefined ? content : value;
}

/** Every element shows the inner descriptors again: nested ones would let a few bytes stand for any number of values. */
function checkRepeated(reader: ByteReader, repeated: number): void {
  if (repeated <= reader.settings.maxZeroWidth + 4 * reader.bytes.byteLength) return;
  const what = `The elements of an array repeat ${repeated} values of its inner descriptors, far more than there are bytes`;
  throw reader.fault(what, reader.at, "LimitExceeded");
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
