import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../values/typed.ts";
import { elementCode, putElement } from "./array-elements.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { nanBits } from "./nan-bits.ts";
import { checkDepth, inside, unsupported } from "./unsupported-value.ts";

/** Writes a whole value: descriptors, and elements that hold others. */
type WriteWhole = (item: unknown) => void;

/** Writes an array (AMQP 1.0 part 1.6.24): one constructor, then the bare elements. */
export function writeArray(writer: ByteWriter, array: TypedValues["array"], write: WriteWhole): void {
  const mark = writer.open();
  const { elementType, descriptor, values } = array;
  if (descriptor !== undefined) {
    writer.byte(0x00);
    write(descriptor);
  } else if (elementType === "described") {
    throw unsupported("is an array of described elements and has no descriptor itself");
  }
  writeElements(writer, elementType, values, write, 0);
  writer.close(mark, 0xe0, values.length);
}

/** Writes the constructor behind `layer` + 1 descriptors, and the elements. */
function writeElements(
  writer: ByteWriter,
  elementType: string,
  values: readonly AmqpValue[],
  write: WriteWhole,
  layer: number,
): void {
  if (elementType === "described") {
    checkDepth(layer);
    const [first, ...others] = undescribed(writer, values, write);
    if (first === undefined) {
      throw unsupported("is an array of described elements without an element that shows the descriptor");
    }
    return writeElements(writer, typeOf(first), [first, ...others], write, layer + 1);
  }
  const items = values.map((item) => bareItem(item, elementType));
  const code = elementCode(elementType, items);
  writer.byte(code);
  let index = 0;
  try {
    for (; index < items.length; index++) putElement(writer, code, items[index], write);
  } catch (error) {
    throw inside(error, `[${index}]`);
  }
}

/** Writes the one descriptor of all elements into the constructor, and gives what they describe. */
function undescribed(writer: ByteWriter, elements: readonly AmqpValue[], write: WriteWhole): readonly AmqpValue[] {
  const values: AmqpValue[] = [];
  let shared: Shared | undefined;
  for (const [index, element] of elements.entries()) {
    const described = describedOf(element);
    if (described === undefined) throw inside(differs(), `[${index}]`);
    const { descriptor, value } = described;
    shared ??= writeShared(writer, descriptor, write);
    if (descriptor !== shared.descriptor && !isEncodedAs(writer, descriptor, shared, write)) {
      throw inside(differs(), `[${index}]`);
    }
    values.push(value);
  }
  return values;
}

/** The descriptor of all elements, and where its encoding lies behind the start of the writer. */
interface Shared {
  readonly descriptor: AmqpValue;
  readonly start: number;
  readonly end: number;
}

function writeShared(writer: ByteWriter, descriptor: AmqpValue, write: WriteWhole): Shared {
  writer.byte(0x00);
  const start = writer.mark();
  write(descriptor);
  return { descriptor, start, end: writer.mark() };
}

/** Whether a value has the encoding that was written; nothing of it stays in the writer. */
function isEncodedAs(writer: ByteWriter, value: AmqpValue, { start, end }: Shared, write: WriteWhole): boolean {
  const mark = writer.mark();
  write(value);
  let left = writer.mark() - mark === end - start ? end - start : -1;
  const { bytes, start: begin } = writer;
  while (left > 0 && bytes[begin + mark + left - 1] === bytes[begin + start + left - 1]) left--;
  writer.at = begin + mark;
  return left === 0;
}

function differs(): ReturnType<typeof unsupported> {
  return unsupported("is not described as the array's other elements are");
}

function describedOf(element: AmqpValue): TypedValues["described"] | undefined {
  if (!(element instanceof Typed) || element.type !== "described") return undefined;
  const { value } = element;
  return typeof value === "object" && "descriptor" in value && "value" in value ? value : undefined;
}

/** The AMQP type that a value stands for. */
function typeOf(value: AmqpValue): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return typeof value;
    case "bigint":
      return BigInt.asIntN(64, value) === value ? "long" : "ulong";
    case "number":
      if (Object.is(value, -0) || !Number.isSafeInteger(value)) return "double";
      return (value | 0) === value ? "int" : "long";
    default:
      if (value === null) return "null";
      if (value instanceof Typed) return value.type;
      if (value instanceof Date) return "timestamp";
      if (value instanceof Uint8Array) return "binary";
      return value instanceof AmqpMap ? "map" : "list";
  }
}

/** Elements may be given typed or bare; a NaN that remembers its bytes and arrays stay typed. */
function bareItem(item: AmqpValue, elementType: string): unknown {
  if (!(item instanceof Typed) || item.type !== elementType || elementType === "array") return item;
  return nanBits(item) === undefined ? item.value : item;
}
