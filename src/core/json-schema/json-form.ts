import { jsonFormOf, nativeKindOf } from "./native-form.ts";

/** A value that a schema refused, with the schema that did. */
export interface RefusedValue {
  /** JSON Pointer to it. */
  readonly pointer: string;
  readonly value: unknown;
  /** Every keyword of the schema that refused it. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The replacement of a refused value: `given` on, and what a validator may judge instead. */
interface Replacement {
  readonly given: unknown;
  readonly judged: unknown;
}

/**
 * The form that a schema expects of a value without a JSON type: the text of bytes, times and 64-bit integers where it
 * says so, a number for a bigint that one can hold. A larger bigint stays where the format `int64` allows it.
 */
export function jsonReplacement({ value, schema }: RefusedValue): Replacement | undefined {
  const types: unknown = schema["type"];
  const wanted: readonly unknown[] = Array.isArray(types) ? types : [types];
  if (typeof value === "bigint" && (wanted.includes("integer") || wanted.includes("number"))) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return { given: number, judged: number };
    const isAllowed = schema["format"] === "int64" && BigInt.asIntN(64, value) === value;
    return isAllowed ? { given: value, judged: number } : undefined;
  }
  const kind = nativeKindOf((name) => schema[name]);
  if (kind === undefined || typeof value === "string") return undefined;
  const text = jsonFormOf(kind, value);
  return text === value ? undefined : { given: text, judged: text };
}

/** The names and indexes of a JSON Pointer (RFC 6901). */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapeToken);
}

/** One reference token of a JSON Pointer (RFC 6901 section 4). */
export function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
