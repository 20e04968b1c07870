import type { ValueKey } from "./value-keys.ts";

/** A scalar of the source. */
export interface SourceValue {
  /** The member whose value it is; `undefined` for an item. */
  readonly name: string | undefined;
  /** The key of its most likely form in the target, and equivalent ones. */
  readonly keys: readonly ValueKey[];
  /** Its path, for reports. */
  readonly path: string;
}

/** Makes a {@link SourceValue}. */
export function knownValue(name: string | undefined, path: string, keys: readonly ValueKey[]): SourceValue {
  return { name, path, keys };
}

/** Several scalars that may reappear as one, e.g. the parts of a version. */
export interface SourceGroup {
  readonly name: string | undefined;
  readonly keys: readonly ValueKey[];
  readonly parts: readonly SourceValue[];
}

/** Number of keys of one member up to which searching a list is faster than a set. */
const fewKeys = 16;

/** The scalars among the tokens of one payload. */
export class SourceValues {
  readonly values: SourceValue[] = [];
  /** The keys of dictionaries, which reappear as names. */
  readonly entryKeys: SourceValue[] = [];
  readonly groups: SourceGroup[] = [];
  /** The number of elements without contents: empty strings, lists or objects. */
  empties = 0;
  /** Whether the source uses references, so that values may occur more often than they were written. */
  isShared = false;
  #isIndexed = false;
  readonly #split = new Set<SourceGroup>();
  readonly #optional = new Set<string>();
  readonly #counts = new Map<ValueKey, number>();
  readonly #members = new Set<string>();
  /** Names of members with a scalar, and the keys of their values. */
  readonly #byName = new Map<string, ValueKey[] | Set<ValueKey>>();
  /** Names of members that are null, and further values that they may have. */
  readonly #allowed: (readonly [name: string, keys: readonly ValueKey[]])[] = [];

  add(value: SourceValue): void {
    this.values.push(value);
  }

  /** Adds the name of a member, whatever its value. */
  addMember(name: string): void {
    this.#members.add(name);
  }

  /** Adds scalars that may reappear as one. */
  addGroup(name: string | undefined, keys: readonly ValueKey[], parts: readonly SourceValue[]): void {
    this.groups.push({ name, keys, parts });
  }

  /** Allows a member a value that need not reappear; without keys, records that the member is null. */
  allow(name: string | undefined, keys: readonly ValueKey[]): void {
    if (name !== undefined) this.#allowed.push([name, keys]);
  }

  /** Whether a member of this name may have this value any number of times. */
  isOptional(name: string | undefined, key: ValueKey): boolean {
    this.#indexAll();
    return this.#optional.has(`${name}\0${key}`);
  }

  /** How often a value may occur. */
  count(key: ValueKey): number {
    this.#indexAll();
    const count = this.#counts.get(key) ?? 0;
    return this.isShared && count > 0 ? Infinity : count;
  }

  /** The keys of all values. */
  keys(): Iterable<ValueKey> {
    this.#indexAll();
    return this.#counts.keys();
  }

  /** Whether a member has this name. */
  isMember(name: string): boolean {
    return this.#members.has(name);
  }

  /** Whether a member of this name has this value; if no member has the name, whether anything has. */
  has(name: string | undefined, key: ValueKey): boolean {
    this.#indexAll();
    const known = name === undefined ? undefined : this.#byName.get(name);
    if (known === undefined) return this.#counts.has(key);
    return known instanceof Set ? known.has(key) : known.includes(key);
  }

  /** Maximum number of values; `Infinity` if the source uses references. */
  get size(): number {
    if (this.isShared) return Infinity;
    let groups = 0;
    for (const group of this.groups) groups += this.#split.has(group) ? group.parts.length : 1;
    return this.values.length + this.entryKeys.length + groups;
  }

  /** The groups as values, or their parts if they did not reappear as one. */
  partsUnless(isWhole: (keys: readonly ValueKey[]) => boolean): readonly SourceValue[] {
    for (const group of this.groups) if (!isWhole(group.keys)) this.#split.add(group);
    return this.groups.flatMap((group) =>
      this.#split.has(group) ? group.parts : [knownValue(group.name, `$.${group.name ?? ""}`, group.keys)],
    );
  }

  #indexAll(): void {
    if (this.#isIndexed) return;
    this.#isIndexed = true;
    for (const value of this.values) this.#index(value);
    for (const { keys } of this.entryKeys) this.#index({ name: undefined, keys });
    for (const group of this.groups) {
      if (this.#split.has(group)) for (const part of group.parts) this.#index(part);
      else this.#index(group);
    }
    if (this.empties > 0) this.#counts.set("s", (this.#counts.get("s") ?? 0) + this.empties);
    for (const [name, keys] of this.#allowed) {
      this.#note(name, keys);
      for (const key of keys) this.#optional.add(`${name}\0${key}`);
    }
  }

  #index({ name, keys }: Pick<SourceValue, "name" | "keys">): void {
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (name !== undefined) this.#note(name, keys);
  }

  #note(name: string, keys: readonly ValueKey[]): void {
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, [...keys]);
    else if (known instanceof Set) for (const key of keys) known.add(key);
    else if (known.length > fewKeys) this.#byName.set(name, new Set([...known, ...keys]));
    else for (const key of keys) known.push(key);
  }
}
