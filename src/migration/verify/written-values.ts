import { annotationsOf } from "../../core/values/annotations.ts";
import { EnumValue } from "../../core/values/enum-value.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { TaggedScalar } from "../../core/values/tagged-value.ts";
import { AmqpMap, Typed } from "../../core/values/typed.ts";
import { Instant } from "../../core/values/instant.ts";
import { MsgpackExtension } from "../../core/values/msgpack-extension.ts";
import { bytesKey, keysOfNumber, keysOfScalar, meaningsOf, type ValueKey } from "./value-keys.ts";

/** A scalar that was written. */
export interface WrittenValue {
  readonly name: string | undefined;
  readonly keys: readonly ValueKey[];
  /** The steps to it, innermost first. */
  readonly path: string;
}

/** The scalars of a body as it was read back. */
export class WrittenValues {
  readonly values: WrittenValue[] = [];
  readonly #counts = new Map<ValueKey, number>();
  readonly #names = new Map<string, number>();
  /** The number of empty strings, lists and objects. */
  empties = 0;
  readonly #seen = new Set<object>();

  constructor(body: unknown) {
    this.#walk(body, undefined, "$");
  }

  /** How often a value occurs, including as a dictionary key: a name that is not a member's. */
  count(keys: readonly ValueKey[], isMember: (name: string) => boolean): number {
    let sum = 0;
    let most = 0;
    // A text counts once, as itself or as its meaning.
    const hasText = keys.some((key) => key.startsWith("s"));
    for (const key of keys) {
      const count = this.#counts.get(key) ?? 0;
      const kind = key.charCodeAt(0);
      if (kind === 0x73) {
        const name = key.slice(1);
        sum += count + (isMember(name) ? 0 : (this.#names.get(name) ?? 0));
      } else if (kind === 0x6e || kind === 0x62 || kind === 0x78 || (kind === 0x6d && !hasText)) sum += count;
      else most = Math.max(most, count);
    }
    return Math.max(sum, most);
  }

  /** How often a key occurs. */
  countOf(key: ValueKey): number {
    return this.#counts.get(key) ?? 0;
  }

  #walk(value: unknown, name: string | undefined, path: string): void {
    switch (typeof value) {
      case "string":
        if (value === "") this.empties++;
        return this.#add(name, [`s${value}`, ...meaningsOf(value)], path);
      case "number":
      case "bigint":
        return this.#add(name, keysOfNumber(value).slice(0, 1), path);
      case "boolean":
        return this.#add(name, [`b${value}`], path);
      case "object":
        if (value !== null) this.#object(value, name, path);
        return;
      default:
    }
  }

  #object(value: object, name: string | undefined, path: string): void {
    // Tagged JSON preserves references, and therefore cycles.
    if (this.#seen.size === this.#seen.add(value).size) return;
    const { data, superMembers } = annotationsOf(value) ?? {};
    if (data !== undefined) this.#walk(data, undefined, `${path}.$data`);
    if (superMembers !== undefined) this.#walk(superMembers, undefined, `${path}.$super`);
    if (isEmpty(value)) this.empties++;
    if (Array.isArray(value)) for (const item of value) this.#walk(item, undefined, `${path}[]`);
    else if (value instanceof Uint8Array) this.#add(name, [bytesKey(value)], path);
    else if (
      value instanceof TaggedScalar ||
      value instanceof Typed ||
      value instanceof Date ||
      value instanceof Instant
    )
      this.#tagged(value, name, path);
    else if (value instanceof MultiArray) this.#object(value.values, undefined, path);
    else if (value instanceof ContentStream) this.#object(value.contents, undefined, path);
    else if (value instanceof MsgpackExtension) this.#add(name, [bytesKey(value.data)], path);
    else if (value instanceof Map || value instanceof AmqpMap) {
      for (const [key, item] of value) {
        this.#walk(key, undefined, `${path}[key]`);
        this.#walk(item, undefined, `${path}[value]`);
      }
    } else {
      for (const [member, inner] of Object.entries(value)) {
        this.#names.set(member, (this.#names.get(member) ?? 0) + 1);
        // The key of a dictionary.
        if (member === "") this.empties++;
        this.#walk(inner, member, `${path}.${member}`);
      }
    }
  }

  #tagged(value: TaggedScalar | Typed | Date | Instant, name: string | undefined, path: string): void {
    const keys = keysOfScalar(value);
    const number = value instanceof EnumValue && value.value !== undefined ? keysOfNumber(value.value) : [];
    this.#add(name, [...keys, ...number], path);
  }

  #add(name: string | undefined, keys: readonly ValueKey[], path: string): void {
    this.values.push({ name, keys, path });
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}

function isEmpty(value: object): boolean {
  return value instanceof Map ? value.size === 0 : Object.keys(value).length === 0;
}
