import { sliceHex, sliceLatin1 } from "../host/node.ts";
import { AmqpMap, type AmqpValue, Typed } from "../values/typed.ts";
import type { ByteReader } from "./byte-reader.ts";
import { nanBits } from "./nan-bits.ts";

/** Up to this many keys are compared with each other; more go through a set. */
export const maxComparedKeys = 16;

/** @throws SobreError `DecodeFailed` when a map has the same key twice (AMQP 1.0 part 1.6.23). */
export function refuseDuplicates(reader: ByteReader, keys: readonly AmqpValue[], offset: number): void {
  if (reader.settings.lenient) return;
  if (hasDuplicates(keys)) throw reader.fault("A map has the same key twice", offset);
}

/** Whether two of the keys are the same value of the same type. */
export function hasDuplicates(keys: readonly AmqpValue[]): boolean {
  return new Set(keys.map(identityOf)).size < keys.length;
}

/** Whether the value is a string or a symbol, as nearly all keys are. */
export function isName(key: AmqpValue): key is string | Typed<"symbol"> {
  return typeof key === "string" || isSymbol(key);
}

/** Whether the name is one of the keys. */
export function hasName(keys: readonly AmqpValue[], name: string | Typed<"symbol">): boolean {
  if (typeof name === "string") return keys.includes(name);
  return keys.some((key) => isSymbol(key) && key.value === name.value);
}

function isSymbol(key: AmqpValue): key is Typed<"symbol"> {
  return key instanceof Typed && key.type === "symbol";
}

/** Something that is the same for equal keys only; texts, which have no lone surrogates, are their own. */
function identityOf(key: AmqpValue): unknown {
  return typeof key === "string" || typeof key === "bigint" || typeof key === "boolean"
    ? key
    : `\ud800${textOfKey(key)}`;
}

/** A text that no other value has, and that no other text begins with. */
function textOfKey(key: AmqpValue): string {
  if (key === null) return "null;";
  if (typeof key === "number") return `number ${numberText(key)};`;
  if (typeof key !== "object") return sized(typeof key, `${key}`);
  if (key instanceof Typed) return `${key.type} ${contentOf(key)}`;
  if (key instanceof Date) return `timestamp ${key.getTime()};`;
  if (key instanceof Uint8Array) return sized("binary", latin1(key));
  if (key instanceof AmqpMap) return `map ${key.size}:${textsOf(key.keys())}${textsOf(key.values())}`;
  return `list ${key.length}:${textsOf(key)}`;
}

function contentOf(key: Typed): string {
  const { value } = key;
  if (typeof value === "number") return `${hexOf(nanBits(key)) ?? numberText(value)};`;
  if (typeof value !== "object") return sized("", `${value}`);
  if (value instanceof Uint8Array) return sized("", latin1(value));
  if (!("values" in value)) return textOfKey(value.descriptor) + textOfKey(value.value);
  const descriptor = value.descriptor === undefined ? "" : textOfKey(value.descriptor);
  return `${value.elementType} ${descriptor} ${value.values.length}:${textsOf(value.values)}`;
}

const textsOf = (values: readonly AmqpValue[]): string => values.map(textOfKey).join("");
const sized = (type: string, text: string): string => `${type} ${text.length}:${text}`;
const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : `${value}`);
const hexOf = (bytes: Uint8Array | undefined): string | undefined => bytes && sliceHex.call(bytes, 0, bytes.length);
const latin1 = (bytes: Uint8Array): string => sliceLatin1.call(bytes, 0, bytes.length);
