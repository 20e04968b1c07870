import { cut } from "../errors/cut.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { AmqpMap, Typed } from "./typed.ts";
import { Instant } from "./instant.ts";
import { annotationsOf } from "./annotations.ts";
import { toBase64 } from "./base64.ts";
import type { Json, JsonObject } from "./json.ts";
import { TaggedScalar, TaggedValue } from "./tagged-value.ts";
import { type ContainerValue, isContainer, sharedIn } from "./shared-references.ts";

export type { Json } from "./json.ts";

/** Deeper values are refused, since JSON.stringify would overflow the stack. */
const maxDepth = 1000;

/** Characters of a path that errors show: nobody reads more. */
const maxPathLength = 256;

/**
 * Renders a value as JSON for people and files; values that JSON lacks become objects with one `$` key, e.g. `{"$int64":"9"}`.
 *
 * `undefined` members are left out. Objects of which a key begins with `$` are wrapped: `{"$object":{…}}`. Objects,
 * lists and maps that are reached twice are written once, with a number: `{"$id":"1",…}` (`$values` holds a list), and
 * as `{"$ref":"1"}` from then on. `valueFromJson` is the inverse.
 *
 * @throws SobreError `UnsupportedValue` with the path, for functions, symbols, unknown classes, and more than 1,000 levels.
 * @example
 * ```ts
 * console.log(JSON.stringify(valueToJson({ id: 7n, raw: Uint8Array.of(1) }))); // {"id":{"$int64":"7"},"raw":{"$bytes":"AQ=="}}
 * ```
 */
export function valueToJson(value: unknown): Json {
  const ids = new Map<ContainerValue, string>();
  try {
    return render(value, { path: "$", depth: 0, shared: sharedIn(value), ids });
  } catch (error) {
    // A caller may leave less stack than a thousand levels take.
    if (error instanceof RangeError) throw unsupported("$", "is nested too deeply for this process");
    throw error;
  }
}

/** The place of a part in the value, and the state that all parts share. */
interface WritingPlace {
  readonly path: string;
  readonly depth: number;
  readonly shared: ReadonlySet<ContainerValue>;
  /** The numbers that have been given so far. */
  readonly ids: Map<ContainerValue, string>;
}

function within(place: WritingPlace, step: string): WritingPlace {
  return { ...place, path: `${place.path}${step}`, depth: place.depth + 1 };
}

function render(value: unknown, place: WritingPlace): Json {
  if (place.depth > maxDepth) throw unsupported(place.path, `nests deeper than ${maxDepth} levels`);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return isPlainNumber(value) ? value : { $double: doubleText(value) };
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 64n ? { $int64: `${value}` } : { $bigint: `${value}` };
    case "object":
      return value === null ? null : isContainer(value) ? renderContainer(value, place) : renderScalar(value, place);
    default:
      throw unsupported(place.path, `is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}`);
  }
}

function renderScalar(value: object, place: WritingPlace): Json {
  if (value instanceof TaggedScalar) return value.toTagged();
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (value instanceof Date) return renderDate(value, place.path);
  if (value instanceof Instant) return { $dateTime: value.toString(), kind: "utc" };
  if (value instanceof Typed) return renderTyped(value, place);
  throw unsupported(place.path, "is an instance of a class");
}

function renderContainer(value: ContainerValue, place: WritingPlace): Json {
  const known = place.ids.get(value);
  if (known !== undefined) return { $ref: known };
  if (!place.shared.has(value)) {
    // Most have only contents to render, and each call on the way takes stack.
    if (annotationsOf(value) !== undefined) return withHeader(value, undefined, place);
    return Array.isArray(value) ? renderItems(value, place) : renderContents(value, place);
  }
  const id = `${place.ids.size + 1}`;
  place.ids.set(value, id);
  return withHeader(value, id, place);
}

