import { EnumValue } from "../../core/values/enum-value.ts";
import { noCounts, type ValueKind, valueKinds } from "./value-kind.ts";

/** Objects with more names than this are dictionaries. */
const maxNames = 200;
/** Maximum number of distinct texts kept per enum, and of type names per path. */
const maxTexts = 100;

/** How many paths one type may have, so that memory stays constant. */
export interface ShapeBudget {
  left: number;
}

/** The tallies of a shape, in the order of the journal. */
const tallies = [
  "guesses",
  "singles",
  "empties",
  "unsafe",
  "unsigned",
  "elements",
  "literals",
  "emptyLists",
  "irregular",
  "wholeLiterals",
  "unrecorded",
  "entryLists",
  "repeats",
  "guessedLists",
] as const;

/** Everything seen at one path of one type: how often, and of which kinds. Its size does not grow with the number of messages. */
export class PathShape {
  count = 0;
  readonly kinds: Record<ValueKind, number> = { ...noCounts };
  /** Decimals that were JSON numbers. */
  literals = 0;
  /** Values whose type the reader guessed. */
  guesses = 0;
  /** Elements with one member or none, which may be lists. */
  singles = 0;
  empties = 0;
  /** Empty lists that may be dictionaries. */
  emptyLists = 0;
  /** Dictionaries that were JSON lists of objects with Key and Value, which may be lists. */
  entryLists = 0;
  /** Lists that are the values of an element that XML repeats among other members. */
  repeats = 0;
  /** Lists that are elements of one name, and may be an object with one member. */
  guessedLists = 0;
  /** The name of those elements; `null` if they have several. */
  itemName: string | null | undefined;
  /** Integers that were JSON numbers, and remain so in messages that are kept unchanged. */
  wholeLiterals = 0;
  /** Java times and dates that RFC 3339 cannot express: years of other than four digits, zones in brackets. */
  irregular = 0;
  /** Elements that are not lists, in formats where the reader guesses lists. */
  elements = 0;
  /** Integers beyond 2^53. */
  unsafe = 0;
  /** Integers beyond 2^63. */
  unsigned = 0;
  /** Members, items and keys inside for which there was no room. */
  unrecorded = 0;
  /** Members of objects; `undefined` once there are too many. */
  members: Map<string, PathShape> | undefined;
  /** Items of lists, values of maps and of dictionaries. */
  items: PathShape | undefined;
  keys: PathShape | undefined;
  readonly typeNames: Set<string> = new Set();
  /** The numbers of enums by their names; `undefined` if they differ or are unknown. */
  readonly enums: Map<string, string | undefined> = new Map();

  /** The number of values of these kinds. */
  of(...kinds: readonly ValueKind[]): number {
    return kinds.reduce((sum, kind) => sum + this.kinds[kind], 0);
  }

  member(name: string, budget: ShapeBudget): PathShape | undefined {
    const known = this.members?.get(name);
    if (known !== undefined) return known;
    if (this.#isDictionary) return this.item(budget);
    const made = this.#makeShape(budget);
    if (made === undefined) return undefined;
    this.members ??= new Map();
    this.members.set(name, made);
    if (this.members.size <= maxNames) return made;
    this.#collapse();
    return this.items;
  }

  #isDictionary = false;

  get isDictionary(): boolean {
    return this.#isDictionary;
  }

  #collapse(): void {
    this.#isDictionary = true;
    for (const member of this.members?.values() ?? []) mergeInto((this.items ??= new PathShape()), member);
    this.members = undefined;
  }

