import { AmqpMap, type AmqpValue, Typed } from "../../src/envelope/index.ts";
import type { ByteReader } from "./byte-reader.ts";

/** Up to this many keys are compared with each other; more go through a set. */
export const few = 16;

/** @throws SobreError `DecodeFailed` when a map has the same key twice (AMQP 1.0 part 1.6.23). */
export function refuseDuplicates(reader: ByteReader, keys: readonly AmqpValue[], offset: number): void {
  if (reader.settings.lenient) return;
  if (hasDuplicates(keys)) throw reader.fault("A map has the same key twice", offset);
}

/** Whether two of the keys are the same value of the same type. */
export function hasDuplicates(keys: readonly AmqpValue[]): boolean {
  if (keys.length > few) return new Set(keys.map(identityOf)).size < keys.length;
  for (let later = 1; later < keys.length; later++) {
    const key = keys[later] ?? null;
    for (let earlier = 0; earlier < later; earlier++) if (isSame(keys[earlier] ?? null, key)) return true;
  }
  return false;
}

function isSame(one: AmqpValue, other: AmqpValue): boolean {
  if (one === other) return !Object.is(one, 0) || Object.is(one, other);
  if (typeof one === "string" || typeof other === "string") return false;
  return identityOf(one) === identityOf(other);
}

/** Something that is `===` for equal keys only; texts are their own. */
function identityOf(key: AmqpValue): unknown {
  if (typeof key === "string" || typeof key === "bigint" || typeof key === "boolean") return key;
  if (key === null) return null;
  // Symbols, small integers and the like are shared, but not always.
  return `\0${textOf(key)}`;
}

function textOf(key: AmqpValue): string {
  if (key === null) return "null";
  if (typeof key === "string") return `s${key.length}:${key}`;
  if (typeof key === "number") return `n${Object.is(key, -0) ? "-0" : key}`;
  if (typeof key !== "object") return `${typeof key}${key}`;
  if (key instanceof Typed) return `${key.type}(${contentOf(key.value)})`;
  if (key instanceof Date) return `t${key.getTime()}`;
  if (key instanceof Uint8Array) return `b${key.join()}`;
  if (key instanceof AmqpMap) return `m${[...key].map(([name, value]) => `${textOf(name)}=${textOf(value)}`).join()}`;
  return `l${key.map(textOf).join()}`;
}

function contentOf(value: Typed["value"]): string {
  if (typeof value !== "object") return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Uint8Array) return value.join();
  if ("values" in value)
    return `${value.elementType}:${textOf(value.descriptor ?? null)}:${value.values.map(textOf).join()}`;
  return `${textOf(value.descriptor)}:${textOf(value.value)}`;
}
