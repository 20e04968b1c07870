import { isObject, setMember } from "../../core/values/plain-object.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { Decimal } from "../../core/values/decimal.ts";
import {
  annotate,
  annotateDictionary,
  annotateRepeated,
  annotationsOf,
  isTypedIn,
} from "../../core/values/annotations.ts";
import { mergeInto, PathShape } from "./shape.ts";
import { type Guessing, isGuess, kindOf, type ValueKind, valueKinds } from "./value-kind.ts";

/** The facts about one path that all messages of a type determine together where a single one does not. */
export interface SettledShape {
  readonly shape: PathShape;
  /** Whether elements with one member and empty ones are lists here, since other messages have lists. */
  readonly list: boolean;
  /** The form of the dictionaries that empty lists and elements stand for here, since all other messages have dictionaries. */
  readonly dictionary: "object" | "map" | undefined;
  /** The member that the items of lists are here, since other messages have objects with that member and others. */
  readonly listMember: string | undefined;
  /**
   * The type of guessed numbers and booleans according to other messages at this path, which have text that is not a number,
   * or decimals. A number is guessed only if writing it reproduces the original text, so that this loses nothing.
   */
  readonly guesses: "kept" | "text" | "decimal";
  readonly members: ReadonlyMap<string, SettledShape>;
  readonly items: SettledShape | undefined;
  readonly keys: SettledShape | undefined;
  /** Whether nothing below needs settling, so that values need not be traversed. */
  readonly idle: boolean;
}

/** Settles a shape, which must not change afterwards. */
export function settleShape(noted: PathShape): SettledShape {
  const listMember = listMemberOf(noted);
  const shape = listMember === undefined ? noted : withoutLists(noted, listMember);
  const { kinds } = shape;
  const guesses = settledGuesses(shape);
  // If lists occur next to other values, the format distinguishes them, unless all of the others may be lists, too.
  const list = kinds.list > 0 && shape.elements > 0 && shape.elements === shape.count - kinds.list - kinds.null;
  const dictionary = settledDictionary(shape);
  const wrapped = list && isWrapped(shape);
  const named = wrapped ? [] : (shape.members ?? []);
  const members = new Map(Array.from(named, ([name, member]) => [name, settleShape(member)] as const));
  const itemShape = wrapped ? itemsWith(shape) : shape.items;
  const items = itemShape === undefined ? undefined : settleShape(itemShape);
  const keys = shape.keys === undefined ? undefined : settleShape(shape.keys);
  const settles = guesses !== "kept" || list || listMember !== undefined || dictionary !== undefined;
  const idle = !settles && [...members.values(), items, keys].every((inner) => inner?.idle ?? true);
  return { shape, list, dictionary, listMember, guesses, members, items, keys, idle };
}

/** The member of the objects at a path that also has lists: every list has elements of that name, and some object has other members. */
function listMemberOf(shape: PathShape): string | undefined {
  const { kinds, guessedLists, emptyLists, itemName, members } = shape;
  if (guessedLists === 0 || guessedLists + emptyLists !== kinds.list || typeof itemName !== "string") return undefined;
  return kinds.object > 0 && members?.has(itemName) === true && !isWrapped(shape) ? itemName : undefined;
}

/** The same observations with each list as an object whose only member has the items. */
function withoutLists(shape: PathShape, name: string): PathShape {
  const made = new PathShape();
  mergeInto(made, shape);
  const { kinds } = shape;
  made.kinds.object += kinds.list;
  made.kinds.list = 0;
  made.elements += kinds.list;
  made.singles += kinds.list;
  made.emptyLists = 0;
  made.guessedLists = 0;
  made.items = undefined;
  const lists = new PathShape();
  lists.count = shape.guessedLists;
  lists.kinds.list = shape.guessedLists;
  lists.repeats = shape.guessedLists;
  if (shape.items !== undefined) {
    lists.items = new PathShape();
    mergeInto(lists.items, shape.items);
  }
  const member = made.members?.get(name);
  if (member !== undefined) mergeInto(member, lists);
  return made;
}

/** Empty lists next to dictionaries are dictionaries if no list has items. */
function settledDictionary({ kinds, emptyLists, empties, isDictionary }: PathShape): SettledShape["dictionary"] {
  if (emptyLists + empties === 0 || kinds.list !== emptyLists || kinds.text > 0) return undefined;
  if (kinds.map > 0) return kinds.object === 0 ? "map" : undefined;
  return isDictionary && kinds.object > 0 ? "object" : undefined;
}

function settledGuesses(shape: PathShape): SettledShape["guesses"] {
  const { kinds, guesses } = shape;
  if (guesses === 0 || guesses !== shape.of("integer", "number", "boolean")) return "kept";
  if (kinds.text > 0) return "text";
  return kinds.decimal > 0 && kinds.boolean === 0 ? "decimal" : "kept";
}

/** Whether the objects at a path that also has lists are lists of one: their only member is like the items of the lists. */
function isWrapped({ kinds, singles, members, items }: PathShape): boolean {
  const [only, ...others] = members ?? [];
  if (only === undefined || others.length > 0 || singles !== kinds.object || items === undefined) return false;
  const [name, member] = only;
  return (
    items.members?.has(name) !== true && valueKinds.every((kind) => member.kinds[kind] === 0 || items.kinds[kind] > 0)
  );
}

/** The items of a list, including those of lists of one. */
function itemsWith({ items, members }: PathShape): PathShape {
  const all = new PathShape();
  for (const part of [items, ...(members?.values() ?? [])]) if (part !== undefined) mergeInto(all, part);
  return all;
}

