import { SobreError } from "../../core/errors/sobre-error.ts";
import { canonicalJson, isObject } from "../json-schema/json-value.ts";
import { emptyForm, fitsOwnForm } from "./json-forms.ts";
import type { ProtobufSchema } from "./schema.ts";
import type { ComparedField, ComparedMessage } from "./shape.ts";
import { memberNamed } from "./relation.ts";
import { isZero, wireForm } from "./wire-form.ts";

/** A message of one schema. */
export interface Sent {
  readonly schema: ProtobufSchema;
  readonly shape: ComparedMessage;
}

/** How the reader misreads a message; `undefined` when nothing is lost. */
export type ReadingLoss = { readonly payload: Uint8Array; readonly outcome: string } | undefined;

/** Writes a value with one schema, reads the bytes with the other, and compares by field number. */
export function lossOnWire(value: Readonly<Record<string, unknown>>, writer: Sent, reader: Sent): ReadingLoss {
  return lossOfBytes(writer.schema.encode(writer.shape.name, value), writer, reader);
}

/** Reads bytes with both schemas, and compares by field number. */
export function lossOfBytes(payload: Uint8Array, writer: Sent, reader: Sent): ReadingLoss {
  const meant = byNumber(writer.schema.decode(writer.shape.name, payload), writer.shape, writer.shape);
  try {
    const read = byNumber(reader.schema.decode(reader.shape.name, payload), reader.shape, writer.shape);
    if (canonicalJson(meant) === canonicalJson(read)) return undefined;
    return { payload, outcome: `reads ${canonicalJson(read)} by field numbers instead of ${canonicalJson(meant)}` };
  } catch (error) {
    return { payload, outcome: `refuses the bytes: ${error instanceof Error ? error.message : "unknown"}` };
  }
}

/** Writes a value as JSON with one schema and reads it with the other. */
export function lossInJson(value: Readonly<Record<string, unknown>>, writer: Sent, reader: Sent): ReadingLoss {
  const payload = writer.schema.encode(writer.shape.name, value);
  const sent = writer.schema.decode(writer.shape.name, payload);
  const json = protoJson(sent, writer.shape);
  const bytes = new TextEncoder().encode(JSON.stringify(json));
  const problem = problemOfJson(json, writer.shape, reader.shape);
  return problem === undefined ? undefined : { payload: bytes, outcome: problem };
}

/** How a reader misreads the JSON form of a message; `undefined` if nothing is lost. */
export function problemOfJson(
  json: Readonly<Record<string, unknown>>,
  writer: ComparedMessage,
  reader: ComparedMessage,
): string | undefined {
  return jsonProblem(json, reader, "$") ?? misplaced(json, writer, reader);
}

/** A member that the reader takes for another field. */
function misplaced(
  json: Readonly<Record<string, unknown>>,
  writer: ComparedMessage,
  reader: ComparedMessage,
): string | undefined {
  for (const { jsonName, number } of writer.fields) {
    const other = Object.hasOwn(json, jsonName) ? memberNamed(jsonName, reader) : undefined;
    if (other !== undefined && other.number !== number)
      return `reads $.${jsonName}, which is field ${number}, as field ${other.number}`;
  }
  return undefined;
}

/** The value with field numbers in place of names, and one form for values that are equal on the wire. */
function byNumber(
  value: Readonly<Record<string, unknown>>,
  { fields }: ComparedMessage,
  writer: ComparedMessage | undefined,
): Readonly<Record<string, unknown>> {
  const choices = new Set(writer?.fields.flatMap(({ number, oneof }) => (oneof === undefined ? [] : [number])));
  const entries = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const present = value[field.name];
    if (present === undefined || present === null) return [];
    const items = plainItems(present, field);
    const one = (item: unknown): unknown =>
      isObject(item) && field.message
        ? byNumber(item, field.message, writer?.byNumber.get(field.number)?.message)
        : wireForm(item, field);
    const forms = items.map(one);
    // A zero matters only if it selects a member of a oneof.
    if (
      field.label === "one" &&
      !field.message &&
      isZero(forms[0]) &&
      !(field.hasPresence && choices.has(field.number))
    )
      return [];
    // On the wire a list of one equals a single value.
    return forms.length === 0 ? [] : [[String(field.number), forms]];
  });
  return Object.fromEntries(entries);
}

function plainItems(value: unknown, { label, keyKind }: ComparedField): readonly unknown[] {
  if (label === "many") return Array.isArray(value) ? value : [];
  if (label !== "map" || !isObject(value)) return [value];
  const keyOf = (key: string): unknown => (keyKind === "bool" ? key === "true" : key);
  return Object.entries(value).flatMap(([key, item]) => [keyOf(key), item]);
}

