import { type AmqpValue, Typed, type TypedValues } from "../../src/envelope/index.ts";
import { elementCode, putElement } from "./array-elements.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { nanBits } from "./nan-bits.ts";
import { inside } from "./unsupported-value.ts";

/**
 * Writes an array (AMQP 1.0 part 1.6.24): one constructor, then the bare elements.
 *
 * @param write Writes a whole value: the descriptor, and elements that hold others.
 */
export function writeArray(
  writer: ByteWriter,
  { elementType, descriptor, values }: TypedValues["array"],
  write: (item: unknown) => void,
): void {
  const mark = writer.open();
  if (descriptor !== undefined) {
    writer.byte(0x00);
    write(descriptor);
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
  writer.close(mark, 0xe0, items.length);
}

/** Elements may be given typed or bare; a NaN that remembers its bytes and arrays stay typed. */
function bareItem(item: AmqpValue, elementType: string): unknown {
  if (!(item instanceof Typed) || item.type !== elementType || elementType === "array") return item;
  return nanBits(item) === undefined ? item.value : item;
}
