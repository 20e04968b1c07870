import type { ProtoField, ProtoFile } from "./random-proto.ts";

/** Which message a value is of, and the file whose fields count as well as its own. */
export interface ProtoPlace {
  readonly file: ProtoFile;
  readonly side: "outer" | "inner";
  readonly other: ProtoFile;
}

/** A decoded message by field numbers, in one form for what is the same on the wire: a list of one, and what is zero. */
export function formByNumber(value: unknown, { file, side, other }: ProtoPlace): Readonly<Record<string, unknown>> {
  const entries = file[side].flatMap((field): readonly (readonly [string, unknown])[] => {
    const present: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field.name) : undefined;
    const isShared = other[side].some(({ number }) => number === field.number);
    if (!isShared || present === undefined || present === null) return [];
    const one = (item: unknown): unknown =>
      field.kind === "Inner" ? formByNumber(item, { file, side: "inner", other }) : scalarForm(item, field);
    const forms = itemsOf(present, field).map(one);
    return forms.length === 0 || (forms.length === 1 && isZero(forms[0])) ? [] : [[String(field.number), forms]];
  });
  return Object.fromEntries(entries);
}

function itemsOf(value: unknown, { label }: ProtoField): readonly unknown[] {
  if (label === "many") return Array.isArray(value) ? value : [];
  if (label !== "map" || typeof value !== "object" || value === null) return [value];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function scalarForm(value: unknown, { kind }: ProtoField): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (kind === "string") return `text ${Buffer.from(String(value)).toString("base64")}`;
  if (kind === "bytes") return `text ${Buffer.from(String(value), "base64").toString("base64")}`;
  return kind === "double" || kind === "float" ? `float ${String(value)}` : String(value);
}

function isZero(form: unknown): boolean {
  return form === "0" || form === "text " || form === "float 0";
}
