import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { integerIn } from "../data-contract/scalar-text.ts";
import { dateTimeBits, setDecimal } from "./record-writer.ts";
import { record } from "./records.ts";
import { longOf } from "./write-scalar.ts";

/** How values of one type are written in an array. */
interface ItemForm<T> {
  /** Converts a value to the one to write; `undefined` if it is not of the type. */
  readonly read: (value: unknown) => T | undefined;
  readonly set: (view: DataView, at: number, value: T) => void;
}

/** A form that hides the type of its values, so that forms of all types fit into one list. */
export type ArrayWriter = (
  values: readonly unknown[],
  write: (type: number, width: number, set: (view: DataView, at: number, index: number) => void) => void,
) => boolean;

/** `type` is the record of one value, and `width` its bytes; an array uses the next record type. */
function form<T>(type: number, width: number, { read, set }: ItemForm<T>): ArrayWriter {
  return (values, write) => {
    const items = values.map(read).filter((value) => value !== undefined);
    if (items.length < values.length) return false;
    write(type + 1, width, (view, at, index) => {
      const item = items[index];
      if (item !== undefined) set(view, at, item);
    });
    return true;
  };
}

const boolean = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const int = (value: unknown): number | undefined => (typeof value === "number" ? integerIn(value, "int") : undefined);

/** The types of XmlDictionaryWriter.WriteArray, which DataContractSerializer calls for arrays of them. */
export const arrayWriters: ReadonlyMap<ScalarKind, ArrayWriter> = new Map<ScalarKind, ArrayWriter>([
  ["boolean", form(record.boolText, 1, { read: boolean, set: (view, at, value) => view.setUint8(at, value ? 1 : 0) })],
  ["int", form(record.int32Text, 4, { read: int, set: (view, at, value) => view.setInt32(at, value, true) })],
  [
    "long",
    form(record.int64Text, 8, {
      read: (value) => longOf(value),
      set: (view, at, value) => view.setBigInt64(at, value, true),
    }),
  ],
  ["float", form(record.floatText, 4, { read: number, set: (view, at, value) => view.setFloat32(at, value, true) })],
  ["double", form(record.doubleText, 8, { read: number, set: (view, at, value) => view.setFloat64(at, value, true) })],
  [
    "decimal",
    form(record.decimalText, 16, {
      read: (value) => (value instanceof Decimal ? value : undefined),
      set: (view, at, { text }) => setDecimal(view, at, text),
    }),
  ],
  [
    "dateTime",
    form(record.dateTimeText, 8, {
      read: (value) => (value instanceof DateTime ? value : undefined),
      set: (view, at, value) => view.setBigUint64(at, dateTimeBits(value), true),
    }),
  ],
]);
