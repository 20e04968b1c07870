import { memberOf } from "../envelope/bag.ts";
import { valueFromJson } from "../values/value-json-reading.ts";
import { valueToJson } from "../values/value-json.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { unsupported } from "./unsupported.ts";

/**
 * The application property that lists, as a JSON array, the properties that hold JSON text because the foreign message
 * had a list or a table there.
 */
export const nestedMark = "sobre-json";

/** A list or table of a foreign message as JSON text; values that JSON lacks are the `$` objects of `valueToJson`. */
export function toNestedText(value: unknown, path: string): string {
  try {
    return JSON.stringify(valueToJson(plainCopy(value, 0)));
  } catch (error) {
    if (error instanceof SobreError) throw unsupported(path, "nests too deeply or holds what JSON text cannot");
    throw error;
  }
}

/** The list or table that {@link toNestedText} wrote, or `undefined` when `text` is no longer such a text, more. */
export function fromNestedText(text: string): object | undefined {
  try {
    const value = valueFromJson(JSON.parse(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The names in a {@link nestedMark}; none when it is not one. */
export function nestedNames(mark: unknown): readonly string[] {
  if (typeof mark !== "string") return [];
  const names = fromNestedText(mark);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

const maxDepth = 100;

/** Clients give instances of classes of their own, of which only the members are known. */
function plainCopy(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Date) return value;
  if (depth > maxDepth) throw new SobreError("UnsupportedValue", "Too deep.");
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, depth + 1));
  const names = Object.keys(value).filter((name) => typeof memberOf(value, name) !== "function");
  return Object.fromEntries(names.map((name) => [name, plainCopy(memberOf(value, name), depth + 1)]));
}
