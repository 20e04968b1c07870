import { nameIsRead } from "./relation.ts";
import type { ComparedField } from "./shape.ts";

/** The change of a field, and how to repair it. */
export function describe(
  field: ComparedField,
  other: ComparedField,
  type: string,
): { readonly code: string; readonly message: string; readonly repair: string } {
  const place = `${type}.${field.name} (${field.number})`;
  const repair = "Add a field with a new number, and reserve the old one once no writer uses it.";
  if (field.label !== other.label)
    return {
      code: "field-label-changed",
      message: `${place} was ${words[field.label]} and is ${words[other.label]} to the reader.`,
      repair,
    };
  if (!nameIsRead(field, other) && kind(field) === kind(other))
    return {
      code: "field-renamed",
      message: `${place} is written to JSON as ${field.jsonName}, and the reader knows it as ${other.jsonName}.`,
      repair: `Keep the JSON name: [json_name = ${JSON.stringify(field.jsonName)}].`,
    };
  if (field.oneof !== undefined && other.oneof === undefined && kind(field) === kind(other))
    return {
      code: "oneof-left",
      message: `${place} was in the oneof ${field.oneof} and has left it: its zero looks to the reader as if it was not set.`,
      repair: "Keep the field in the oneof, or give it presence with optional.",
    };
  const isSameEnum = field.kind === "enum" && kind(field) === kind(other);
  return {
    code: "field-type-changed",
    message: isSameEnum
      ? `${place} may have a value of ${kind(field)} that the reader lacks or names differently.`
      : `${place} is written as ${kind(field)} and read as ${kind(other)}.`,
    repair: isSameEnum ? "Keep every value and its name." : repair,
  };
}

/** The default of a field as people write it. */
export function shownDefault({ unset = "0", label, kind: name, enumeration }: ComparedField): string {
  if (label !== "one") return "nothing";
  const number = unset.replace("float ", "");
  if (name === "string" || name === "bytes")
    return JSON.stringify(Buffer.from(unset === "0" ? "" : unset.replace("text ", ""), "base64").toString());
  return name === "bool" ? String(number === "1") : (enumeration?.names.get(Number(number)) ?? number);
}

/** The type of a field, or of the items of a list, as people write it. */
export function kind({ kind: name, label, keyKind, message, enumeration }: ComparedField): string {
  const own = message?.name ?? enumeration?.name ?? name;
  return label === "map" ? `map<${keyKind}, ${own}>` : own;
}

const words = { one: "a single value", many: "a list", map: "a map" } as const;
