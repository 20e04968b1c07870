import { AmqpMap, Instant, Typed } from "../envelope/index.ts";
import {
  BigInteger,
  ClassName,
  ContentStream,
  DateTime,
  DateTimeOffset,
  Decimal,
  Duration,
  EnumValue,
  IsoTime,
  LocalDate,
  LocalTime,
  MultiArray,
  QName,
  Uri,
  Version,
} from "../values/index.ts";

/** What a value is, as far as its form in another format goes. */
export const valueKinds = [
  "null",
  "boolean",
  "integer",
  "number",
  "not-finite",
  "int64",
  "big-integer",
  "decimal",
  "text",
  "empty-text",
  "bytes",
  "time-utc",
  "time-local",
  "time-unspecified",
  "time-offset",
  "date",
  "clock-time",
  "duration",
  "guid",
  "uri",
  "version",
  "class",
  "qname",
  "char",
  "symbol",
  "enum",
  "object",
  "list",
  "map",
  "array",
  "stream",
  "other",
] as const;

/** One of {@link valueKinds}. */
export type ValueKind = (typeof valueKinds)[number];

/** The kind of a value. */
export function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "string":
      return value === "" ? "empty-text" : "text";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : Number.isFinite(value) ? "number" : "not-finite";
    case "boolean":
      return "boolean";
    case "bigint":
      return "int64";
    case "object":
      return value === null ? "null" : kindOfObject(value);
    default:
      return "other";
  }
}

/** Whether objects with this prototype have no class of their own: literals, and what decoders make faster than literals. */
export function isPlainPrototype(prototype: unknown): boolean {
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function kindOfObject(value: object): ValueKind {
  if (Array.isArray(value)) return "list";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (isPlainPrototype(prototype)) return "object";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Map || value instanceof AmqpMap) return "map";
  if (value instanceof Date || value instanceof Instant) return "time-utc";
  if (value instanceof DateTime) return `time-${value.kind}`;
  if (value instanceof IsoTime) return `time-${value.kind}`;
  if (value instanceof Typed) return kindOfTyped(value);
  for (const [type, kind] of classes) if (value instanceof type) return kind;
  return "other";
}

const classes: readonly (readonly [new (...args: never[]) => object, ValueKind])[] = [
  [Decimal, "decimal"],
  [DateTimeOffset, "time-offset"],
  [Duration, "duration"],
  [EnumValue, "enum"],
  [BigInteger, "big-integer"],
  [Uri, "uri"],
  [Version, "version"],
  [ClassName, "class"],
  [QName, "qname"],
  [LocalDate, "date"],
  [LocalTime, "clock-time"],
  [MultiArray, "array"],
  [ContentStream, "stream"],
];

function kindOfTyped({ type, value }: Typed): ValueKind {
  switch (type) {
    case "uuid":
      return "guid";
    case "char":
      return "char";
    case "symbol":
      return "symbol";
    default:
      if (typeof value === "bigint") return type === "timestamp" ? "other" : "int64";
      return typeof value === "number" ? kindOf(value) : "other";
  }
}

/**
 * How much of a value a reader had to guess: nothing; which elements are lists; also whether 0 and 1 are text; also the type
 * of every text.
 */
export type Guessing = "nothing" | "lists" | "digits" | "scalars";

/**
 * What the readers guess without a contract. Where a payload names the scalar types of values, as of members that are
 * declared as `object`, the others cannot be told from these, and no value counts as guessed. Names of classes, as of
 * members that hold a derived one, say nothing of scalars.
 */
export function guessingOf(codec: string, payload: Uint8Array): Guessing {
  if (codec === "nbfx") return namesBinaryScalars(payload) ? "lists" : "digits";
  if (codec !== "datacontract-xml") return "nothing";
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("latin1");
  return namedScalar.test(text.replaceAll("\0", "")) ? "lists" : "scalars";
}

/** Scalars as XML Schema, .NET's own schema of scalars and the CLR name them. */
const scalarName =
  "(?:[^:\"'<>=]{0,60}:)?(?:anyURI|base64Binary|boolean|byte|char|dateTime|decimal|double|duration|float|guid|int|long|QName" +
  "|short|string|unsigned(?:Byte|Int|Long|Short)" +
  "|System\\.(?:Boolean|S?Byte(?:\\[\\])?|Char|DateTime|Decimal|Double|Guid|U?Int(?:16|32|64)|Single|String|TimeSpan|Uri))";
const namedScalar = new RegExp(`:type\\s*=\\s*["']\\s*${scalarName}\\s*["']`, "i");
const wholeScalar = new RegExp(`^${scalarName}$`);

/** Whether there may be an attribute `type` or `Type` with a prefix that names a scalar, whatever record it stands in. */
function namesBinaryScalars(payload: Uint8Array): boolean {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  for (const name of ["\u0004type", "\u0004Type"]) {
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      const before = bytes[at - 1] ?? 0;
      // The records before a short name of an element.
      if (before === 0x40 || (before >= 0x5e && before <= 0x77)) continue;
      const record = bytes[at + 5] ?? 0;
      const length = bytes[at + 6] ?? 0;
      // What is no short text may be a name all the same.
      if (record !== 0x98 || wholeScalar.test(bytes.toString("latin1", at + 7, at + 7 + length))) return true;
    }
  }
  return false;
}

/** Whether a value of this kind was guessed. */
export function isGuess(value: unknown, kind: ValueKind, guessing: Guessing): boolean {
  if (guessing === "nothing" || guessing === "lists") return false;
  if (guessing === "digits") return value === 0 || value === 1;
  return kind === "integer" || kind === "number" || kind === "boolean";
}
