import type { DecodeLimits } from "../../../src/core/codec/limits.ts";
import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { memberStep } from "../../../src/core/values/member-step.ts";
import { annotate, annotateDictionary, annotateDouble } from "../../../src/core/values/annotations.ts";
import { propertyName } from "../data-contract/element-facts.ts";
import { isFloating } from "../data-contract/scalar-kind.ts";
import { wordsOf } from "../data-contract/contract-fit.ts";
import {
  type Contract,
  type MapShape,
  nameText,
  type ObjectShape,
  resolved,
  type ResolvedShape,
  type ContractShape,
} from "../data-contract/shape.ts";
import { dataSetOf, diffgramInText } from "../data-set/data-set.ts";
import { hasUnsureOffset, bytesOf, enumJson, systemStruct, typedJson, untypedJson } from "./json-scalar.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";
import { entryOf, hasStringKeys, isDictionary, isTextKey, keyOfName, wrappedCollection } from "./json-dictionaries.ts";
import { queuedItems } from "./queued-items.ts";
import { clrNamespaces } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";

/** A container that is being filled: its next value, and its end. */
interface JsonContainer {
  next: number;
  readonly end: number;
  /** The current member, item or entry. */
  at: number;
}

/** A list with the shape of its items. */
interface JsonListFrame extends JsonContainer {
  readonly kind: "list";
  readonly list: unknown[];
  readonly items: ContractShape | undefined;
  /** The number of items placed. */
  count: number;
}

/** A dictionary that is written as a list of entries. */
interface JsonEntriesFrame extends JsonContainer {
  readonly kind: "entries";
  readonly target: Map<unknown, unknown> | Record<string, unknown>;
  readonly shape: MapShape | undefined;
}

/** An object; `values` is the shape of every member if it is a dictionary. */
interface JsonObjectFrame extends JsonContainer {
  readonly kind: "object";
  readonly bag: Record<string, unknown>;
  readonly members: ObjectShape | undefined;
  readonly values: ContractShape | undefined;
  /** Whether the next member is a `__type` that was read as such. */
  typed: boolean;
}

/** A dictionary that is written as an object, with keys that are not text. */
interface JsonKeyedFrame extends JsonContainer {
  readonly kind: "keyed";
  readonly target: Map<unknown, unknown>;
  readonly shape: MapShape;
}

type JsonFrame = JsonListFrame | JsonEntriesFrame | JsonObjectFrame | JsonKeyedFrame;

/** A body, and what was tolerated. */
export interface MappedJson {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

const maxWarnings = 100;

/**
 * Maps the values of a DataContractJsonSerializer document to plain ones, by a contract or by their form; not recursive.
 *
 * A value that does not fit the contract is kept as written, with a warning that names its path.
 */
export function mapJson(tape: JsonTape, contract: Contract | undefined, limits: DecodeLimits): MappedJson {
  return new JsonMapper(tape, contract, limits).map();
}

class JsonMapper {
  readonly #tape: JsonTape;
  readonly #contract: Contract | undefined;
  readonly #limits: DecodeLimits;
  readonly #frames: JsonFrame[] = [];
  readonly #strangers = new Set<string>();
  /** Whether the last scalar read is a floating-point number that looks like an integer. */
  #isWhole = false;

  constructor(tape: JsonTape, contract: Contract | undefined, limits: DecodeLimits) {
    this.#tape = tape;
    this.#limits = limits;
    this.#contract = contract;
  }

  map(): MappedJson {
    const body = this.#start(0, this.#contract?.root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) this.#fill(frame);
    return { body, warnings: [...this.#strangers] };
  }

  /** Warns once about a member that a class does not have: the contract may be misspelt, or older than the sender. */
  #warnOfMember(member: string, { name }: ObjectShape): void {
    if (this.#strangers.size >= maxWarnings) return;
    this.#strangers.add(
      `${name.local} has ${member}, which the contract of ${name.local} does not; it was read by its form.`,
    );
  }

  #warn(text: string): void {
    if (this.#strangers.size < maxWarnings) this.#strangers.add(text);
  }

  /** Records a member or item that is a floating-point number by its contract but looks like an integer. */
  #noteWhole(container: object, key: unknown): void {
    if (!this.#isWhole) return;
    annotateDouble(container, key);
    this.#isWhole = false;
  }

  /** Places items until one opens a container, which is filled first. */
  #fill(frame: JsonFrame): void {
    const level = this.#frames.length;
    while (this.#frames.length === level) {
      if (frame.next >= frame.end) {
        this.#frames.pop();
        return;
      }
      if (frame.kind === "list") this.#item(frame);
      else if (frame.kind === "object") this.#member(frame);
      else if (frame.kind === "keyed") this.#keyedEntry(frame);
      else this.#entry(frame);
    }
  }

