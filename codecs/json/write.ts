import type { EncodeContext, Encoded } from "../../src/core/codec/codec.ts";
import type { Charset } from "../../src/core/content-type/charset.ts";
import { encodeUnicode, isUnicode } from "../../src/core/content-type/unicode-bytes.ts";
import { declaredCharset } from "../../src/core/content-type/declared-charset.ts";
import { refuseHazards } from "./hazards.ts";
import type { JsonOptions } from "./options.ts";
import { isPlain, isPlainNumber, isRecord, maxWrittenDepth } from "./plain.ts";
import { Typed } from "../../src/core/values/typed.ts";
import type { SobreError } from "../../src/core/errors/sobre-error.ts";
import { tooLong } from "./numbers.ts";
import { errorAt, type PathStep } from "./path.ts";

/** Writes a body as JSON; see `json`. */
export function encodeJson(body: unknown, { contentType }: EncodeContext, options: JsonOptions): Encoded {
  if (body === undefined) return { payload: new Uint8Array(0) };
  const plain = isPlain(body, 0);
  const text = plain ? JSON.stringify(body) : writeExactly(body);
  // Never writes what reading would refuse.
  if (!plain && text.includes("__proto__"))
    refuseHazards(JSON.parse(text), options.protoKey !== "keep", "UnsupportedValue");
  return { payload: toBytes(text, declaredCharset(contentType) ?? "utf-8") };
}

function toBytes(text: string, charset: Charset): Uint8Array {
  if (isUnicode(charset)) return encodeUnicode(text, charset);
  // Beyond ASCII there are only strings and names, where an escape means the same.
  return encodeUnicode(text.replaceAll(/[^\0-\x7f]/g, escaped), "utf-8");
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Writes what JSON.stringify would write, and in addition bigints as digits and `-0` as such.
 *
 * @throws SobreError `UnsupportedValue` with the path to what JSON.stringify would drop, empty or turn into `null`.
 */
function writeExactly(body: unknown): string {
  return write(body, undefined, 0);
}

function write(value: unknown, step: PathStep | undefined, depth: number): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      return writeNumber(value, step);
    case "bigint":
      if (tooLong.test(String(value))) throw unsupported("a bigint beyond 4,300 digits", step);
      return String(value);
    case "object":
      if (value === null) return "null";
      if (depth === maxWrittenDepth) throw unsupported("nested 1,000 levels deep, or contained in itself", step);
      return writeObject(value, step, depth + 1);
    default:
      throw unsupported(`of type ${typeof value}`, step);
  }
}

function writeNumber(value: number, step: PathStep | undefined): string {
  if (isPlainNumber(value)) return String(value);
  if (!Number.isFinite(value)) throw unsupported("NaN or infinite", step);
  // The exponent says that it is a number: an integer of these digits would come back as a bigint.
  return value === 0 ? "-0" : value.toExponential();
}

function writeObject(value: object, step: PathStep | undefined, depth: number): string {
  if (Array.isArray(value)) return writeList(value, step, depth);
  if (isRecord(value) && !("toJSON" in value)) return writeMembers(value, step, depth);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  // Their toJSON gives another type.
  const typed = ArrayBuffer.isView(value) || value instanceof Typed;
  if (!typed && "toJSON" in value && typeof value.toJSON === "function") {
    const replaced: unknown = value.toJSON(step?.key ?? "");
    if (kind === "Date" && replaced === null) throw unsupported("a date without a time", step);
    return write(replaced, step, depth);
  }
  // Collections and built-in classes keep what they hold out of their members, so that JSON.stringify writes "{}".
  if (typed || kind !== "Object" || Symbol.iterator in value) {
    throw unsupported(kind === "Object" ? "a collection or typed AMQP value" : `of type ${kind}`, step);
  }
  return writeMembers(value, step, depth);
}

function writeList(list: readonly unknown[], parent: PathStep | undefined, depth: number): string {
  let text = "";
  for (let key = 0; key < list.length; key++) {
    text += `${key === 0 ? "" : ","}${write(list[key], { parent, key }, depth)}`;
  }
  return `[${text}]`;
}

function writeMembers(value: object, parent: PathStep | undefined, depth: number): string {
  let text = "";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${write(member, { parent, key }, depth)}`;
  }
  return `{${text}}`;
}

function unsupported(what: string, step: PathStep | undefined): SobreError {
  return errorAt(step, "UnsupportedValue", `is ${what}, which JSON cannot hold; convert it first`);
}
