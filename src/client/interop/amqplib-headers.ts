import { emptyBag, memberOf } from "../../core/envelope/bag.ts";
import { typed } from "../../core/values/typed-makers.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { asBuffer, asBytes } from "./bytes.ts";
import { unsupported } from "./unsupported.ts";

/** A value with an explicit type: amqplib's form of values whose type JavaScript cannot express. */
interface AmqplibTagged {
  readonly "!": string;
  readonly value: unknown;
}

type IntegerType = "ubyte" | "ushort" | "uint" | "byte" | "short" | "int";

/** AMQP 0-9-1's integer types as amqplib names them; the first name of each type is written. */
const integerTypes: ReadonlyMap<string, IntegerType> = new Map<string, IntegerType>([
  ["uint8", "ubyte"],
  ["unsignedbyte", "ubyte"],
  ["uint16", "ushort"],
  ["unsignedshort", "ushort"],
  ["uint32", "uint"],
  ["unsignedint", "uint"],
  ["int8", "byte"],
  ["byte", "byte"],
  ["int16", "short"],
  ["short", "short"],
  ["int32", "int"],
  ["int", "int"],
]);

/**
 * The value of a header, or `undefined` for a list, a table, or anything else that no application property can hold.
 */
export function readHeader(value: unknown): ApplicationPropertyValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return isLong(value) ? value : undefined;
    default:
      if (value instanceof Uint8Array) return asBytes(value);
      if (value === null) return null;
      return isTagged(value) ? readTagged(value) : undefined;
  }
}

function isTagged(value: unknown): value is AmqplibTagged {
  return (
    typeof value === "object" && value !== null && Object.keys(value).length === 2 && "!" in value && "value" in value
  );
}

function readTagged({ "!": type, value }: AmqplibTagged): ApplicationPropertyValue | undefined {
  const integerType = integerTypes.get(type);
  if (integerType !== undefined) return typeof value === "number" ? readInteger(integerType, value) : undefined;
  switch (type) {
    case "int64":
    case "long":
      if (typeof value === "bigint") return isLong(value) ? value : undefined;
      return Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined;
    case "double":
    case "float64":
      return typeof value === "number" ? readDouble(value) : undefined;
    case "float":
      return typeof value === "number" && Object.is(Math.fround(value), value) ? typed.float(value) : undefined;
    case "timestamp":
      return readSeconds(value);
    default:
      return undefined;
  }
}

function readInteger(type: IntegerType, value: number): Typed | undefined {
  try {
    return typed[type](value);
  } catch {
    return undefined;
  }
}

/** Whether a plain number is written as an AMQP int, or else as a double. */
function isInt(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

function readDouble(value: number): number | Typed<"double"> {
  return isInt(value) ? typed.double(value) : value;
}

/** Timestamps are seconds (AMQP 0-9-1 section 4.2.5.4). */
function readSeconds(value: unknown): Date | undefined {
  const time = typeof value === "number" && Number.isInteger(value) ? new Date(value * 1000) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

function isLong(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * The header for an application property.
 *
 * @throws SobreError `UnsupportedValue` for a type that AMQP 0-9-1 lacks.
 */
export function writeHeader(value: ApplicationPropertyValue, path: string): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  // Left to choose the type, amqplib would write -0 as 0 and fail for NaN and large numbers.
  if (typeof value === "number") return isInt(value) ? value : { "!": "double", value };
  if (typeof value === "bigint") {
    if (isLong(value)) return { "!": "int64", value };
    throw unsupported(path, "exceeds the signed 64 bits of AMQP 0-9-1");
  }
  if (value instanceof Uint8Array) return asBuffer(value);
  return value instanceof Date ? writeTime(value, path) : writeTyped(value, path);
}

function writeTime(value: Date, path: string): AmqplibTagged {
  const seconds = value.getTime() / 1000;
  if (Number.isInteger(seconds) && seconds >= 0) return { "!": "timestamp", value: seconds };
  throw unsupported(
    path,
    "is not a whole number of seconds since 1970, as AMQP 0-9-1 timestamps must be; send the time as a string",
  );
}

function writeTyped({ type, value }: Typed, path: string): AmqplibTagged {
  if (type === "long") return { "!": "int64", value };
  if (type === "float" || type === "double") return { "!": type, value };
  for (const [name, integerType] of integerTypes) if (integerType === type) return { "!": name, value };
  throw unsupported(path, `is an AMQP ${type}, which AMQP 0-9-1 does not have`);
}

/** Converts bytes anywhere in a header to Buffers, which amqplib recognises. */
export function withBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withBuffers);
  const table = emptyBag<unknown>();
  for (const name of Object.keys(value)) table[name] = withBuffers(memberOf(value, name));
  return table;
}
