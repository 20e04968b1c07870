import { isPlainPrototype } from "../../values/plain-object.ts";
import { bytesKey, keysOfNumber, type ValueKey } from "./value-keys.ts";

/** A scalar of the source. */
export interface SourceValue {
  /** The member whose value it is; `undefined` for an item. */
  readonly name: string | undefined;
  /** The key of its most likely form in the target. */
  readonly key: ValueKey;
  /** The key and its equivalents; computed on demand, since most values reappear unchanged. */
  readonly keys: readonly ValueKey[];
  /** Its path, for reports. */
  readonly path: string;
}

/** Makes a {@link SourceValue}. */
export function sourceValue(
  name: string | undefined,
  path: string,
  key: ValueKey,
  more: () => readonly ValueKey[],
): SourceValue {
  return new LazyValue(name, path, key, more);
}

class LazyValue implements SourceValue {
  readonly name: string | undefined;
  readonly path: string;
  readonly key: ValueKey;
  readonly #more: () => readonly ValueKey[];
  #keys: readonly ValueKey[] | undefined;

  constructor(name: string | undefined, path: string, key: ValueKey, more: () => readonly ValueKey[]) {
    this.name = name;
    this.path = path;
    this.key = key;
    this.#more = more;
  }

  get keys(): readonly ValueKey[] {
    return (this.#keys ??= this.#more());
  }
}

/** A {@link SourceValue} whose keys are known. */
export function knownValue(name: string | undefined, path: string, keys: readonly ValueKey[]): SourceValue {
  return { name, path, key: keys[0] ?? "", keys };
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
  readonly fields: (SourceValue & { readonly name: string })[] = [];
  /** The number of elements without contents: empty strings, lists or objects. */
  empties = 0;
  /** Whether the source uses references, so that values may occur more often than they were written. */
  isShared = false;
  #isIndexed = false;
  readonly #split = new Set<SourceGroup>();
  readonly #optional = new Set<string>();
  readonly #counts = new Map<ValueKey, number>();
  /** Names of members with a scalar, and the keys of their values. */
  readonly #byName = new Map<string, ValueKey[] | Set<ValueKey>>();
  /** Names of members that are null, and further values that are allowed, of members or anywhere. */
  readonly #allowed: (readonly [name: string | undefined, keys: readonly ValueKey[]])[] = [];

  add(value: SourceValue): void {
    this.values.push(value);
  }

  /** Adds scalars that may reappear as one. */
  addGroup(name: string | undefined, keys: readonly ValueKey[], parts: readonly SourceValue[]): void {
    this.groups.push({ name, keys, parts });
  }

  /** Adds an internal field of a collection, which reappears only where the collection is read as an object with fields. */
  addField(name: string, keys: readonly ValueKey[]): void {
    this.fields.push({ ...knownValue(name, `$.${name}`, keys), name });
    this.allow(name, keys);
  }

  /** Allows a member a value that need not reappear; without keys, records that the member is null. */
  allow(name: string | undefined, keys: readonly ValueKey[]): void {
    if (name !== undefined) this.#allowed.push([name, keys]);
  }

  /** Allows a value anywhere that need not reappear. */
  allowAnywhere(keys: readonly ValueKey[]): void {
    this.#allowed.push([undefined, keys]);
  }

  /**
   * Whether a body has exactly these values, each under its name and in its most likely form. True for most messages;
   * the others are examined closely.
   */
  isPlainlyIn(body: unknown): boolean {
    if (this.groups.length > 0 || this.fields.length > 0) return false;
    const counts = new Map<string, number>();
    for (const { name, key } of this.values) {
      const pair = name === undefined ? key : `${name}\0${key}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    for (const { key } of this.entryKeys) counts.set(`\0${key}`, (counts.get(`\0${key}`) ?? 0) + 1);
    const left = takeValues(body, undefined, {
      counts,
      left: this.values.length + this.entryKeys.length,
      empties: this.empties,
      hasKeys: this.entryKeys.length > 0,
    });
    return left.left === 0 && left.empties <= 0;
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
    this.#indexAll();
    return this.#byName.has(name);
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
    return this.values.length + this.entryKeys.length + this.fields.length + groups;
  }

  /** The parts of the groups that did not reappear as one. */
  partsUnless(isWhole: (keys: readonly ValueKey[]) => boolean): readonly SourceValue[] {
    for (const group of this.groups) if (!isWhole(group.keys)) this.#split.add(group);
    return [...this.#split].flatMap(({ parts }) => parts);
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
    for (const [name, keys] of this.#allowed) {
      if (name === undefined) for (const key of keys) this.#counts.set(key, Infinity);
      else {
        this.#note(name, keys);
        for (const key of keys) this.#optional.add(`${name}\0${key}`);
      }
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

interface Left {
  readonly counts: Map<string, number>;
  /** The number of values not found yet; -1 after an unknown value. */
  left: number;
  empties: number;
  /** Whether names of members may be the keys of dictionaries. */
  readonly hasKeys: boolean;
}

/** Removes the scalars of a body from the remaining ones. */
function takeValues(value: unknown, name: string | undefined, left: Left): Left {
  if (left.left < 0 || value === null) return left;
  switch (typeof value) {
    case "string":
      // Empty elements are counted separately.
      if (value === "" && left.empties > 0) left.empties--;
      else take(name, `s${value}`, left);
      return left;
    case "number":
      take(name, keysOfNumber(value)[0] ?? "", left);
      return left;
    case "boolean":
      take(name, value ? "btrue" : "bfalse", left);
      return left;
    case "bigint":
      take(name, keysOfNumber(value)[0] ?? "", left);
      return left;
    case "object":
      if (value instanceof Date)
        take(
          name,
          `s${value
            .toISOString()
            .replace(/(\.\d*?)0+Z$/, "$1Z")
            .replace(".Z", "Z")}`,
          left,
        );
      else if (value instanceof Uint8Array) take(name, `s${bytesKey(value).slice(1)}`, left);
      else if (Array.isArray(value)) {
        if (value.length === 0) left.empties--;
        for (const item of value) takeValues(item, undefined, left);
      } else if (isPlainPrototype(Object.getPrototypeOf(value))) {
        const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
        if (entries.length === 0) left.empties--;
        for (const [member, inner] of entries) {
          if (left.hasKeys && left.counts.has(`\0s${member}`)) take("", `s${member}`, left);
          takeValues(inner, member, left);
        }
      } else left.left = -1;
      return left;
    default:
      left.left = -1;
      return left;
  }
}

function take(name: string | undefined, key: ValueKey, left: Left): void {
  const pair = name === undefined ? key : `${name}\0${key}`;
  const count = left.counts.get(pair) ?? 0;
  if (count === 0) left.left = -1;
  else {
    left.counts.set(pair, count - 1);
    left.left--;
  }
}
