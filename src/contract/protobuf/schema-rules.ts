import { kind } from "./field-description.ts";
import type { ProtobufChange, Sides } from "./message-comparison.ts";
import { type ComparedEnum, type ComparedField, isReserved, type ComparedMessage, type Reserved } from "./shape.ts";

/**
 * Rules that protect future versions rather than a message of today: what is reserved stays reserved, what is
 * removed becomes reserved, names and procedures stay. Their findings have no witness and codes that begin with `rule-`.
 */
export function brokenRules({ writer, reader, policy, readerIsOlder }: Sides): readonly ProtobufChange[] {
  // Removals are reported in the backward direction only.
  if (readerIsOlder) return [];
  const changes: ProtobufChange[] = [];
  const add = (code: string, message: string, place: string): void =>
    void changes.push({
      code: `rule-${code}`,
      message,
      repair: "Take the change back, or release a new major version.",
      writerPlace: place,
      readerPlace: place,
    });
  for (const [name, message] of writer.messages) {
    if (writer.bundled.has(name)) continue;
    const other = reader.messages.get(name);
    if (other === undefined) {
      if (policy === "source") add("message-removed", `The message ${name} is gone.`, name);
      continue;
    }
    freed(message, other, add);
    if (policy !== "wire" && message.strictJson && !other.strictJson)
      add(
        "json-form-undefined",
        `${name} no longer promises a JSON form: its file went from proto3 or an edition to proto2.`,
        name,
      );
    if (policy === "source") generatedFields(message, other, add);
  }
  for (const [name, enumeration] of writer.enums) {
    const other = reader.enums.get(name);
    if (other === undefined) {
      if (policy === "source") add("enum-removed", `The enum ${name} is gone.`, name);
      continue;
    }
    freed(enumeration, other, add);
    enumValues(enumeration, other, { policy, add });
    if (policy !== "wire" && enumeration.strictJson && !other.strictJson)
      add("json-form-undefined", `${name} no longer promises a JSON form.`, name);
  }
  for (const [name, procedure] of writer.procedures) {
    const other = reader.procedures.get(name);
    if (other === undefined) {
      if (policy === "source") add("procedure-removed", `The procedure ${name} is gone.`, name);
    } else if (
      other.request !== procedure.request ||
      other.response !== procedure.response ||
      other.streams !== procedure.streams
    )
      add("procedure-changed", `The procedure ${name} changed its request or response type.`, name);
    else if (other.idempotency !== procedure.idempotency)
      add(
        "procedure-changed",
        `The procedure ${name} went from ${procedure.idempotency} to ${other.idempotency}, so it may be called differently.`,
        name,
      );
  }
  return changes;
}

type Reserving = Pick<ComparedMessage, "name" | "reserved">;
type Add = (code: string, message: string, place: string) => void;

/** Changes of fields that break code generated from the schema, though not messages. */
function generatedFields(message: ComparedMessage, other: ComparedMessage, add: Add): void {
  for (const field of message.fields) {
    const same = other.byNumber.get(field.number);
    if (same === undefined) continue;
    const place = `${message.name}.${field.name}`;
    if (same.name !== field.name) add("field-renamed", `${place} is named ${same.name} now.`, place);
    if (typeOf(same) !== typeOf(field))
      add("field-type-changed", `${place} was ${typeOf(field)} and is ${typeOf(same)} in generated code now.`, place);
    if (field.oneof !== undefined && same.oneof !== undefined && field.oneof !== same.oneof)
      add("oneof-renamed", `The oneof ${field.oneof} of ${place} is named ${same.oneof} now.`, place);
    else if ((field.oneof === undefined) !== (same.oneof === undefined))
      add("oneof-changed", `${place} went ${field.oneof === undefined ? "into" : "out of"} a oneof.`, place);
    else if (field.label === "one" && field.message === undefined && field.hasPresence !== same.hasPresence)
      add(
        "presence-changed",
        `${place} ${field.hasPresence ? "no longer says" : "now says"} whether it was set, so its accessors change.`,
        place,
      );
  }
}

const typeOf = (field: ComparedField): string => (field.label === "many" ? `repeated ${kind(field)}` : kind(field));

function enumValues(
  enumeration: ComparedEnum,
  other: ComparedEnum,
  { policy, add }: { readonly policy: Sides["policy"]; readonly add: Add },
): void {
  for (const [value, number] of enumeration.numbers) {
    const place = `${enumeration.name}.${value}`;
    const isGone = !other.names.has(number);
    if (isGone && !isReserved(other.reserved, number))
      add("enum-number-free", `${place} (${number}) is gone and its number is not reserved.`, place);
    else if (policy !== "wire" && isGone && !other.reserved.names.includes(value))
      add(
        "enum-name-free",
        `${place} (${number}) is gone and its name is not reserved, so JSON with it is refused.`,
        place,
      );
    else if (policy !== "wire" && !isGone && other.numbers.get(value) !== number)
      add("enum-renamed", `${place} (${number}) has another name now, so JSON that has the old one is refused.`, place);
  }
}

function freed({ name: place, reserved: before }: Reserving, { reserved: after }: Reserving, add: Add): void {
  const tell = (what: string): void => add("reserved-removed", `${place} no longer reserves ${what}.`, place);
  for (const [first, last] of before.ranges) {
    const kept = after.ranges.some(([from, to]) => from <= first && last <= to) || isCovered(first, last, after);
    if (!kept) tell(first === last ? String(first) : `${first} to ${last}`);
  }
  for (const name of before.names) if (!after.names.includes(name)) tell(JSON.stringify(name));
}

function isCovered(first: number, last: number, { ranges }: Reserved): boolean {
  let next = first;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) if (from <= next && to >= next) next = to + 1;
  return next > last;
}
