import { cut } from "../errors/cut.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { annotate, type Annotations } from "./annotations.ts";
import { MultiArray } from "./multi-array.ts";
import { type EmptyContainer, emptyContainer, numberedContainers } from "./numbered-containers.ts";
import { isPlainObject } from "./plain-object.ts";
import { readTagged } from "./tagged-json.ts";

/** Deeper values are refused, since reading is recursive. */
const maxDepth = 1000;

/**
 * Reads a value from the rendering of `valueToJson`.
 *
 * AMQP values are returned as plain values where a plain value implies their type: a typed long as bigint, a typed
 * double of 1.5 as a number, an `AmqpMap` as a `Map`. A UTC time of whole milliseconds comes back as a `Date`. What was
 * shared is shared.
 *
 * @throws SobreError `InvalidArgument` with the path, for a `$` object that is unknown or malformed.
 * @example
 * ```ts
 * console.log(valueFromJson({ id: { $int64: "7" } })); // { id: 7n }
 * ```
 */
export function valueFromJson(json: unknown): unknown {
  return valueFromJsonAt(json, "$");
}

/** {@link valueFromJson} of a part at `path`, so that errors name the whole path. */
export function valueFromJsonAt(json: unknown, path: string): unknown {
  try {
    return new ValueReading(json).read(json, { path, depth: 0 });
  } catch (error) {
    // A caller may leave less stack than a thousand levels take.
    if (error instanceof RangeError) throw malformed({ path, depth: 0 }, "is nested too deeply for this process");
    throw error;
  }
}

interface ReadingPlace {
  readonly path: string;
  readonly depth: number;
}

function within({ path, depth }: ReadingPlace, step: string): ReadingPlace {
  return { path: `${path}${step}`, depth: depth + 1 };
}

/** Members that may appear next to ordinary members or next to the one tag of a container. */
const headers: ReadonlySet<string> = new Set(["$id", "$type", "$data", "$super"]);
const containers: ReadonlySet<string> = new Set(["$object", "$values", "$map", "$array", "$stream"]);

/** One value's reading: what it has numbered so far. */
class ValueReading {
  readonly #root: unknown;
  readonly #numbered = new Map<string, object>();
  /** The containers that were made before they are filled, since something refers to them earlier. */
  #early: ReadonlyMap<object, EmptyContainer> | undefined;
  readonly #later = new Map<string, object>();

  constructor(root: unknown) {
    this.#root = root;
  }

  read(json: unknown, place: ReadingPlace): unknown {
    if (place.depth > maxDepth) throw malformed(place, `nests deeper than ${maxDepth} levels`);
    if (typeof json !== "object" || json === null) return json;
    if (Array.isArray(json)) return this.#list(json, [], place);
    const keys = Object.keys(json);
    const tag = keys.find((key) => key.startsWith("$"));
    if (tag === undefined) return this.#members(json, {}, place);
    const { [tag]: content, ...rest }: Partial<Record<string, unknown>> = { ...json };
    if (tag === "$ref") return this.#reference(content, rest, place);
    if (containers.has(tag) || keys.some((key) => headers.has(key))) return this.#container(json, place);
    return readTagged({ tag, content, rest }, place.path, (item) => this.read(item, within(place, "")));
  }

  #reference(content: unknown, rest: object, place: ReadingPlace): object {
    const target = typeof content === "string" ? (this.#numbered.get(content) ?? this.#earlyOf(content)) : undefined;
    if (target !== undefined && Object.keys(rest).length === 0) return target;
    throw malformed(place, "refers to an $id that nothing has");
  }

  /** The container with a number that comes later in the text. */
  #earlyOf(id: string): object | undefined {
    if (this.#early === undefined) {
      const early = numberedContainers(this.#root).filter((one) => !this.#numbered.has(one.id));
      this.#early = new Map(early.map(({ json, made }) => [json, made]));
      for (const one of early) this.#later.set(one.id, one.made.target);
    }
    return this.#later.get(id);
  }

