import { memberStep } from "../../core/values/member-step.ts";
import { settledKinds, type SettledShape } from "../infer/settled-shape.ts";
import { SubjectNames } from "./subject-name.ts";
import { decimalsAreText, type TargetRules } from "./target-rules.ts";
import type { ValueKind } from "../infer/value-kind.ts";

/** The representation of the values of one path in a Protobuf message. */
export type ProtoForm =
  | { readonly kind: "scalar"; readonly type: "bool" | "int64" | "double" | "string" | "bytes" }
  /** No single field type holds the values seen, so the field is JSON in a string. */
  | { readonly kind: "json"; readonly why: string }
  | { readonly kind: "message"; readonly message: ProtoMessage }
  | { readonly kind: "list"; readonly item: ProtoForm; readonly wrapper: string | undefined }
  | { readonly kind: "dictionary"; readonly value: ProtoForm; readonly wrapper: string | undefined };

/** A member of a message. */
interface ProtoField {
  /** The member of the value. */
  readonly member: string;
  /** The field in the schema. */
  readonly field: string;
  readonly form: ProtoForm;
  /** Whether the member was null in some message, so that an absent field reads as null. */
  readonly nullable: boolean;
}

/** A message type. */
export interface ProtoMessage {
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

/** The messages of one type of bodies. */
export interface ProtoPlan {
  /** Full name of the root's message type. */
  readonly messageType: string;
  readonly root: ProtoMessage;
  /** Whether the body is not an object, so that it is in a field `value` of the root. */
  readonly wrapped: boolean;
  /** The .proto file. */
  readonly text: string;
}

const packageName = "migrated";

/** Plans the messages of a type; fields are numbered in the order of their members' names. */
export function planProto(name: string, root: SettledShape, rules: TargetRules): ProtoPlan {
  return new ProtoPlanner(name, rules).plan(root);
}

const textual: readonly ValueKind[] = [
  "text",
  "empty-text",
  "decimal",
  "big-integer",
  "time-utc",
  "time-local",
  "time-unspecified",
  "time-offset",
  "date",
  "clock-time",
  "duration",
  "guid",
  "uri",
  "version",
  "class",
  "qname",
  "char",
  "symbol",
  "enum",
];

class ProtoPlanner {
  readonly #name: string;
  readonly #rules: TargetRules;
  readonly #names = new SubjectNames();
  readonly #blocks: string[] = [];

  constructor(name: string, rules: TargetRules) {
    this.#name = name;
    this.#rules = rules;
  }

  plan(shape: SettledShape): ProtoPlan {
    const rootName = this.#names.take(this.#name);
    const { kinds } = shape.shape;
    const wrapped = kinds.object !== shape.shape.count || shape.shape.isDictionary;
    const root = wrapped
      ? this.#message(rootName, [["value", shape]], 1)
      : this.#message(rootName, [...shape.members], kinds.object);
    const text = [`syntax = "proto3";`, "", `package ${packageName};`, "", this.#blocks.join("\n\n"), ""].join("\n");
    return { messageType: `${packageName}.${rootName}`, root, wrapped, text };
  }

  #message(name: string, members: readonly (readonly [string, SettledShape])[], parents: number): ProtoMessage {
    const fieldNames = new Set<string>();
    const at = this.#blocks.push("") - 1;
    const fields = members
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([member, shape]): ProtoField => {
        const field = fieldName(member, fieldNames);
        const always = shape.shape.count === parents && shape.shape.kinds.null === 0;
        const form = this.#form(shape, `${name}_${member}`, always);
        return { member, field, form, nullable: shape.shape.kinds.null > 0 };
      });
    const lines = fields.map((field, index) => `  ${declaration(field)} = ${index + 1};${comment(field)}`);
    this.#blocks[at] = lines.length === 0 ? `message ${name} {}` : `message ${name} {\n${lines.join("\n")}\n}`;
    return { name, fields };
  }