  #item(frame: JsonListFrame): void {
    const item = frame.next;
    frame.at = item;
    frame.next = this.#tape.next(item);
    frame.list[frame.count] = this.#start(item, frame.items);
    this.#noteWhole(frame.list, frame.count++);
  }

  #member(frame: JsonObjectFrame): void {
    const tape = this.#tape;
    const name = frame.next;
    frame.at = name;
    frame.next = tape.next(name + 1);
    const { typed } = frame;
    frame.typed = false;
    if (typed) return;
    const text = tape.name(name);
    const { members } = frame;
    const member = members?.byName.get(text);
    if (members !== undefined && member === undefined) this.#warnOfMember(text, members);
    const own = this.#propertyOf(text, frame);
    frame.bag[own] = this.#start(name + 1, members === undefined ? frame.values : member?.shape);
    this.#noteWhole(frame.bag, own);
  }

  /** The property of a field, unless the object has another member of that name. */
  #propertyOf(text: string, { values, bag, next, end }: JsonObjectFrame): string {
    const property = values === undefined ? propertyName(text) : text;
    if (property === text || property in bag) return text;
    for (let at = next; at < end; at = this.#tape.next(at + 1)) if (this.#tape.isNamed(at, property)) return text;
    return property;
  }

  #entry(frame: JsonEntriesFrame): void {
    const tape = this.#tape;
    const { next: item, target, shape } = frame;
    frame.at = item;
    frame.next = tape.next(item);
    const entry = entryOf(tape, item);
    // A list is a dictionary only if all of its items are entries.
    if (entry === undefined) return;
    const [key, value] = entry;
    if (target instanceof Map) target.set(this.#start(key, shape?.key), this.#start(value, shape?.value));
    else {
      const name = tape.string(key);
      target[name] = this.#start(value, shape?.value);
      this.#noteWhole(target, name);
    }
  }

  #start(value: number, declared: ContractShape | undefined): unknown {
    const whole = declared === undefined ? undefined : resolved(declared);
    const shape = whole?.kind === "scalar" && whole.scalar === "any" ? undefined : whole;
    switch (this.#tape.kind(value)) {
      case jsonKind.list:
        return this.#list(value, shape);
      case jsonKind.object:
        return this.#object(value, shape);
      default:
        return shape === undefined ? this.#untyped(value) : this.#scalar(value, shape);
    }
  }

  #untyped(value: number): unknown {
    const read = untypedJson(this.#tape, value);
    this.#warnOfOffset(read, value);
    if (typeof read !== "string" || !read.startsWith("<")) return read;
    const element = diffgramInText(read, this.#limits);
    return element === undefined ? read : dataSetOf(element, this.#limits, (what) => this.#warn(`A string ${what}.`));
  }

  #warnOfOffset(read: unknown, value: number): void {
    if (!(read instanceof DateTime) || !hasUnsureOffset(this.#tape.string(value))) return;
    this.#warn(
      `${this.#path()} has an offset of less than an hour, whose sign .NET loses when it writes; the time was read as ${read.toISO()}, and .NET reads its instant alone.`,
    );
  }

  #scalar(value: number, shape: ResolvedShape): unknown {
    const tape = this.#tape;
    if (tape.kind(value) === jsonKind.null) return null;
    const read =
      shape.kind === "scalar"
        ? typedJson(tape, value, shape.scalar)
        : shape.kind === "enum"
          ? enumJson(tape, value, shape)
          : undefined;
    this.#warnOfOffset(read, value);
    if (read !== undefined) {
      this.#isWhole = shape.kind === "scalar" && isFloating(shape.scalar) && Number.isInteger(read);
      return read;
    }
    this.#misfit(shape);
    return untypedJson(tape, value);
  }

  #list(value: number, shape: ResolvedShape | undefined): unknown {
    if (shape?.kind === "scalar" && shape.scalar === "bytes") {
      const bytes = bytesOf(this.#tape, value);
      if (bytes !== undefined) return bytes;
    }
    const isMap = isDictionary(this.#tape, value, shape?.kind === "map");
    if (isMap && (shape === undefined || shape.kind === "map")) return this.#dictionary(value, shape);
    if (shape !== undefined && shape.kind !== "list") {
      this.#misfit(shape);
      return this.#list(value, undefined);
    }
    const end = this.#tape.end(value);
    // Most lists in a dense document are short, and growing an array allocates room for seventeen items.
    const list: unknown[] = value + 2 === end ? [undefined] : [];
    this.#open({ kind: "list", next: value + 1, end, at: value, list, items: shape?.items, count: 0 });
    return list;
  }

  /** Reads a list of values in a different order. */
  #row(values: readonly number[], items: ContractShape): unknown[] {
    const list: unknown[] = [];
    const frames = values.map((next, count): JsonListFrame => ({
      kind: "list",
      next,
      end: this.#tape.next(next),
      at: next,
      list,
      items,
      count,
    }));
    // The innermost frame is filled first.
    for (const frame of frames.reverse()) this.#open(frame);
    return list;
  }

  #dictionary(value: number, shape: MapShape | undefined): unknown {
    const key = shape === undefined ? undefined : resolved(shape.key);
    const mayBeNamed =
      key === undefined || (key.kind === "scalar" && (key.scalar === "any" || key.scalar === "string"));
    const isNamed = mayBeNamed && hasStringKeys(this.#tape, value);
    const target = isNamed ? annotateDictionary(emptyBag<unknown>()) : new Map<unknown, unknown>();
    this.#open({ kind: "entries", next: value + 1, end: this.#tape.end(value), at: value, target, shape });
    return target;
  }

  #object(value: number, declared: ResolvedShape | undefined): unknown {
    const tape = this.#tape;
    const struct = systemStruct(tape, value, declared);
    if (struct !== undefined) return struct;
    const queued = declared?.kind === "list" ? queuedItems(tape, value) : undefined;
    if (declared?.kind === "list" && queued !== undefined) return this.#row(queued, declared.items);
    const inner = declared === undefined ? undefined : wrappedCollection(tape, value, declared);
    if (inner !== undefined) return this.#list(inner, declared);
    const named = typeOf(tape, value);
    const known = named === undefined ? undefined : this.#contract?.known.get(nameText(named));
    const shape = known ?? declared;
    if (shape !== undefined && shape.kind !== "object" && shape.kind !== "map") this.#misfit(shape);
    if (shape?.kind === "map" && !isTextKey(resolved(shape.key))) return this.#keyed(value, shape);
    const bag = emptyBag<unknown>();
    this.#open({
      kind: "object",
      next: value + 1,
      end: tape.end(value),
      at: value,
      bag,
      members: shape?.kind === "object" ? shape : undefined,
      values: shape?.kind === "map" ? shape.value : undefined,
      typed: named !== undefined,
    });
    const isOther = named !== undefined && (known === undefined || known !== declared);
    if (shape?.kind === "map") annotateDictionary(bag);
    return isOther ? annotate(bag, { typeName: nameText(named) }) : bag;
  }

  /** A dictionary of `UseSimpleDictionaryFormat`, whose keys are names in JSON and not text in .NET. */
  #keyed(value: number, shape: MapShape): Map<unknown, unknown> {
    const target = new Map<unknown, unknown>();
    this.#open({ kind: "keyed", next: value + 1, end: this.#tape.end(value), at: value, target, shape });
    return target;
  }

  #keyedEntry(frame: JsonKeyedFrame): void {
    const tape = this.#tape;
    const { next: name, target, shape } = frame;
    frame.at = name;
    frame.next = tape.next(name + 1);
    const whole = resolved(shape.key);
    const key = keyOfName(tape.string(name), whole);
    if (key === undefined) this.#misfit(whole);
    target.set(key ?? tape.string(name), this.#start(name + 1, shape.value));
  }

  /** Items are placed in order; the contents of one are read before the next. */
  #open(frame: JsonFrame): void {
    if (frame.next < frame.end) this.#frames.push(frame);
  }

  /** Warns once about a path with values that do not fit the contract; they are kept as written. */
  #misfit(shape: ResolvedShape): void {
    if (this.#strangers.size >= maxWarnings) return;
    this.#strangers.add(`${this.#path()} does not fit its contract (${wordsOf(shape)}); it was kept as written.`);
  }

  /** The path of the current value. */
  #path(): string {
    let path = "$";
    let row: unknown;
    for (const frame of this.#frames) {
      if (frame.kind === "object" || frame.kind === "keyed") path += memberStep(this.#tape.name(frame.at));
      else if (frame.kind === "entries") path += "[value]";
      // Items in another order have a frame each.
      else if (frame.list !== row) path += "[]";
      row = frame.kind === "list" ? frame.list : undefined;
    }
    return path;
  }
}

/** `__type`, the first member: the name, a colon and the namespace, in which # abbreviates that of CLR types. */
export function typeOf(tape: JsonTape, object: number): XmlName | undefined {
  const name = object + 1;
  if (name === tape.end(object) || !tape.isNamed(name, "__type") || !tape.isString(name + 1)) return undefined;
  const text = tape.string(name + 1);
  const colon = text.indexOf(":");
  if (colon === -1) return { namespace: "", local: text };
  const namespace = text.slice(colon + 1);
  return {
    namespace: namespace.startsWith("#") ? `${clrNamespaces}${namespace.slice(1)}` : namespace,
    local: text.slice(0, colon),
  };
}