/** The kinds of values at a path once everything is settled. */
export function settledKinds({ shape, list, dictionary, guesses }: SettledShape): readonly ValueKind[] {
  const { kinds } = shape;
  const isSettled = (kind: ValueKind): boolean =>
    (list &&
      ((kind === "object" && (isWrapped(shape) || areRepeated(shape))) ||
        (kind === "empty-text" && kinds.text === 0))) ||
    (dictionary !== undefined && (kind === "list" || (kind === "empty-text" && shape.empties === kinds["empty-text"])));
  const isScalar = (kind: ValueKind): boolean =>
    guesses !== "kept" && (kind === "integer" || kind === "number" || kind === "boolean");
  return valueKinds.filter((kind) => kinds[kind] > 0 && !isSettled(kind) && !isScalar(kind));
}

/**
 * The body with its ambiguities resolved by all messages of its type, in place where possible: lists of one and empty lists
 * become lists, empty dictionaries become dictionaries, guessed numbers become the original text. Nothing else changes.
 */
export function settleValue(body: unknown, shape: SettledShape, guessing: Guessing): unknown {
  if (guessing === "nothing" || shape.idle) return body;
  return new Settling(guessing).settle(body, shape);
}

function emptyOf(dictionary: "object" | "map" | undefined): object {
  return dictionary === "map" ? new Map() : annotateDictionary({});
}

/** The object that a list is where other messages have objects. */
function asObject(value: object, name: string): object {
  if (!Array.isArray(value)) return value;
  const object: Record<string, unknown> = {};
  // A copy, since the list itself has become the object.
  if (value.length > 0) setMember(object, name, annotateRepeated(annotate([...value], annotationsOf(value) ?? {})));
  return object;
}

/** Whether all lists at a path are the values of repeated elements, so that a single element is the only one of them. */
function areRepeated({ kinds, repeats }: PathShape): boolean {
  return repeats > 0 && repeats === kinds.list;
}

class Settling {
  readonly #guessing: Guessing;
  /** The copy of each container, so that shared containers stay shared. */
  readonly #done = new Map<object, unknown>();

  constructor(guessing: Guessing) {
    this.#guessing = guessing;
  }

  settle(value: unknown, shape: SettledShape, typed: boolean = false): unknown {
    if (shape.idle) return value;
    if (typeof value === "object" && value !== null) {
      if (this.#done.has(value)) return this.#done.get(value);
      const objects = shape.listMember === undefined ? value : asObject(value, shape.listMember);
      if (objects !== value) {
        this.#done.set(value, objects);
        this.#inside(objects, shape);
        return objects;
      }
      const isEmpty = shape.dictionary !== undefined && Array.isArray(value) && value.length === 0;
      const settled = isEmpty ? emptyOf(shape.dictionary) : shape.list ? this.#list(value, shape) : value;
      this.#done.set(value, settled);
      if (typeof settled === "object" && settled !== null) this.#inside(settled, shape);
      return settled;
    }
    if (!typed && shape.guesses !== "kept" && isGuess(value, kindOf(value), this.#guessing))
      return shape.guesses === "text" ? String(value) : new Decimal(String(value));
    if (value === "" && shape.dictionary !== undefined) return emptyOf(shape.dictionary);
    if (!shape.list) return value;
    if (value === "" && shape.shape.kinds.text === 0) return [];
    return this.#isItem(value, shape) ? [shape.items === undefined ? value : this.settle(value, shape.items)] : value;
  }

  /** An element with one member that is the only item; or, as XmlSerializer writes repeated elements, the item itself. */
  #list(value: object, shape: SettledShape): unknown {
    if (!isObject(value) || kindOf(value) !== "object") return this.#isItem(value, shape) ? [value] : value;
    const names = Object.keys(value);
    const itemNames = shape.items?.shape.members;
    const [only = ""] = names;
    if (names.length === 1 && isWrapped(shape.shape)) return [value[only]];
    const isItem =
      this.#guessing === "scalars" &&
      areRepeated(shape.shape) &&
      names.length > 0 &&
      names.every((name) => itemNames?.has(name) === true);
    return isItem ? [value] : value;
  }

  #isItem(value: unknown, shape: SettledShape): boolean {
    if (this.#guessing !== "scalars" || !areRepeated(shape.shape)) return false;
    return kindOf(value) !== "list" && value !== null && this.#fits(value, shape.items);
  }

  /** Whether other lists here have items of this kind. */
  #fits(value: unknown, items: SettledShape | undefined): boolean {
    return items !== undefined && items.shape.kinds[kindOf(value)] > 0;
  }

  #inside(value: object, shape: SettledShape): void {
    const { items, members } = shape;
    if (Array.isArray(value)) {
      if (items === undefined || items.idle) return;
      for (let index = 0; index < value.length; index++)
        value[index] = this.settle(value[index], items, isTypedIn(value, index));
    } else if (value instanceof Map) {
      if (items !== undefined)
        for (const [key, item] of value) value.set(key, this.settle(item, items, isTypedIn(value, key)));
    } else if (
      isObject(value) &&
      !(value instanceof MultiArray || value instanceof ContentStream || value instanceof AmqpMap)
    ) {
      for (const [name, member] of Object.entries(value)) {
        const inner = members.get(name) ?? (shape.shape.isDictionary ? items : undefined);
        if (inner === undefined || inner.idle) continue;
        const settled = this.settle(member, inner, isTypedIn(value, name));
        if (settled !== member) setMember(value, name, settled);
      }
    }
  }
}
