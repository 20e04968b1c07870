import { sliceLatin1 } from "../host/node.ts";
import { isPlainPrototype } from "../values/plain-object.ts";
import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../values/typed.ts";
import { Decimal } from "../values/decimal.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { fromDecimalString } from "./decimal.ts";
import type { Extensions } from "./extension.ts";
import { arrayLevels, checkDepth, inside, memberStep, unsupported } from "./unsupported-value.ts";
import { writeArray } from "./write-array.ts";
import { type Profile, writeNumber } from "./write-number.ts";
import { writeScalar } from "./write-typed.ts";

/** How values are written. */
export interface WriterSettings {
  readonly profile: Profile;
  readonly extensions: Extensions;
}

/**
 * Writes one value; plain values get the types that the profile gives them.
 *
 * @throws SobreError `UnsupportedValue` without a path; `withPath` adds it.
 */
export function writeValue(writer: ByteWriter, value: unknown, settings: WriterSettings, depth: number): void {
  // One question each: a switch would ask the engine for the name of the type first, which is a call.
  if (typeof value === "string") return writer.text(0xa1, value);
  if (typeof value === "number") return writeNumber(writer, value, settings.profile);
  if (typeof value === "boolean") return writer.byte(value ? 0x41 : 0x42);
  if (value === null || value === undefined) return writer.byte(0x40);
  if (typeof value === "object") return writeObject(writer, value, settings, depth);
  if (typeof value === "bigint") return writeBigint(writer, value);
  throw unsupported(`is a ${typeof value}`);
}

function writeBigint(writer: ByteWriter, value: bigint): void {
  if (value >= -0x80n && value <= 0x7fn) return writer.code8(0x55, Number(value));
  if (BigInt.asIntN(64, value) === value) return writer.code64(0x81, value);
  if (BigInt.asUintN(64, value) === value) return writer.code64(0x80, value);
  throw unsupported("is an integer of more than 64 bits");
}

function writeObject(writer: ByteWriter, value: object, settings: WriterSettings, depth: number): void {
  // Asking for a prototype is a call out of JavaScript: once must do.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (isPlain(value, prototype)) return writeMembers(writer, value, settings, depth, hasInherited(value, prototype));
  if (value instanceof Typed) return writeTyped(writer, value, settings, depth);
  if (Array.isArray(value)) return writeList(writer, value, settings, depth);
  if (value instanceof Uint8Array) return writer.variable(0xa0, value);
  if (value instanceof Date) return writeDate(writer, value);
  if (value instanceof AmqpMap) return writeColumns(writer, [value.keys(), value.values()], settings, depth);
  if (value instanceof Map) return writeColumns(writer, [[...value.keys()], [...value.values()]], settings, depth);
  if (value instanceof Decimal) return writeScalar(writer, decimalOf(value));
  checkDepth(depth);
  for (const extension of settings.extensions.values()) {
    const content = extension.write(value);
    if (content === undefined) continue;
    writer.byte(0x00);
    writer.text(0xa3, extension.descriptor);
    return writeValue(writer, content, settings, depth + 1);
  }
  throw unsupported("is an instance of a class that AMQP has no type for");
}

function writeTyped(writer: ByteWriter, typed: Typed, settings: WriterSettings, depth: number): void {
  const { type, value } = typed;
  if (type === "array" && isArray(value)) {
    checkDepth(depth);
    return writeArray(writer, value, (item) => writeValue(writer, item, settings, depth + arrayLevels));
  }
  if (type === "described" && isDescribed(value)) {
    checkDepth(depth);
    return writeDescribed(writer, value, settings, depth);
  }
  writeScalar(writer, typed);
}

// Callers without types can put anything into a Typed.

function isArray(value: Typed["value"]): value is TypedValues["array"] {
  return typeof value === "object" && value !== null && "values" in value && Array.isArray(value.values);
}

function isDescribed(value: Typed["value"]): value is TypedValues["described"] {
  return typeof value === "object" && value !== null && "descriptor" in value && "value" in value;
}

function writeDescribed(
  writer: ByteWriter,
  { descriptor, value }: TypedValues["described"],
  settings: WriterSettings,
  depth: number,
): void {
  writer.byte(0x00);
  try {
    writeValue(writer, descriptor, settings, depth + 1);
  } catch (error) {
    throw inside(error, "{descriptor}");
  }
  writeValue(writer, value, settings, depth + 1);
}

