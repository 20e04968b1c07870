import { diffgramIn, diffgramInText } from "../../../codecs/dotnet/data-set/data-set.ts";
import { bigIntegerOf } from "../../../codecs/dotnet/data-contract/bcl-values.ts";
import { propertyName } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { isJsonNetMark } from "../../../codecs/dotnet/json/json-net.ts";
import { withoutInfinity } from "../../../codecs/dotnet/json/json-scalar.ts";
import { jsonKind, type JsonTape } from "../../../codecs/dotnet/json/json-tape.ts";
import { resolveDecodeLimits } from "../../core/codec/limits.ts";
import { collectDiffgram } from "./data-set-values.ts";
import { knownValue, type SourceValue, type SourceValues } from "./source-values.ts";
import { keysOfDigits, keysOfScalar, keysOfUntyped, keysWithOffset, numberKey, type ValueKey } from "./value-keys.ts";

/** How {@link collectJson} reads. */
export interface JsonTokens {
  /** Whether a contract may assign types to strings. */
  readonly typed: boolean;
  /** Whether the metadata of Json.NET is resolved. */
  readonly jsonNet?: boolean | undefined;
}

/** Collects the scalars of a JSON text. */
export function collectJson(tape: JsonTape, into: SourceValues, tokens: JsonTokens): void {
  new Collector(tape, into, tokens).collect();
}

/** The text was already read within the caller's limits. */
const limits = resolveDecodeLimits({ maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, maxItems: 20_000_000 });

const dateForm = /^\/Date\((-?\d{1,15})(?:([+-])(\d\d)(\d\d))?\)\/$/;

class Collector {
  readonly #tape: JsonTape;
  readonly #into: SourceValues;
  readonly #typed: boolean;
  readonly #jsonNet: boolean;

  constructor(tape: JsonTape, into: SourceValues, { typed, jsonNet = false }: JsonTokens) {
    this.#tape = tape;
    this.#into = into;
    this.#typed = typed;
    this.#jsonNet = jsonNet;
  }

  collect(): void {
    const pending: { readonly at: number; readonly name: string | undefined; readonly path: string }[] = [
      { at: 0, name: undefined, path: "$" },
    ];
    const tape = this.#tape;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { at, name, path } = next;
      if (isEmpty(tape, at)) this.#into.empties++;
      if (tape.kind(at) === jsonKind.list) {
        const bytes = this.#bytes(at, path);
        if (bytes !== undefined) this.#into.addGroup(name, bytes.keys, bytes.parts);
        else
          for (let item = at + 1; item < tape.end(at); item = tape.next(item))
            pending.push({ at: item, name: undefined, path: `${path}[]` });
      } else if (tape.kind(at) === jsonKind.object) {
        if (this.#struct(at, name, path)) continue;
        const held = this.#jsonNet ? this.#heldBy(at) : undefined;
        if (held !== undefined) {
          if (held > 0) pending.push({ at: held, name, path });
          continue;
        }
        const isQueue = tape.member(at, "_array") !== undefined && tape.member(at, "_size") !== undefined;
        for (const [member, value] of membersOf(tape, at)) {
          if (
            (member === "__type" && value === at + 2 && tape.isString(value)) ||
            (this.#jsonNet && isJsonNetMark(tape, member, value)) ||
            (isQueue && /^_(?:size|version|head|tail|growFactor)$/.test(member))
          )
            continue;
          const own = propertyName(member);
          this.#into.addMember(own);
          if (own !== member)
            this.#into.allow(member, this.#tape.kind(value) <= jsonKind.object ? [] : this.#keysOf(value));
          pending.push({ at: value, name: own, path: `${path}.${own}` });
        }
      } else if (this.#rows(at, path)) continue;
      else if (tape.kind(at) === jsonKind.null) this.#into.allow(name, []);
      else this.#into.add(knownValue(name, path, this.#keysOf(at)));
    }
  }

  /** The value that an object of Json.NET stands for; 0 for a reference, `undefined` for an object with members. */
  #heldBy(object: number): number | undefined {
    const tape = this.#tape;
    let held: number | undefined;
    for (const [member, value] of membersOf(tape, object)) {
      if (isJsonNetMark(tape, member, value)) continue;
      const isReference = member === "$ref" && tape.isString(value);
      const isHeld =
        (member === "$values" && tape.kind(value) === jsonKind.list) ||
        (member === "$value" && tape.kind(value) > jsonKind.object);
      if (held !== undefined || !(isReference || isHeld)) return undefined;
      held = isReference ? 0 : value;
    }
    if (held === 0) this.#into.isShared = true;
    return held;
  }

  /** Collects the rows in a string that contains XML. */
  #rows(at: number, path: string): boolean {
    const text = this.#tape.isString(at) ? this.#tape.string(at) : "";
    const element = text.startsWith("<") ? diffgramInText(text, limits) : undefined;
    const rows = element && diffgramIn(element);
    if (rows !== undefined) collectDiffgram(rows.diffgram, path, this.#into);
    return rows !== undefined;
  }

  #keysOf(at: number): readonly ValueKey[] {
    const tape = this.#tape;
    if (tape.isString(at)) {
      const text = tape.string(at);
      const date = dateForm.exec(text);
      if (date !== null) return [`s${text}`, ...keysOfDate(date)];
      return this.#typed ? keysOfUntyped(text) : [`s${text}`];
    }
    if (!tape.isNumber(at)) return [`b${tape.kind(at) === jsonKind.true}`];
    const text = withoutInfinity(tape.written(at));
    return /\d/.test(text) ? keysOfDigits(text) : [`n${text}`, `s${text}`];
  }

