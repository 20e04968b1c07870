import { jsonKind, type JsonTape } from "./json-tape.ts";

/**
 * The items of a Queue or Stack in order, or `undefined`. DataContractJsonSerializer writes their private fields: an array
 * with spare capacity, the number of items and, for a queue, the index of the first.
 */
export function queuedItems(tape: JsonTape, object: number): readonly number[] | undefined {
  const array = tape.member(object, "_array");
  const size = integer(tape, tape.member(object, "_size"));
  if (array === undefined || size === undefined || tape.kind(array) !== jsonKind.list) return undefined;
  const items: number[] = [];
  for (let item = array + 1; item < tape.end(array); item = tape.next(item)) items.push(item);
  if (size > items.length) return undefined;
  const first = tape.member(object, "_head");
  // The top of a stack, which enumerates first, is last in its array.
  if (first === undefined) return items.slice(0, size).reverse();
  const head = integer(tape, first);
  return head === undefined ? undefined : [...items.slice(head), ...items.slice(0, head)].slice(0, size);
}

function integer(tape: JsonTape, value: number | undefined): number | undefined {
  const text = value === undefined || tape.kind(value) !== jsonKind.integer ? "" : tape.written(value);
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