  /** Treats objects here as dictionaries: the values of their members matter, not their names. */
  noteDictionary(): void {
    if (!this.#isDictionary) this.#collapse();
  }

  item(budget: ShapeBudget): PathShape | undefined {
    return (this.items ??= this.#makeShape(budget));
  }

  key(budget: ShapeBudget): PathShape | undefined {
    return (this.keys ??= this.#makeShape(budget));
  }

  #makeShape(budget: ShapeBudget): PathShape | undefined {
    if (budget.left-- > 0) return new PathShape();
    this.unrecorded++;
    return undefined;
  }

  noteEnum({ name, value }: EnumValue): void {
    const number = value === undefined ? undefined : `${value}`;
    if (!this.enums.has(name)) {
      if (this.enums.size < maxTexts) this.enums.set(name, number);
    } else if (this.enums.get(name) !== number) this.enums.set(name, undefined);
  }

  noteItemName(name: string | null): void {
    this.itemName = this.itemName === undefined || this.itemName === name ? name : null;
  }

  noteTypeName(name: string): void {
    if (this.typeNames.size < maxTexts) this.typeNames.add(name);
  }

  /** Plain data from which {@link PathShape.from} makes it again. */
  toJSON(): object {
    return {
      n: this.count,
      k: Object.fromEntries(Object.entries(this.kinds).filter(([, count]) => count > 0)),
      g: tallies.map((tally) => this[tally]),
      ...(this.members === undefined ? {} : { m: [...this.members] }),
      ...(this.items === undefined ? {} : { i: this.items }),
      ...(this.keys === undefined ? {} : { y: this.keys }),
      ...(this.typeNames.size === 0 ? {} : { t: [...this.typeNames] }),
      ...(this.enums.size === 0 ? {} : { e: Array.from(this.enums, ([name, value]) => [name, value ?? null]) }),
      ...(this.itemName === undefined ? {} : { l: this.itemName }),
      ...(this.#isDictionary ? { d: true } : {}),
    };
  }

  /** Reads what {@link toJSON} gives. */
  static from(json: unknown): PathShape {
    const shape = new PathShape();
    const { n, k, g, m, i, y, t, e, d, l }: Partial<Record<string, unknown>> = { ...object(json) };
    shape.count = Number(n);
    const counts: Partial<Record<string, unknown>> = { ...object(k) };
    for (const kind of valueKinds) shape.kinds[kind] = Number(counts[kind] ?? 0);
    for (const [index, tally] of tallies.entries()) shape[tally] = Number(list(g)[index] ?? 0);
    if (m !== undefined)
      shape.members = new Map(list(m).map((entry) => [String(list(entry)[0]), PathShape.from(list(entry)[1])]));
    if (i !== undefined) shape.items = PathShape.from(i);
    if (y !== undefined) shape.keys = PathShape.from(y);
    for (const name of list(t)) shape.typeNames.add(String(name));
    for (const entry of list(e)) {
      const [name, value] = list(entry);
      shape.enums.set(String(name), typeof value === "string" ? value : undefined);
    }
    if (typeof l === "string" || l === null) shape.itemName = l;
    shape.#isDictionary = d === true;
    return shape;
  }
}

/** Adds the observations of one shape to another. */
export function mergeInto(target: PathShape, other: PathShape, budget: ShapeBudget = { left: Infinity }): void {
  target.count += other.count;
  for (const kind of valueKinds) target.kinds[kind] += other.kinds[kind];
  for (const tally of tallies) target[tally] += other[tally];
  for (const name of other.typeNames) target.noteTypeName(name);
  for (const [name, value] of other.enums)
    target.noteEnum(new EnumValue(name, value === undefined ? undefined : BigInt(value)));
  if (other.itemName !== undefined) target.noteItemName(other.itemName);
  if (other.isDictionary) target.noteDictionary();
  for (const [name, member] of other.members ?? []) mergeWhere(target.member(name, budget), member, budget);
  if (other.items !== undefined) mergeWhere(target.item(budget), other.items, budget);
  if (other.keys !== undefined) mergeWhere(target.key(budget), other.keys, budget);
}

function mergeWhere(target: PathShape | undefined, other: PathShape, budget: ShapeBudget): void {
  if (target !== undefined) mergeInto(target, other, budget);
}

function object(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
