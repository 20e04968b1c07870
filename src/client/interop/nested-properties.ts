import { memberOf } from "../../core/envelope/bag.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { unsupported } from "./unsupported.ts";

/**
 * The application property that lists, as a JSON array, the properties holding JSON text in place of a list or table of
 * the original message.
 */
export const nestedMark = "sobre-json";

/**
 * A list or table of another client's message as JSON text; values that JSON lacks are in the form of `valueToJson`.
 */
export function toNestedText(value: unknown, path: string): string {
  try {
    return JSON.stringify(valueToJson(plainCopy(value, 0)));
  } catch (error) {
    if (error instanceof SobreError)
      throw unsupported(path, "is nested too deeply or has a value that JSON text cannot represent");
    throw error;
  }
}

/** The list or table that {@link toNestedText} wrote, or `undefined` if `text` is not such text any more. */
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

/** Copies only members, since clients return instances of their own classes. */
function plainCopy(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Date) return value;
  if (depth > maxDepth) throw new SobreError("UnsupportedValue", "Too deep.");
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, depth + 1));
  const names = Object.keys(value).filter((name) => typeof memberOf(value, name) !== "function");
  return Object.fromEntries(names.map((name) => [name, plainCopy(memberOf(value, name), depth + 1)]));
}