  /** A list of bytes, which a contract turns into base64. */
  #bytes(
    list: number,
    path: string,
  ): { readonly keys: readonly ValueKey[]; readonly parts: readonly SourceValue[] } | undefined {
    const tape = this.#tape;
    if (!this.#typed) return undefined;
    const bytes: number[] = [];
    for (let item = list + 1; item < tape.end(list); item = tape.next(item)) {
      const text = tape.kind(item) === jsonKind.integer ? tape.written(item) : "";
      if (!/^\d{1,3}$/.test(text) || Number(text) > 255) return undefined;
      bytes.push(Number(text));
    }
    const base64 = Buffer.from(bytes).toString("base64");
    const parts = bytes.map((byte) => knownValue(undefined, `${path}[]`, [numberKey(`${byte}`) ?? ""]));
    return { keys: [`s${base64}`, `x${base64}`], parts };
  }

  /** A DateTimeOffset or a Version. */
  #struct(object: number, name: string | undefined, path: string): boolean {
    const tape = this.#tape;
    const count = tape.count(object, 4);
    const text = (member: string): string | undefined => {
      const at = tape.member(object, member);
      return at === undefined || tape.kind(at) <= jsonKind.object
        ? undefined
        : tape.isString(at)
          ? tape.string(at)
          : tape.written(at);
    };
    const parts = (): readonly SourceValue[] =>
      [...membersOf(tape, object)].map(([member, at]) => knownValue(member, path, this.#keysOf(at)));
    const bits = tape.member(object, "_bits");
    const sign = bits === undefined || count !== 2 ? undefined : text("_sign");
    if (bits !== undefined && sign !== undefined && tape.kind(bits) !== jsonKind.object) {
      const words: string[] = [];
      for (let word = bits + 1; word < tape.end(bits) && tape.kind(bits) === jsonKind.list; word = tape.next(word))
        words.push(tape.written(word));
      const number = bigIntegerOf(words, sign);
      if (number === undefined || (words.length === 0 && tape.kind(bits) === jsonKind.list)) return false;
      this.#into.add(knownValue(name, path, keysOfScalar(number)));
      return true;
    }
    if (count === 2 && text("OffsetMinutes") !== undefined) {
      const date = dateForm.exec(text("DateTime") ?? "");
      if (date === null) return false;
      this.#into.addGroup(name, keysOfDate(date, Number(text("OffsetMinutes"))), parts());
      return true;
    }
    if (count !== 4 || text("_Major") === undefined || text("_Revision") === undefined) return false;
    const numbers = ["_Major", "_Minor", "_Build", "_Revision"].map((part) => text(part) ?? "-1");
    this.#into.addGroup(name, [`s${numbers.filter((part) => !part.startsWith("-")).join(".")}`], parts());
    return true;
  }
}

/** Whether a value is an empty list, object or text. */
function isEmpty(tape: JsonTape, at: number): boolean {
  if (tape.kind(at) <= jsonKind.object) return tape.end(at) === at + 1;
  return tape.kind(at) === jsonKind.plain && tape.end(at) - tape.start(at) === 2;
}

function* membersOf(tape: JsonTape, object: number): Generator<readonly [string, number]> {
  for (let name = object + 1; name < tape.end(object); name = tape.next(name + 1)) yield [tape.string(name), name + 1];
}

/** The keys of the time of .NET's JSON date, with its offset; none for other text. */
export function keysOfJsonDate(text: string): readonly ValueKey[] {
  const date = dateForm.exec(text);
  return date === null ? [] : keysOfDate(date);
}

function keysOfDate([, milliseconds, sign, hours, minutes]: RegExpExecArray, offset?: number): readonly ValueKey[] {
  const date = new Date(Number(milliseconds));
  if (Number.isNaN(date.getTime())) return [];
  const own = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  // .NET loses the sign of an offset below an hour.
  const other = offset === undefined && own > 0 && own < 60 ? keysWithOffset(date.toISOString(), -own) : [];
  return [...keysWithOffset(date.toISOString(), offset ?? own), ...other];
}
