import type { ProtobufPolicy } from "../options.ts";
import { areFormedAlike } from "./json-forms.ts";
import { keepsInJson, keepsOnWire } from "./kinds.ts";
import type { ComparedField, ComparedMessage } from "./shape.ts";

/** Why a field of the writer is read correctly. */
export type FieldReason = "read as it is" | "left out, and set aside" | "left out";

/** A pair of message types, and why each field of the writer's is read correctly. */
export interface RelatedPair {
  readonly writer: ComparedMessage;
  readonly reader: ComparedMessage;
  readonly fields: ReadonlyMap<number, FieldReason>;
}

/** Pairs of types that were found to be compatible, by both names. */
export type Relation = ReadonlyMap<string, RelatedPair>;

/** The key of a pair. */
export function pairKey(writer: ComparedMessage, reader: ComparedMessage): string {
  return `${writer.name} → ${reader.name}`;
}

/**
 * Whether a relation proves that the reader reads what the writer writes: every field of every pair is accounted for, every
 * pair of nested types is in the relation too, no default has changed, no field is newly required, and no oneof takes in
 * fields that could be set together. It neither searches nor encodes.
 */
export function checkRelation(relation: Relation, policy: ProtobufPolicy): boolean {
  return Array.from(relation.values()).every(({ writer, reader, fields }) => {
    const accounted = writer.fields.every((field) => {
      const other = reader.byNumber.get(field.number);
      const reason = fields.get(field.number);
      return other === undefined
        ? reason !== undefined && reason !== "read as it is" && takerOf(field, reader, policy) === undefined
        : isKept(field, other, { relation, policy }) && isUnsetAlike(field, other);
    });
    const required = reader.fields.every(
      ({ number, required: is }) => !is || writer.byNumber.get(number)?.required === true,
    );
    return accounted && required && clashingFields(writer, reader).length === 0;
  });
}

/** Whether a field is read correctly, given the pairs of nested types. */
export function isKept(
  field: ComparedField,
  other: ComparedField,
  { relation, policy }: { readonly relation: Relation; readonly policy: ProtobufPolicy },
): boolean {
  if (field.label !== other.label && !(field.label === "one" && other.label === "many" && policy === "wire"))
    return false;
  if (policy !== "wire" && (!nameIsRead(field, other) || (!field.message && !keepsInJson(field, other)))) return false;
  if (field.message === undefined || other.message === undefined) return keepsOnWire(field, other);
  if (field.kind !== other.kind || (field.label === "map" && field.keyKind !== other.keyKind)) return false;
  if (policy !== "wire" && !areFormedAlike(field.message, other.message)) return false;
  return relation.has(pairKey(field.message, other.message));
}

/** Whether an absent field means the same to both. */
export function isUnsetAlike(field: ComparedField, other: ComparedField): boolean {
  return field.required || field.unset === other.unset;
}

/** Whether the reader accepts the JSON name that the writer uses. */
export function nameIsRead(field: ComparedField, other: ComparedField): boolean {
  return other.readNames.includes(field.jsonName);
}

/** The field that reads the JSON of a field whose number the reader lacks. */
export function takerOf(
  field: ComparedField,
  reader: ComparedMessage,
  policy: ProtobufPolicy,
): ComparedField | undefined {
  return policy === "wire" ? undefined : memberNamed(field.jsonName, reader);
}

/** The field as which a reader reads a member of JSON. */
export function memberNamed(name: string, { fields }: ComparedMessage): ComparedField | undefined {
  return fields.find(({ readNames }) => readNames.includes(name));
}

/** Pairs of fields that the writer may set together and the reader has in one oneof. */
export function clashingFields(
  writer: ComparedMessage,
  reader: ComparedMessage,
): readonly (readonly [ComparedField, ComparedField])[] {
  const joined = Map.groupBy(writer.fields, ({ number }) => reader.byNumber.get(number)?.oneof);
  return Array.from(joined).flatMap(([oneof, fields]) =>
    oneof === undefined ? [] : fields.flatMap((field, at) => clashesOf(field, fields.slice(at + 1, at + maxClashes))),
  );
}

/** With more fields in one oneof than this, each is compared only with its neighbours; any clash is also one of neighbours. */
const maxClashes = 20;

function clashesOf(
  field: ComparedField,
  others: readonly ComparedField[],
): readonly (readonly [ComparedField, ComparedField])[] {
  return others
    .filter((other) => field.oneof === undefined || field.oneof !== other.oneof)
    .map((other) => [field, other]);
}