  #form(settled: SettledShape, path: string, always: boolean): ProtoForm {
    const { shape, members, items } = settled;
    const isText = decimalsAreText(shape, this.#rules);
    const isLiteral = shape.literals > 0;
    const seen = settledKinds(settled)
      .filter((kind) => kind !== "null")
      .map((kind) => inDecimalForm(kind, isText, isLiteral));
    const only = (...kinds: readonly ValueKind[]): boolean =>
      seen.length > 0 && seen.every((kind) => kinds.includes(kind));
    if (only("boolean")) return { kind: "scalar", type: "bool" };
    if (only("integer", "int64") && shape.unsigned > 0) return { kind: "json", why: "some are beyond 2^63" };
    if (only("integer", "int64")) return { kind: "scalar", type: "int64" };
    if (only("integer", "number", "not-finite")) return { kind: "scalar", type: "double" };
    if (only(...textual)) return { kind: "scalar", type: "string" };
    if (only("bytes")) return { kind: "scalar", type: "bytes" };
    if (only("object") && shape.isDictionary) return this.#dictionary(items, path, always);
    if (only("object"))
      return { kind: "message", message: this.#message(this.#names.take(path), [...members], shape.kinds.object) };
    if (only("list", "stream")) return this.#list(items, path, always);
    const why =
      seen.length === 0
        ? "it was always null"
        : only("map")
          ? "its keys are not strings"
          : `it was ${seen.join(" or ")}`;
    return { kind: "json", why };
  }

  #dictionary(items: SettledShape | undefined, path: string, always: boolean): ProtoForm {
    const value = items === undefined || items.shape.kinds.null > 0 ? undefined : this.#form(items, path, true);
    if (value === undefined || value.kind === "dictionary" || value.kind === "list")
      return { kind: "json", why: "its values are null, lists or dictionaries" };
    if (always) return { kind: "dictionary", value, wrapper: undefined };
    const wrapper = this.#names.take(`${path}_map`);
    this.#blocks.push(`message ${wrapper} {\n  map<string, ${typeOf(value)}> items = 1;\n}`);
    return { kind: "dictionary", value, wrapper };
  }

  #list(items: SettledShape | undefined, path: string, always: boolean): ProtoForm {
    if (items === undefined) return { kind: "json", why: "it was always empty" };
    if (items.shape.kinds.null > 0) return { kind: "json", why: "some items are null" };
    const item = this.#form(items, path, true);
    const nested = item.kind === "list" && item.wrapper === undefined;
    const inner: ProtoForm = nested ? { ...item, wrapper: this.#wrapper(item, `${path}_inner`) } : item;
    if (inner.kind === "dictionary") return { kind: "json", why: "its items are dictionaries" };
    const list: ProtoForm = { kind: "list", item: inner, wrapper: undefined };
    return always ? list : { ...list, wrapper: this.#wrapper(list, `${path}_list`) };
  }

  /** A message that wraps a list, so that an absent list differs from an empty one, and lists can be nested. */
  #wrapper(list: Extract<ProtoForm, { readonly kind: "list" }>, path: string): string {
    const name = this.#names.take(path);
    this.#blocks.push(`message ${name} {\n  repeated ${typeOf(list.item)} items = 1;\n}`);
    return name;
  }
}

/** The kind of a number at a path with decimals: text or number. */
function inDecimalForm(kind: ValueKind, isText: boolean | undefined, isLiteral: boolean): ValueKind {
  if (isText === undefined || !["decimal", "number", "integer", "int64"].includes(kind)) return kind;
  if (kind === "decimal") return isText ? "text" : "number";
  return isText && isLiteral ? "text" : kind;
}

function declaration({ field, form }: ProtoField): string {
  if (form.kind === "list" && form.wrapper === undefined) return `repeated ${typeOf(form.item)} ${field}`;
  if (form.kind === "dictionary" && form.wrapper === undefined) return `map<string, ${typeOf(form.value)}> ${field}`;
  return `optional ${typeOf(form)} ${field}`;
}

function typeOf(form: ProtoForm): string {
  switch (form.kind) {
    case "scalar":
      return form.type;
    case "json":
      return "string";
    case "message":
      return form.message.name;
    case "list":
      return form.wrapper ?? "string";
    case "dictionary":
      return form.wrapper ?? "string";
    default:
      return form satisfies never;
  }
}

function comment({ member, field, form }: ProtoField): string {
  const notes = [
    ...(member === field ? [] : [`member ${memberStep(member).replaceAll(/[\r\n]/g, " ")}`]),
    ...(form.kind === "json" ? [`JSON text, since ${form.why}`] : []),
  ];
  return notes.length === 0 ? "" : ` // ${notes.join("; ")}`;
}

function fieldName(member: string, taken: Set<string>): string {
  const ascii = member
    .normalize("NFD")
    .replaceAll(/[^A-Za-z0-9_]/g, "_")
    .replace(/^_+/, "");
  const start = /^[A-Za-z]/.test(ascii) ? ascii : `f_${ascii}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? start : `${start}_${number}`;
    // The JSON names of fields must also be unique.
    const key = candidate.replaceAll("_", "").toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return candidate;
  }
}
