import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../../src/envelope/index.ts";
import { elementCode, putElement } from "./array-elements.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { nanBits } from "./nan-bits.ts";
import { checkDepth, inside, unsupported } from "./unsupported-value.ts";

/** Writes a whole value: descriptors, and elements that hold others. */
type WriteWhole = (item: unknown) => void;

/** Writes an array (AMQP 1.0 part 1.6.24): one constructor, then the bare elements. */
export function writeArray(writer: ByteWriter, array: TypedValues["array"], write: WriteWhole): void {
  const mark = writer.open();
  writeElements(writer, array, write, 0);
  writer.close(mark, 0xe0, array.values.length);
}

/** Writes the constructor and the elements; `layer` descriptors came before. */
function writeElements(
  writer: ByteWriter,
  { elementType, descriptor, values }: TypedValues["array"],
  write: WriteWhole,
  layer: number,
): void {
  checkDepth(layer);
  if (descriptor !== undefined) {
    writer.byte(0x00);
    write(descriptor);
  }
  if (elementType === "described") {
    if (descriptor === undefined) throw unsupported("is an array of described elements and has no descriptor itself");
    return writeElements(writer, undescribed(writer, values, write), write, layer + 1);
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

/** The array of what the elements describe: all must have the one descriptor that its constructor can hold. */
function undescribed(writer: ByteWriter, elements: readonly AmqpValue[], write: WriteWhole): TypedValues["array"] {
  const values: AmqpValue[] = [];
  let descriptor: AmqpValue | undefined;
  let shared: string | undefined;
  for (const [index, element] of elements.entries()) {
    const described = describedOf(element);
    const bytes = described === undefined ? undefined : bytesOf(writer, described.descriptor, write);
    shared ??= bytes;
    if (described === undefined || bytes !== shared) {
      throw inside(unsupported("is not described as the array's other elements are"), `[${index}]`);
    }
    descriptor ??= described.descriptor;
    values.push(described.value);
  }
  const [first] = values;
  if (first === undefined || descriptor === undefined) {
    throw unsupported("is an array of described elements without an element that shows the descriptor");
  }
  return { elementType: typeOf(first), descriptor, values };
}

function describedOf(element: AmqpValue): TypedValues["described"] | undefined {
  if (!(element instanceof Typed) || element.type !== "described") return undefined;
  const { value } = element;
  return typeof value === "object" && "descriptor" in value && "value" in value ? value : undefined;
}

/** The encoding of a value, of which nothing stays in the writer. */
function bytesOf(writer: ByteWriter, value: AmqpValue, write: WriteWhole): string {
  const mark = writer.mark();
  write(value);
  const bytes = writer.bytes.toString("latin1", writer.start + mark, writer.at);
  writer.at = writer.start + mark;
  return bytes;
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
