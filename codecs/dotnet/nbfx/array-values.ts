import { DateTime } from "../../../src/values/date-time.ts";
import { Decimal } from "../../../src/values/decimal.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { integerIn, longIn } from "../data-contract/scalar-text.ts";
import { dateTimeBits, setDecimal } from "./record-writer.ts";
import { record } from "./records.ts";

/** How .NET writes the arrays that it writes in one record. */
interface ArrayForm<T> {
  /** Record type, with end element. */
  readonly type: number;
  /** Bytes of a value. */
  readonly width: number;
  /** The value as it is written, or `undefined` for what is none. */
  readonly read: (value: unknown) => T | undefined;
  readonly set: (view: DataView, at: number, value: T) => void;
}

/** A form with the type of its values closed in, so that forms of all types fit one list. */
export type ArrayWriter = (
  values: readonly unknown[],
  write: (type: number, width: number, set: (view: DataView, at: number, index: number) => void) => void,
) => boolean;

function form<T>({ type, width, read, set }: ArrayForm<T>): ArrayWriter {
  return (values, write) => {
    const read_ = values.map(read);
    const items = read_.filter((value) => value !== undefined);
    if (items.length < values.length) return false;
    write(type, width, (view, at, index) => {
      const item = items[index];
      if (item !== undefined) set(view, at, item);
    });
    return true;
  };
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** XmlDictionaryWriter.WriteArray has these types, and DataContractSerializer calls it for arrays of them. */
export const arrayWriters: ReadonlyMap<ScalarKind, ArrayWriter> = new Map<ScalarKind, ArrayWriter>([
  [
    "boolean",
    form({
      type: record.boolText + 1,
      width: 1,
      read: (value) => (typeof value === "boolean" ? value : undefined),
      set: (view, at, value) => view.setUint8(at, value ? 1 : 0),
    }),
  ],
  [
    "int",
    form({
      type: record.int32Text + 1,
      width: 4,
      read: (value) => (typeof value === "number" ? integerIn(value, "int") : undefined),
      set: (view, at, value) => view.setInt32(at, value, true),
    }),
  ],
  [
    "long",
    form({
      type: record.int64Text + 1,
      width: 8,
      read: (value) => {
        if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
        return typeof value === "bigint" ? longIn(value, "long") : undefined;
      },
      set: (view, at, value) => view.setBigInt64(at, value, true),
    }),
  ],
  [
    "float",
    form({
      type: record.floatText + 1,
      width: 4,
      read: number,
      set: (view, at, value) => view.setFloat32(at, value, true),
    }),
  ],
  [
    "double",
    form({
      type: record.doubleText + 1,
      width: 8,
      read: number,
      set: (view, at, value) => view.setFloat64(at, value, true),
    }),
  ],
  [
    "decimal",
    form({
      type: record.decimalText + 1,
      width: 16,
      read: (value) => (value instanceof Decimal ? value : undefined),
      set: (view, at, { text }) => setDecimal(view, at, text),
    }),
  ],
  [
    "dateTime",
    form({
      type: record.dateTimeText + 1,
      width: 8,
      read: (value) => (value instanceof DateTime ? value : undefined),
      set: (view, at, value) => view.setBigUint64(at, dateTimeBits(value), true),
    }),
  ],
]);
