import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { refuseProtoKey } from "./proto-key.ts";
import { guardedDecoder } from "../../../src/core/codec/guarded-codec.ts";
import type { Decoded, DecodeContext, Decoder, Sniff } from "../../../src/core/codec/codec.ts";
import { limitExceeded } from "../../../src/core/codec/limits.ts";
import { mediaRange } from "../../../src/core/content-type/media-range.ts";
import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { annotate, annotateDictionary, typeNameOf } from "../../../src/core/values/annotations.ts";
import { fromBase64 } from "../../../src/core/host/node.ts";
import { ByteOffsets, decoded } from "../xml/source-text.ts";
import { untypedJson } from "./json-scalar.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";
import { readJson } from "./read-json.ts";

/** Whether a member is the id or the type of its object in Json.NET's metadata, which are always strings. */
export function isJsonNetMark(tape: JsonTape, member: string, value: number): boolean {
  return (member === "$id" || member === "$type") && tape.isString(value);
}

/**
 * The decoder of JSON that Json.NET wrote with `TypeNameHandling` or `PreserveReferencesHandling`: `$type` becomes the type of the
 * object, `$values` the list that it holds, and `$ref` the object with that `$id`. JSON without such members is refused, so list it before `json`.
 *
 * Whatever has one of these names but another kind of value is an ordinary member. Members besides a `$ref`, or besides
 * `$values` and `$value` except `$id` and `$type`, are refused with their offset.
 *
 * Types are only names: nothing is loaded. List types, such as `List<T>`, are dropped.
 */
export function jsonNet(options: JsonNetOptions = {}): Decoder {
  checkOptions(options, optionChecks, { owner: "jsonNet: " });
  const refuses = options.protoKey === "refuse";
  return guardedDecoder({
    name: "json-net",
    accepts,
    decode: (payload, context) => decode(payload, context, refuses),
    sniff,
  });
}

/** Options of {@link jsonNet}. */
export interface JsonNetOptions {
  /** Whether a member `__proto__` is kept as an own member, or refused, the default of `legacy()`. Default: `keep`. */
  readonly protoKey?: "refuse" | "keep";
}

const optionChecks: OptionChecks<JsonNetOptions> = { protoKey: is.oneOf("refuse", "keep") };

const accepts = Object.freeze([mediaRange("application", "json"), mediaRange("text", "json")]);

const scanned = 65_536;
const marks = /"\$(?:type|id|values)"\s*:/;

function sniff(payload: Uint8Array): Sniff {
  const head = Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, scanned)).toString("latin1");
  return /^[\s\u00ef\u00bb\u00bf]*[[{]/.test(head) && marks.test(head) ? "strong" : "no";
}

function decode(payload: Uint8Array, { limits }: DecodeContext, refuses: boolean): Decoded {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  const source = decoded(payload, () => undefined);
  if (!marks.test(source.text))
    throw new SobreError("DecodeFailed", "The JSON has no metadata of Json.NET.", { offset: 0 });
  const offsetOf = (index: number): number => new ByteOffsets(source, payload.length).at(index);
  const tape = readJson(source.text, limits, offsetOf);
  if (refuses) refuseProtoKey(tape, offsetOf);
  const body = new Resolver(tape, offsetOf).value(0);
  const typeName = typeNameOf(body);
  return typeName === undefined ? { body } : { body, typeName };
}

class Resolver {
  readonly #tape: JsonTape;
  readonly #offsetOf: (index: number) => number;
  readonly #byId = new Map<string, unknown>();

  constructor(tape: JsonTape, offsetOf: (index: number) => number) {
    this.#tape = tape;
    this.#offsetOf = offsetOf;
  }

  /** The depth of the recursion is that of the document, which the reader has limited. */
  value(at: number): unknown {
    const tape = this.#tape;
    switch (tape.kind(at)) {
      case jsonKind.list:
        return this.#list(at, []);
      case jsonKind.object:
        return this.#object(at);
      default:
        return untypedJson(tape, at);
    }
  }

  #list(at: number, list: unknown[]): unknown[] {
    const tape = this.#tape;
    for (let item = at + 1; item < tape.end(at); item = tape.next(item)) list.push(this.value(item));
    return list;
  }

  #object(at: number): unknown {
    const tape = this.#tape;
    const ref = tape.member(at, "$ref");
    if (ref !== undefined && tape.isString(ref)) {
      this.#refuseBesides(at, ref, () => false);
      return this.#referenced(tape.string(ref), at);
    }
    const type = this.#text(at, "$type");
    const values = tape.member(at, "$values");
    if (values !== undefined && tape.kind(values) === jsonKind.list) {
      this.#refuseBesides(at, values, isJsonNetMark);
      return this.#list(values, this.#known(at, []));
    }
    const single = tape.member(at, "$value");
    if (single !== undefined && tape.kind(single) > jsonKind.object) {
      this.#refuseBesides(at, single, isJsonNetMark);
      return this.#known(at, valueOfType(untypedJson(tape, single), type));
    }
    const bag = this.#known(at, emptyBag<unknown>());
    if (type !== undefined) {
      if (dictionaries.test(type)) annotateDictionary(bag);
      else annotate(bag, { typeName: withoutAssembly(type) });
    }
    for (let name = at + 1; name < tape.end(at); name = tape.next(name + 1)) {
      const member = tape.string(name);
      if (!isJsonNetMark(tape, member, name + 1)) bag[member] = this.value(name + 1);
    }
    return bag;
  }

  /** Refuses members that would be lost because their object is one of its members. */
  #refuseBesides(object: number, held: number, isAllowed: typeof isJsonNetMark): void {
    const tape = this.#tape;
    for (let name = object + 1; name < tape.end(object); name = tape.next(name + 1)) {
      if (name + 1 === held || isAllowed(tape, tape.string(name), name + 1)) continue;
      const offset = this.#offsetOf(tape.start(name));
      throw new SobreError(
        "DecodeFailed",
        "A member is besides $ref, $values or $value, which Json.NET does not write.",
        {
          offset,
        },
      );
    }
  }

  /** Remembers an object by its id before its contents, which may refer to it. */
  #known<T>(at: number, made: T): T {
    const id = this.#text(at, "$id");
    if (id !== undefined) this.#byId.set(id, made);
    return made;
  }

  #referenced(id: string, at: number): unknown {
    if (this.#byId.has(id)) return this.#byId.get(id);
    const offset = this.#offsetOf(this.#tape.start(at));
    throw new SobreError("DecodeFailed", "A $ref names an object that does not come before it.", { offset });
  }

  #text(object: number, name: string): string | undefined {
    const member = this.#tape.member(object, name);
    return member !== undefined && this.#tape.isString(member) ? this.#tape.string(member) : undefined;
  }
}

const dictionaries =
  /^System\.Collections\.(?:Generic\.(?:Sorted)?Dictionary`2|Concurrent\.ConcurrentDictionary`2|Hashtable|ObjectModel\.ReadOnlyDictionary`2)/;

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function valueOfType(value: unknown, type: string | undefined): unknown {
  const isBytes = typeof value === "string" && type?.startsWith("System.Byte[]") === true && base64.test(value);
  return isBytes ? fromBase64(value) : value;
}

/** The name of a type before its assembly; those of type arguments remain. */
function withoutAssembly(type: string): string {
  let depth = 0;
  for (let index = 0; index < type.length; index++) {
    const character = type[index];
    if (character === "[") depth++;
    else if (character === "]") depth--;
    else if (character === "," && depth === 0) return type.slice(0, index);
  }
  return type;
}
