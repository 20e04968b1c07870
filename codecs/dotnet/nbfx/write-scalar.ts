import { Typed } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { EnumValue } from "../../../src/core/values/enum-value.ts";
import { Uri, Version } from "../../../src/core/values/named-text.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { integerIn, longIn } from "../data-contract/scalar-text.ts";
import type { ContractEnumShape } from "../data-contract/shape.ts";
import type { RecordWriter } from "./record-writer.ts";

/**
 * Writes the content of a scalar.
 *
 * @throws SobreError `UnsupportedValue` with the path for a value that the type cannot hold.
 */
export function writeScalar(records: RecordWriter, value: unknown, kind: ScalarKind, path: string): void {
  const plain = value instanceof Typed ? value.value : value;
  switch (kind) {
    case "string":
      if (typeof plain === "string") return text(records, plain, path);
      break;
    case "boolean":
      if (typeof plain === "boolean") return records.boolean(plain);
      break;
    case "double":
    case "float":
      if (typeof plain === "number")
        return records.double(kind === "float" ? Math.fround(plain) : plain, kind === "float");
      break;
    case "long": {
      const long = longOf(plain, kind);
      if (long !== undefined) return records.integer(long);
      break;
    }
    case "ulong": {
      // XmlWriterDelegator writes an unsigned long as text.
      const long = longOf(plain, kind);
      if (long !== undefined) return records.text(`${long}`);
      break;
    }
    case "decimal": {
      const decimal = decimalOf(plain);
      if (decimal !== undefined) return records.decimal(decimal);
      break;
    }
    case "dateTime":
      if (plain instanceof DateTime) return records.dateTime(plain);
      if (plain instanceof Date && !Number.isNaN(plain.getTime())) return records.dateTime(DateTime.fromDate(plain));
      break;
    case "bytes":
      if (plain instanceof Uint8Array) return records.bytes(plain);
      break;
    case "char":
      if (typeof plain === "string" && plain.length === 1) return records.integer(BigInt(plain.charCodeAt(0)));
      break;
    case "guid":
      if (typeof plain === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(plain)) {
        return records.text(plain.toLowerCase());
      }
      break;
    case "timespan":
      if (plain instanceof Duration && plain.ticks !== undefined) return records.text(plain.iso);
      break;
    case "uri":
      if (plain instanceof Uri || plain instanceof URL) return text(records, plain.toString(), path);
      if (typeof plain === "string") return text(records, plain, path);
      break;
    case "any":
    case "qname":
    case "dateTimeOffset":
    case "version":
      break;
    default: {
      const integer = typeof plain === "number" ? integerIn(plain, kind) : undefined;
      if (integer !== undefined) return records.integer(BigInt(integer));
    }
  }
  throw unsupported(path, `is not of type ${kind}`);
}

function text(records: RecordWriter, value: string, path: string): void {
  if (!value.isWellFormed()) throw unsupported(path, "has a lone surrogate");
  // An element without text is the empty string.
  if (value !== "") records.text(value);
}

/** A 64-bit integer. */
export function longOf(value: unknown, kind: ScalarKind = "long"): bigint | undefined {
  if (typeof value === "bigint") return longIn(value, kind);
  return typeof value === "number" && Number.isSafeInteger(value) ? longIn(BigInt(value), kind) : undefined;
}

const greatestDecimal = 2n ** 96n;

function decimalOf(value: unknown): Decimal | undefined {
  const decimal =
    typeof value === "number" || typeof value === "bigint" ? `${value}` : value instanceof Decimal ? value.text : "";
  const match = /^-?(\d+)(?:\.(\d{1,28}))?$/.exec(decimal);
  if (match === null || BigInt(`${match[1]}${match[2] ?? ""}`) >= greatestDecimal) return undefined;
  return new Decimal(decimal);
}

/** Writes the names of an enumeration's value. */
export function writeEnum(records: RecordWriter, value: unknown, shape: ContractEnumShape, path: string): void {
  const name = value instanceof EnumValue ? value.name : value;
  const names = typeof name === "string" ? (shape.flags ? name.split(/[ ,]+/) : [name]) : [];
  if (names.length === 0 || !names.every((one) => shape.members.has(one))) {
    throw unsupported(path, `is not a name of ${shape.name.local}`);
  }
  // XmlWriterDelegator writes the names of flags and the spaces between them separately.
  for (const [index, one] of names.entries()) {
    if (index > 0) records.text(" ");
    records.text(one);
  }
}

/** The parts of a Version as its private fields; missing ones are -1. */
export function versionFields({ text: version }: Version): ReadonlyMap<string, number> {
  const parts = version.split(".").map(Number);
  // In ordinal order, which is the wire order.
  return new Map([
    ["_Build", parts[2] ?? -1],
    ["_Major", parts[0] ?? -1],
    ["_Minor", parts[1] ?? -1],
    ["_Revision", parts[3] ?? -1],
  ]);
}

/** The error of a value that has no form on the wire. */
export function unsupported(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why}.`, { path });
}
