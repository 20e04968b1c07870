import { DateTime } from "../../../src/core/values/date-time.ts";
import { EnumValue } from "../../../src/core/values/enum-value.ts";
import { scalarOfText } from "../data-contract/scalar-text.ts";
import type { ResolvedShape } from "../data-contract/shape.ts";
import { untypedJson } from "./json-scalar.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";

/** Whether the keys of a dictionary are text, as the names of an object in JSON are. */
export function isTextKey(key: ResolvedShape): boolean {
  return key.kind !== "enum" && (key.kind !== "scalar" || key.scalar === "any" || key.scalar === "string");
}

/** The key that a name in JSON is, or `undefined` where it is not of that type. .NET writes `True` for a boolean. */
export function keyOfName(name: string, key: ResolvedShape): unknown {
  if (key.kind === "scalar") return scalarOfText(key.scalar === "boolean" ? name.toLowerCase() : name, key.scalar);
  if (key.kind !== "enum") return undefined;
  const number = key.members.get(name) ?? key.clrMembers.get(name);
  return number === undefined ? undefined : new EnumValue(name, number);
}

/** Fields of ReadOnlyCollection, ReadOnlyDictionary and StringDictionary that hold the collection. */
const listFields: ReadonlySet<string> = new Set(["list", "items"]);
const mapFields: ReadonlySet<string> = new Set(["m_dictionary", "_dictionary", "contents"]);

/** The list in an object that a read-only collection is, where its contract says list or dictionary. */
export function wrappedCollection(tape: JsonTape, object: number, declared: ResolvedShape): number | undefined {
  if (declared.kind !== "list" && declared.kind !== "map") return undefined;
  const names = tape.count(object, 1) === 1 ? tape.names(object) : [];
  const isField = (declared.kind === "list" ? listFields : mapFields).has(names[0] ?? "");
  const inner = isField ? object + 2 : undefined;
  return inner !== undefined && tape.kind(inner) === jsonKind.list ? inner : undefined;
}

/** A list of objects with exactly Key and Value is a dictionary if no key is null or repeated; an empty one only if `mayBeEmpty`. */
export function isDictionary(tape: JsonTape, list: number, mayBeEmpty: boolean): boolean {
  const end = tape.end(list);
  const keys = new Set<string>();
  for (let item = list + 1; item < end; item = tape.next(item)) {
    const [key] = entryOf(tape, item) ?? [];
    if (key === undefined || tape.kind(key) === jsonKind.null) return false;
    if (tape.kind(key) > jsonKind.object && keys.size === keys.add(tape.written(key)).size) return false;
  }
  return mayBeEmpty || end > list + 1;
}

/** The key and value of an entry, or `undefined` for anything else. */
export function entryOf(tape: JsonTape, item: number): readonly [key: number, value: number] | undefined {
  if (tape.kind(item) !== jsonKind.object || tape.count(item, 2) !== 2) return undefined;
  const key = tape.member(item, "Key");
  const value = key === undefined ? undefined : tape.member(item, "Value");
  return key === undefined || value === undefined ? undefined : [key, value];
}

/** Whether all keys of a dictionary are text. */
export function hasStringKeys(tape: JsonTape, list: number): boolean {
  for (let item = list + 1; item < tape.end(list); item = tape.next(item)) {
    const key = tape.kind(item) === jsonKind.object ? tape.member(item, "Key") : undefined;
    if (key === undefined || !tape.isString(key) || isDate(tape, key)) return false;
  }
  return true;
}

/** Whether text is a date: .NET escapes its slashes. */
function isDate(tape: JsonTape, text: number): boolean {
  return tape.kind(text) === jsonKind.escaped && untypedJson(tape, text) instanceof DateTime;
}