function withHeader(value: ContainerValue, id: string | undefined, place: WritingPlace): Json {
  const { typeName, data, superMembers } = annotationsOf(value) ?? {};
  const header: JsonObject = {
    ...(id === undefined ? {} : { $id: id }),
    ...(typeName === undefined ? {} : { $type: typeName }),
    ...(data === undefined ? {} : { $data: data.map((item, at) => render(item, within(place, `.$data[${at}]`))) }),
    ...(superMembers === undefined ? {} : { $super: render(superMembers, within(place, ".$super")) }),
  };
  if (!Array.isArray(value)) return { ...header, ...renderContents(value, place) };
  const items = renderItems(value, place);
  return Object.keys(header).length === 0 ? items : { ...header, $values: items };
}

function renderItems(list: readonly unknown[], place: WritingPlace): Json[] {
  const items: Json[] = [];
  for (let index = 0; index < list.length; index++) items.push(render(list[index], within(place, `[${index}]`)));
  return items;
}

function renderContents(value: Exclude<ContainerValue, readonly unknown[]>, place: WritingPlace): JsonObject {
  if (value instanceof TaggedValue) return value.toTagged((inner, at) => render(inner, within(place, `[${at}]`)));
  if (value instanceof Map || value instanceof AmqpMap) {
    const entries: Json[] = [];
    for (const [key, item] of value) {
      const inner = within(place, `[${entries.length}]`);
      entries.push([render(key, inner), render(item, inner)]);
    }
    return { $map: entries };
  }
  return renderMembers(value, place);
}

function renderMembers(value: object, place: WritingPlace): JsonObject {
  const rendered: [string, Json][] = [];
  // A loop, since a callback would take the stack of two calls for each level.
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) rendered.push([key, render(member, within(place, `.${key}`))]);
  }
  const members = Object.fromEntries(rendered);
  return rendered.some(([key]) => key.startsWith("$")) ? { $object: members } : members;
}

function renderDate(value: Date, path: string): Json {
  if (Number.isNaN(value.getTime())) throw unsupported(path, "is an invalid Date");
  return { $dateTime: value.toISOString(), kind: "utc", ticks: `${BigInt(value.getTime()) * 10_000n + ticksTo1970}` };
}

/** 100-nanosecond ticks from 0001-01-01 to 1970-01-01, as .NET counts them. */
const ticksTo1970 = 621_355_968_000_000_000n;

function renderTyped({ type, value }: Typed, place: WritingPlace): Json {
  if (typeof value === "bigint") return { [`$${type === "long" ? "int64" : type}`]: `${value}` };
  if (typeof value === "number") {
    if (type === "double") return { $double: doubleText(value) };
    return { [`$${type}`]: Number.isFinite(value) && !Object.is(value, -0) ? value : doubleText(value) };
  }
  if (typeof value === "string") return { [type === "uuid" ? "$guid" : `$${type}`]: value };
  if (value instanceof Uint8Array) return { [`$${type}`]: toBase64(value) };
  if ("values" in value) {
    const items = value.values.map((item, index) => render(item, within(place, `[${index}]`)));
    const descriptor =
      value.descriptor === undefined ? {} : { descriptor: render(value.descriptor, within(place, "")) };
    return { $amqpArray: { of: value.elementType, ...descriptor, values: items } };
  }
  return { $described: [render(value.descriptor, within(place, "")), render(value.value, within(place, ""))] };
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Object.is(value, -0)) return "-0";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  return isPlainNumber(value) ? String(value) : value.toExponential().replace("+", "");
}

/** Whether JSON text of a number reads back as this number; the digits of `1e16` would read back as an integer. */
function isPlainNumber(value: number): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return !Object.is(value, -0);
  return Math.abs(value) >= 1e21 && Number.isFinite(value);
}

function unsupported(fullPath: string, why: string): SobreError {
  const path = cut(fullPath, maxPathLength);
  return new SobreError("UnsupportedValue", `The value at ${path} ${why} and has no JSON form.`, { path });
}
