import { StepMeter } from "../meter.ts";
import { PatchedValue } from "../../core/values/patched-value.ts";
import { pointerSteps } from "../../core/json-schema/json-form.ts";
import { type NativeKind, nativeKindOf } from "../../core/json-schema/native-form.ts";
import type { Keywords } from "./keyword-value.ts";
import {
  appliedTogether,
  fromNative,
  itemNodes,
  memberNodes,
  toNative,
  withPlausibleTexts,
} from "./samples/native-values.ts";
import { escapeToken, type SchemaDocument, type SchemaNode } from "./schema-document.ts";

/** A place that the writer's schema marks and the reader's does not. */
export interface LostMark {
  readonly kind: NativeKind | "integer";
  /** The pointer to the value; `*` stands for a member with any other name. */
  readonly instancePointer: string;
}

/**
 * Where values travel as bytes, times or 64-bit integers by the writer's schema and the reader's says something else; in
 * codecs that have such types its reader finds them where it wants a text.
 *
 * @throws SobreError `LimitExceeded` once the steps of `meter` are used up.
 */
export function lostMark(
  writer: SchemaDocument,
  reader: SchemaDocument,
  meter: StepMeter = new StepMeter(Infinity),
): LostMark | undefined {
  if (!/"(?:contentEncoding|format|pattern)":/.test(JSON.stringify(writer.root.schema))) return undefined;
  const seen = new Set<string>();
  const visit = (sent: readonly SchemaNode[], read: readonly SchemaNode[], at: string): LostMark | undefined => {
    const [left, right] = [appliedTogether(sent), appliedTogether(read)];
    const key = [left, right].map((group) => group.map(({ node }) => node.pointer).join(" ")).join(" | ");
    if (seen.has(key) || left.length === 0) return undefined;
    meter.spend(left.length + right.length);
    seen.add(key);
    const [kind, other] = [markOf(left), markOf(right)];
    // Unless the reader has a keyword there, a number of any size passes.
    const isLost = kind === "integer" ? other !== kind && right.some(({ schema }) => "type" in schema) : kind !== other;
    if (kind !== undefined && isLost) return { kind, instancePointer: at };
    for (const [name, nodes] of childrenOf(left, right)) {
      const lost = visit(nodes[0], nodes[1], `${at}/${name}`);
      if (lost !== undefined) return lost;
    }
    return undefined;
  };
  return visit([writer.root], [reader.root], "");
}

/** The sample with a text of the marked kind added where the member is absent, as samples omit what they cannot judge. */
export function withMarked(sample: unknown, { kind, instancePointer }: LostMark): unknown {
  const patched = new PatchedValue(sample);
  const text = { bytes: "AAEC", instant: "2026-01-31T12:00:00Z", int64: "7", integer: 7 }[kind];
  patched.replace(pointerSteps(instancePointer), text);
  return patched.value;
}

/** A message that arrives changed in a codec with such types. */
export interface NativeChange {
  /** The message in JSON, and with the types that such codecs carry. */
  readonly value: unknown;
  readonly sent: unknown;
  readonly what: string;
  readonly pointer: string;
  readonly outcome: string;
}

/** How one message is misread; `undefined` if it is read as intended. */
export function nativeChange(
  writer: SchemaDocument,
  reader: SchemaDocument,
  sample: unknown,
): NativeChange | undefined {
  const value = withPlausibleTexts(writer, sample);
  const sent = toNative(writer, value);
  const found = firstNative(fromNative(reader, sent), "");
  if (found === undefined) return undefined;
  const { what, pointer } = found;
  return { value, sent, what, pointer, outcome: `${pointer || "/"}: is ${what} where the reader's schema has none` };
}

function markOf(group: readonly Keywords[]): LostMark["kind"] | undefined {
  const [text] = group.flatMap((keywords) => nativeKindOf((name) => keywords.get(name)) ?? []);
  const isWide = group.some(({ schema }) => {
    const { type } = schema;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    return schema["format"] === "int64" && (types.includes("integer") || types.includes("number"));
  });
  return text ?? (isWide ? "integer" : undefined);
}

type Children = readonly (readonly [string, readonly [readonly SchemaNode[], readonly SchemaNode[]]])[];

/** The schemas of everything inside, in pairs. */
function childrenOf(left: readonly Keywords[], right: readonly Keywords[]): Children {
  const both = [...left, ...right];
  const names = new Set(both.flatMap((one) => Object.keys(one.map("properties") ?? {})));
  const patterns = new Set(left.flatMap((one) => Object.keys(one.map("patternProperties") ?? {})));
  const length = Math.max(
    0,
    ...both.flatMap(({ schema }) => [lengthOf(schema["prefixItems"]), lengthOf(schema["items"])]),
  );
  return [
    ...Array.from(names, (name) => [escapeToken(name), [member(left, name), member(right, name)]] as const),
    ...Array.from(patterns, (pattern) => {
      const same = inside(right, "patternProperties", pattern);
      const others = same.length > 0 ? same : inside(right, "additionalProperties");
      return ["*", [inside(left, "patternProperties", pattern), others]] as const;
    }),
    ["*", [inside(left, "additionalProperties"), inside(right, "additionalProperties")]],
    ...Array.from({ length: length + 1 }, (_, at) => [String(at), [item(left, at), item(right, at)]] as const),
  ];
}

function member(group: readonly Keywords[], name: string): readonly SchemaNode[] {
  return group.flatMap((one) => memberNodes(one, name));
}

function item(group: readonly Keywords[], at: number): readonly SchemaNode[] {
  return group.flatMap((one) => itemNodes(one, at));
}

/** The schemas at a path of keywords, where it leads to one. */
function inside(group: readonly Keywords[], ...path: readonly string[]): readonly SchemaNode[] {
  return group.flatMap(({ node }) => {
    const child = node.document.child(node, ...path);
    return child.schema === undefined ? [] : [child];
  });
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** The first value that JSON has no type for. */
function firstNative(value: unknown, pointer: string): { readonly what: string; readonly pointer: string } | undefined {
  if (value instanceof Uint8Array) return { what: "bytes", pointer };
  if (value instanceof Date) return { what: "a time", pointer };
  if (typeof value === "bigint") return { what: "a 64-bit integer", pointer };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = firstNative(inner, `${pointer}/${escapeToken(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