/** A message in the JSON form of Protobuf; types with a form of their own are written only if empty. */
export function protoJson(
  value: Readonly<Record<string, unknown>>,
  { fields }: ComparedMessage,
): Readonly<Record<string, unknown>> {
  const entries = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const present = value[field.name];
    if (present === undefined || present === null) return [];
    const one = (item: unknown): unknown => {
      if (isObject(item) && field.message) {
        const own = Object.keys(item).length === 0 ? emptyForm(field.message) : undefined;
        return own === undefined ? protoJson(item, field.message) : own.json;
      }
      return field.enumeration && typeof item === "number" ? (field.enumeration.names.get(item) ?? item) : item;
    };
    if (field.label === "many") return [[field.jsonName, Array.isArray(present) ? present.map(one) : []]];
    if (field.label === "map" && isObject(present))
      return [[field.jsonName, Object.fromEntries(Object.entries(present).map(([key, item]) => [key, one(item)]))]];
    return [[field.jsonName, one(present)]];
  });
  return Object.fromEntries(entries);
}

/** Why a JSON form does not fit a message type by the rules of ProtoJSON. */
function jsonProblem(
  json: Readonly<Record<string, unknown>>,
  shape: ComparedMessage,
  path: string,
): string | undefined {
  for (const [name, value] of Object.entries(json)) {
    const field = memberNamed(name, shape);
    const at = `${path}.${name}`;
    if (field === undefined) return `refuses ${at}: ${shape.name} has no member of that name`;
    if ((field.label === "many") !== Array.isArray(value))
      return `refuses ${at}: it must ${field.label === "many" ? "" : "not "}be a list`;
    const items = Array.isArray(value)
      ? value
      : field.label === "map" && isObject(value)
        ? Object.values(value)
        : [value];
    const keys = field.label === "map" && isObject(value) ? Object.keys(value) : [];
    if (keys.some((key) => !isKey(key, field.keyKind))) return `refuses ${at}: its keys must be ${field.keyKind}`;
    for (const item of items) {
      const problem = itemProblem(item, field, at);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function itemProblem(
  item: unknown,
  field: Pick<ComparedField, "kind" | "message" | "enumeration">,
  at: string,
): string | undefined {
  const { kind, message, enumeration } = field;
  const fits = message && fitsOwnForm(item, message);
  if (message && fits !== undefined)
    return fits ? undefined : `refuses ${at}: ${message.name} has another form in JSON`;
  if (message) return isObject(item) ? jsonProblem(item, message, at) : `refuses ${at}: it must be an object`;
  if (isObject(item)) return `refuses ${at}: it must not be an object`;
  if (enumeration) {
    const known = typeof item === "number" || (typeof item === "string" && enumeration.numbers.has(item));
    return known ? undefined : `refuses ${at}: ${enumeration.name} has no such name`;
  }
  if (kind === "bool") return typeof item === "boolean" ? undefined : `refuses ${at}: it must be a boolean`;
  if (kind === "string") return typeof item === "string" ? undefined : `refuses ${at}: it must be a string`;
  if (kind === "bytes")
    return typeof item === "string" && /^[\w+/=-]*$/.test(item) && item.length % 4 === 0
      ? undefined
      : `refuses ${at}: it must be Base64`;
  const number =
    typeof item === "number" || (typeof item === "string" && /^-?\d+(\.\d+)?$/.test(item)) ? Number(item) : Number.NaN;
  if (Number.isNaN(number)) return `refuses ${at}: it must be a number`;
  const [low, high] = ranges[kind] ?? [-Infinity, Infinity];
  const whole = kind === "float" || kind === "double" || Number.isInteger(number);
  return whole && number >= low && number <= high ? undefined : `refuses ${at}: the number has no place in ${kind}`;
}

function isKey(key: string, kind: string): boolean {
  if (kind === "string") return true;
  if (kind === "bool") return key === "true" || key === "false";
  return itemProblem(key, { kind, message: undefined, enumeration: undefined }, "") === undefined;
}

const signed32 = [-2_147_483_648, 2_147_483_647] as const;
const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: signed32,
  sint32: signed32,
  sfixed32: signed32,
  uint32: [0, 4_294_967_295],
  fixed32: [0, 4_294_967_295],
  uint64: [0, 2 ** 64],
  fixed64: [0, 2 ** 64],
};

/** The error of a type that is missing. */
export function unknownType(name: string): SobreError {
  return new SobreError("InvalidArgument", `Option type names "${name}", which both versions must have.`);
}
