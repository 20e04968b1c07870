import type { ValueKey } from "./value-keys.ts";

/** A scalar of the source: the first key counts how often it must come again, any other is as good. */
export interface SourceValue {
  /** The member that it is the value of, or `undefined` of an item. */
  readonly name: string | undefined;
  readonly keys: readonly ValueKey[];
  /** For people: where it is. */
  readonly path: string;
}

/** Several scalars that may come again as one, e.g. the parts of a version. */
export interface SourceGroup {
  readonly keys: readonly ValueKey[];
  readonly parts: readonly SourceValue[];
}

/** The scalars of one payload, as its tokens have them. */
export class SourceValues {
  readonly values: SourceValue[] = [];
  readonly groups: SourceGroup[] = [];
  readonly fields: (SourceValue & { readonly name: string })[] = [];
  /** Names of members with a scalar, and all keys of their values. */
  readonly byName: Map<string, Set<ValueKey>> = new Map();
  /** Elements without contents: empty texts, lists or objects. */
  empties = 0;
  /** Whether values are referred to, and so may come more often than they were written. */
  isShared = false;
  readonly #counts = new Map<ValueKey, number>();
  /** Keys of all values. */
  readonly all: Set<ValueKey> = new Set();

  add(value: SourceValue): void {
    this.values.push(value);
    this.#index(value);
  }

  /** Adds scalars that may come again as one. */
  addGroup(name: string | undefined, keys: readonly ValueKey[], parts: readonly SourceValue[]): void {
    this.groups.push({ keys, parts });
    this.#index({ name, keys, path: "" });
    for (const part of parts) this.#index(part);
  }

  /** Adds a field by which a collection keeps itself, which comes again only where it is read by its fields. */
  addField(name: string, keys: readonly ValueKey[]): void {
    this.fields.push({ name, keys, path: `$.${name}` });
    this.allow(name, keys);
  }

  /** Lets a member have a value that need not come again; with no keys, notes that the member is null. */
  allow(name: string | undefined, keys: readonly ValueKey[]): void {
    if (name === undefined) return;
    for (const key of keys) {
      this.#keysOf(name).add(key);
      this.#counts.set(key, Infinity);
    }
    if (keys.length === 0) this.#keysOf(name);
  }

  /** Lets a value come again anywhere that need not. */
  allowAnywhere(keys: readonly ValueKey[]): void {
    for (const key of keys) {
      this.all.add(key);
      this.#counts.set(key, Infinity);
    }
  }

  /** How often a value may come. */
  count(key: ValueKey): number {
    return this.isShared && this.#counts.has(key) ? Infinity : (this.#counts.get(key) ?? 0);
  }

  #keysOf(name: string): Set<ValueKey> {
    let known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, (known = new Set()));
    return known;
  }

  #index({ name, keys }: SourceValue): void {
    for (const key of keys) {
      this.all.add(key);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
    if (name === undefined) return;
    const known = this.#keysOf(name);
    for (const key of keys) known.add(key);
  }
}
