import { jsonFormOf, nativeKindOf } from "./native-form.ts";

/** A value that a schema refused, with the schema that did. */
export interface Refused {
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
export function jsonReplacement({ value, schema }: Refused): Replacement | undefined {
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

/** A value of which parts can be replaced; what is not replaced stays shared with the original. */
export class PatchedValue {
  #root: unknown;
  /** Containers that were copied, and may be changed. */
  readonly #own = new Set<unknown>();

  constructor(value: unknown) {
    this.#root = value;
  }

  get value(): unknown {
    return this.#root;
  }

  /** Replaces what is at a JSON Pointer. */
  replace(pointer: string, value: unknown): void {
    const tokens = pointer.split("/").slice(1).map(unescapeToken);
    const last = tokens.pop();
    if (last === undefined) {
      this.#root = value;
      return;
    }
    this.#root = this.#owned(this.#root);
    let container = this.#root;
    for (const token of tokens) {
      const inner = this.#owned(read(container, token));
      write(container, token, inner);
      container = inner;
    }
    write(container, last, value);
  }

  #owned(container: unknown): unknown {
    if (this.#own.has(container) || typeof container !== "object" || container === null) return container;
    const copy: unknown = Array.isArray(container) ? Array.from<unknown>(container) : { ...container };
    this.#own.add(copy);
    return copy;
  }
}

function read(container: unknown, token: string): unknown {
  return typeof container === "object" && container !== null ? Reflect.get(container, token) : undefined;
}

function write(container: unknown, token: string, value: unknown): void {
  // Not by assignment, which for "__proto__" would set no member.
  if (typeof container === "object" && container !== null)
    Object.defineProperty(container, token, { value, writable: true, enumerable: true, configurable: true });
}

/** One reference token of a JSON Pointer (RFC 6901 section 4). */
export function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