/** As .NET writes its `decimal`. */
function decimalOf({ text }: Decimal): Typed {
  try {
    return fromDecimalString(text, "decimal128");
  } catch {
    throw unsupported("is a Decimal of more than 34 digits or too large an exponent");
  }
}

function writeDate(writer: ByteWriter, value: Date): void {
  const time = value.getTime();
  if (Number.isNaN(time)) throw unsupported("is an invalid Date");
  writer.codeInteger(0x83, time);
}

/** Writes a list. */
export function writeList(
  writer: ByteWriter,
  items: readonly unknown[],
  settings: WriterSettings,
  depth: number,
): void {
  if (items.length === 0) return writer.byte(0x45);
  checkDepth(depth);
  const mark = writer.open();
  let index = 0;
  try {
    for (; index < items.length; index++) writeValue(writer, items[index], settings, depth + 1);
  } catch (error) {
    throw inside(error, `[${index}]`);
  }
  writer.close(mark, 0xc0, items.length);
}

function writeMembers(
  writer: ByteWriter,
  value: Readonly<Record<string, unknown>>,
  settings: WriterSettings,
  depth: number,
  mayInherit: boolean,
): void {
  checkDepth(depth);
  const mark = writer.open();
  let count = 0;
  let name = "";
  try {
    // A loop over the names reads members far faster than a list of the names does.
    for (name in value) {
      const member = value[name];
      if (member === undefined && settings.profile !== "azure-js") continue;
      if (mayInherit && !Object.hasOwn(value, name)) continue;
      writer.text(0xa1, name);
      writeValue(writer, member, settings, depth + 1);
      count += 2;
    }
  } catch (error) {
    throw inside(error, memberStep(name));
  }
  refuseSymbols(value);
  writer.close(mark, 0xc1, count);
}

/** Writes a map of keys and their values; `check` may refuse an entry. */
export function writeColumns<T>(
  writer: ByteWriter,
  [keys, values]: readonly [keys: readonly T[], values: readonly T[]],
  settings: WriterSettings,
  depth: number,
  check?: (key: T | undefined, value: T | undefined) => void,
): void {
  checkDepth(depth);
  const mark = writer.open();
  const written = new WrittenKeys();
  let index = 0;
  try {
    for (; index < keys.length; index++) {
      const key = keys[index];
      check?.(key, values[index]);
      const start = writer.mark();
      writeValue(writer, key, settings, depth + 1);
      written.add(key, writer, start);
      writeValue(writer, values[index], settings, depth + 1);
    }
  } catch (error) {
    const key = keys[index];
    throw inside(error, typeof key === "string" ? memberStep(key) : `{${index}}`);
  }
  writer.close(mark, 0xc1, keys.length * 2);
}

/** @throws SobreError `UnsupportedValue` when an object has members that no map can name. */
export function refuseSymbols(value: object): void {
  if (Object.getOwnPropertySymbols(value).length > 0) throw unsupported("has members under JavaScript symbols");
}

/** Whether a loop over the names of a plain object's members meets some that are its prototype's. */
function hasInherited(value: object, prototype: unknown): boolean {
  for (const name in prototype ?? noWriter) return name in value;
  return false;
}

const noWriter: object = Object.freeze({});

function isPlain(_value: object, prototype: unknown): _value is Readonly<Record<string, unknown>> {
  // Objects of another realm, and those made with an empty prototype, count as plain.
  return isPlainPrototype(prototype);
}

/** The keys of a map that is being written, none of which may come twice (AMQP 1.0 part 1.6.23). */
class WrittenKeys {
  readonly #seen = new Set<unknown>();

  /**
   * Adds the key that was written from `mark` on.
   *
   * @throws SobreError `UnsupportedValue` when the map has it already.
   */
  add(key: unknown, writer: ByteWriter, mark: number): void {
    const { size } = this.#seen;
    this.#seen.add(typeof key === "string" ? key : identityOf(key, writer, mark));
    if (this.#seen.size === size) throw unsupported("has a key that another entry of the map has too");
  }
}

/** No string that can be written has a lone surrogate in it, so the prefixes keep the kinds of keys apart. */
function identityOf(key: unknown, writer: ByteWriter, mark: number): string {
  if (isSymbol(key)) return `\ud800${key.value}`;
  // Different values can have one encoding, as 1 and a typed int of 1.
  return `\ud801${sliceLatin1.call(writer.bytes, writer.start + mark, writer.at)}`;
}

function isSymbol(key: unknown): key is Typed<"symbol"> & AmqpValue {
  return key instanceof Typed && key.type === "symbol";
}
