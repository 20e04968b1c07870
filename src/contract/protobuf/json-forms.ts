import { isObject } from "../../core/values/plain-object.ts";
import type { ComparedMessage } from "./shape.ts";

/** The types of google.protobuf with a JSON form of their own, each with the form of an empty message. */
const emptyForms: Readonly<Record<string, unknown>> = {
  Any: {},
  Duration: "0s",
  FieldMask: "",
  ListValue: [],
  Struct: {},
  Timestamp: "1970-01-01T00:00:00Z",
  Value: null,
  BoolValue: false,
  BytesValue: "",
  DoubleValue: 0,
  FloatValue: 0,
  Int32Value: 0,
  Int64Value: "0",
  StringValue: "",
  UInt32Value: 0,
  UInt64Value: "0",
};

const texts: Readonly<Record<string, RegExp>> = {
  Duration: /^-?\d+(\.\d{1,9})?s$/,
  FieldMask: /^([\w.]+(,[\w.]+)*)?$/,
  Timestamp: /^\d{4}-\d\d-\d\dT/,
};

/** The name of a type that JSON writes in its own form. */
function ownForm(message: ComparedMessage): string | undefined {
  const [, name = ""] = /^google\.protobuf\.(\w+)$/.exec(message.name) ?? [];
  return Object.hasOwn(emptyForms, name) ? name : undefined;
}

/** The JSON form of an empty message of a type with its own form. */
export function emptyForm(message: ComparedMessage): { readonly json: unknown } | undefined {
  const name = ownForm(message);
  return name === undefined ? undefined : { json: emptyForms[name] };
}

/** Whether `value` may be the JSON of a type with its own form; `undefined` for a type that has none. */
export function fitsOwnForm(value: unknown, message: ComparedMessage): boolean | undefined {
  const name = ownForm(message);
  if (name === undefined) return undefined;
  const text = texts[name];
  if (text !== undefined) return typeof value === "string" && text.test(value);
  if (name === "Value") return true;
  if (name === "ListValue") return Array.isArray(value);
  return isObject(value) === (name === "Any" || name === "Struct");
}

/** Whether JSON writes two types by the same rules. Wrappers stand for their values, which are compared as fields. */
export function areFormedAlike(writer: ComparedMessage, reader: ComparedMessage): boolean {
  const [own, other] = [ownForm(writer), ownForm(reader)];
  return (
    own === other || [own, other].every((name) => name !== undefined && /\w+Value$/.test(name) && name !== "ListValue")
  );
}
