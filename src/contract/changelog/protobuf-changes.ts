import { canonicalJson } from "../json-schema/json-value.ts";
import { openProtobufSchema, type ProtobufSchema } from "../protobuf/schema.ts";
import type { ComparedField } from "../protobuf/shape.ts";
import type { SchemaChanges } from "./schema-changes.ts";

/** The messages, fields, enums, values and procedures that two Protobuf schemas declare differently; fields by number. */
export function protobufChanges(older: unknown, newer: unknown): SchemaChanges {
  const [before, after] = [partsOf(openProtobufSchema(older)), partsOf(openProtobufSchema(newer))];
  const changed = Array.from(before.values()).flatMap(({ key, name, meaning }) => {
    const other = after.get(key);
    if (other === undefined || other.meaning === meaning) return [];
    return [other.name === name ? name : `${name} → ${other.name}`];
  });
  return { added: onlyIn(after, before), changed, removed: onlyIn(before, after) };
}

/** The parts that the other schema lacks; a missing type is listed without its own parts. */
function onlyIn(parts: Parts, others: Parts): readonly string[] {
  return Array.from(parts.values()).flatMap(({ key, owner, name }) =>
    others.has(key) || (owner !== undefined && !others.has(owner)) ? [] : [name],
  );
}

interface DescribedPart {
  readonly key: string;
  /** The key of the type that it is in. */
  readonly owner?: string;
  readonly name: string;
  readonly meaning: string;
}

type Parts = ReadonlyMap<string, DescribedPart>;

function partsOf({ messages, enums, procedures, bundled }: ProtobufSchema): Parts {
  const parts: DescribedPart[] = [];
  for (const { name, fields, reserved, strictJson } of messages.values()) {
    if (bundled.has(name)) continue;
    parts.push({ key: name, name, meaning: canonicalJson({ reserved, strictJson }) });
    for (const field of fields)
      parts.push({
        key: `${name} ${field.number}`,
        owner: name,
        name: `${name}.${field.name} (${field.number})`,
        meaning: meaningOfField(field),
      });
  }
  for (const { name, numbers, reserved, strictJson, closed } of enums.values()) {
    if (bundled.has(name)) continue;
    parts.push({ key: name, name, meaning: canonicalJson({ reserved, strictJson, closed }) });
    for (const [value, number] of numbers)
      parts.push({ key: `${name} ${value}`, owner: name, name: `${name}.${value}`, meaning: String(number) });
  }
  for (const { name, ...rest } of procedures.values()) parts.push({ key: name, name, meaning: canonicalJson(rest) });
  return new Map(parts.map((part) => [part.key, part]));
}

function meaningOfField({ message, enumeration, ...field }: ComparedField): string {
  const { name, jsonName, kind, label, keyKind, required, hasPresence, oneof = "", unset = "" } = field;
  const type = message?.name ?? enumeration?.name ?? "";
  return canonicalJson({ name, jsonName, kind, label, keyKind, required, hasPresence, oneof, unset, type });
}