  #container(json: object, place: ReadingPlace): unknown {
    const { $id, $type, $data, $super, ...rest }: Partial<Record<string, unknown>> = { ...json };
    const tag = Object.keys(rest).find((key) => key.startsWith("$"));
    if (tag !== undefined && Object.keys(rest).length > 1) throw malformed(place, `has other members next to ${tag}`);
    const content = tag === undefined ? rest : rest[tag];
    const made = this.#early?.get(json) ?? emptyContainer(tag, content);
    if (made === undefined) {
      // An array without lengths.
      if (tag === "$array") list(undefined, place);
      throw malformed(place, `has the tag ${tag} next to an $id, $type, $data or $super`);
    }
    const { target } = made;
    // Numbered before it is filled, since what it holds may refer to it; the headers are written first.
    this.#number($id, target, place);
    const notes: Annotations = {
      ...($type === undefined ? {} : { typeName: text($type, place) }),
      ...($data === undefined ? {} : { data: this.#list(list($data, place), [], within(place, ".$data")) }),
      ...($super === undefined ? {} : { superMembers: this.#superMembers($super, within(place, ".$super")) }),
    };
    this.#fill(made, content, place);
    return Object.keys(notes).length === 0 ? target : annotate(target, notes);
  }

  #superMembers(json: unknown, place: ReadingPlace): object {
    const read = this.read(members(json, place), place);
    if (isPlainObject(read)) return read;
    throw malformed(place, "is not an object with members");
  }

  #fill({ target, items }: EmptyContainer, content: unknown, place: ReadingPlace): void {
    if (target instanceof MultiArray) {
      const { lengths: _, values, ...others }: Partial<Record<string, unknown>> = { ...members(content, place) };
      if (Object.keys(others).length > 0) throw malformed(place, "has unknown members in $array");
      this.#list(list(values, place), items ?? [], place);
    } else if (items !== undefined) this.#list(list(content, place), items, place);
    else if (target instanceof Map) this.#entries(list(content, place), target, place);
    else this.#members(members(content, place), target, place);
  }

  #number(id: unknown, target: object, place: ReadingPlace): void {
    if (id === undefined) return;
    if (this.#numbered.has(text(id, place))) throw malformed(place, "has a duplicate $id");
    this.#numbered.set(text(id, place), target);
  }

  #list(json: readonly unknown[], target: unknown[], place: ReadingPlace): unknown[] {
    for (const [index, item] of json.entries()) target.push(this.read(item, within(place, `[${index}]`)));
    return target;
  }

  #entries(json: readonly unknown[], target: Map<unknown, unknown>, place: ReadingPlace): Map<unknown, unknown> {
    for (const [index, entry] of json.entries()) {
      const pair = list(entry, place);
      if (pair.length !== 2) throw malformed(place, "has an entry in $map that is not a pair");
      const inner = within(place, `[${index}]`);
      target.set(this.read(pair[0], inner), this.read(pair[1], inner));
    }
    return target;
  }

  #members(json: object, target: object, place: ReadingPlace): object {
    const entries: readonly [string, unknown][] = Object.entries(json);
    for (const [key, member] of entries) {
      const value = this.read(member, within(place, `.${key}`));
      // Assigning "__proto__" would set the prototype.
      Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return target;
  }
}

function text(content: unknown, place: ReadingPlace): string {
  if (typeof content === "string") return content;
  throw malformed(place, "has an $id or $type that is not a string");
}

function list(content: unknown, place: ReadingPlace): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw malformed(place, "has a value that is not a list where its tag requires one");
}

function members(content: unknown, place: ReadingPlace): object {
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return content;
  throw malformed(place, "has a value that is not an object where its tag requires one");
}

/** Characters of a path that errors show: nobody reads more. */
const maxPathLength = 256;

function malformed(place: ReadingPlace, why: string): SobreError {
  const path = cut(place.path, maxPathLength);
  return new SobreError("InvalidArgument", `The value at ${path} ${why}.`, { path });
}
