import type { ProtobufPolicy } from "../options.ts";
import { areFormedAlike } from "./json-forms.ts";
import { keepsInJson, keepsOnWire } from "./kinds.ts";
import type { FieldShape, MessageShape } from "./shape.ts";

/** Why a field of the writer is read correctly. */
export type FieldReason = "read as it is" | "left out, and set aside" | "left out";

/** A pair of message types, and why each field of the writer's is read correctly. */
export interface RelatedPair {
  readonly writer: MessageShape;
  readonly reader: MessageShape;
  readonly fields: ReadonlyMap<number, FieldReason>;
}

/** Pairs of types that were found to be compatible, by both names. */
export type Relation = ReadonlyMap<string, RelatedPair>;

/** The key of a pair. */
export function pairKey(writer: MessageShape, reader: MessageShape): string {
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
  field: FieldShape,
  other: FieldShape,
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
export function isUnsetAlike(field: FieldShape, other: FieldShape): boolean {
  return field.required || field.unset === other.unset;
}

/** Whether the reader accepts the JSON name that the writer uses. */
export function nameIsRead(field: FieldShape, other: FieldShape): boolean {
  return other.readNames.includes(field.jsonName);
}

/** The field that reads the JSON of a field whose number the reader lacks. */
export function takerOf(field: FieldShape, reader: MessageShape, policy: ProtobufPolicy): FieldShape | undefined {
  return policy === "wire" ? undefined : memberNamed(field.jsonName, reader);
}

/** The field as which a reader reads a member of JSON. */
export function memberNamed(name: string, { fields }: MessageShape): FieldShape | undefined {
  return fields.find(({ readNames }) => readNames.includes(name));
}

/** Pairs of fields that the writer may set together and the reader has in one oneof. */
export function clashingFields(
  writer: MessageShape,
  reader: MessageShape,
): readonly (readonly [FieldShape, FieldShape])[] {
  const joined = Map.groupBy(writer.fields, ({ number }) => reader.byNumber.get(number)?.oneof);
  return Array.from(joined).flatMap(([oneof, fields]) =>
    oneof === undefined ? [] : fields.flatMap((field, at) => clashesOf(field, fields.slice(at + 1, at + mostClashes))),
  );
}

/** With more fields in one oneof than this, each is compared only with its neighbours; any clash is also one of neighbours. */
const mostClashes = 20;

function clashesOf(field: FieldShape, others: readonly FieldShape[]): readonly (readonly [FieldShape, FieldShape])[] {
  return others
    .filter((other) => field.oneof === undefined || field.oneof !== other.oneof)
    .map((other) => [field, other]);
}
