import { memo } from "../../core/values/memo.ts";
import { annotationsOf } from "../../core/values/annotations.ts";
import { EnumValue } from "../../core/values/enum-value.ts";
import { Typed } from "../../core/values/typed.ts";
import { readSource, type SourcePayload } from "./scan-source.ts";
import { knownValue, type SourceValue, type SourceValues } from "./source-values.ts";
import { keysOfName, keysOfNumber, keysOfSingle, meaningsOf, numberKey, type ValueKey } from "./value-keys.ts";
import { WrittenValues } from "./written-values.ts";

/** A message before and after its migration. */
export interface MigratedPayload extends SourcePayload {
  /** The body from its reader, which includes the names of enums. */
  readonly body: unknown;
  /** The body read back from the new payload. */
  readonly decoded: unknown;
  /** Whether numbers of its type are written as text. */
  readonly numbersAreText: boolean;
}

/** Maximum number of findings per message. */
const maxNamedLosses = 5;

/**
 * Finds every value of the source in the new payload, and every value of the new payload in the source. Returns the paths
 * of those that are missing. It reads only the tokens of the source format, independently of the decisions that the migration made.
 *
 * @throws SobreError from the readers of the format.
 */
export function verifyMessage(message: MigratedPayload): readonly string[] {
  const tokens = readSource(message);
  if (tokens?.isSame(message.decoded) === true) return [];
  const written = new WrittenValues(message.decoded);
  if (tokens === undefined) return missing(valuesOf(message.body), written, message);
  const source = tokens.values();
  if (written.empties < source.empties) return ["$"];
  const isMember = (name: string): boolean => source.isMember(name);
  const parts = source.partsUnless((keys) => written.count(keys, noMember) > 0);
  const { entryKeys } = source;
  const values = [...source.values, ...parts];
  const missed = missing({ values, entryKeys, count: (key) => source.count(key), isMember }, written, message);
  if (missed.length > 0) return missed;
  // Two written values must not both be matched with the same source value.
  if (written.values.filter(({ keys: [key] }) => key !== "s").length > source.size) return ["$"];
  return invented(source, written, message);
}

/** For formats whose values are their tokens: the values from their reader. */
function valuesOf(body: unknown): WantedValues {
  const values = new WrittenValues(body).values.map(({ name, path, keys }) => knownValue(name, path, keys));
  return { values, entryKeys: [], count: () => 0, isMember: noMember };
}

function missing(
  { values, entryKeys, count: countIn, isMember }: WantedValues,
  written: WrittenValues,
  message: MigratedPayload,
): readonly string[] {
  const wanted: SourceValue[] = [...values, ...entryKeys];
  const counts = new Map<ValueKey, { value: SourceValue; count: number }>();
  const numbers = new Map<ValueKey, Set<ValueKey>>();
  const texts = new Map<ValueKey, Set<ValueKey>>();
  for (const value of wanted) {
    const [key = ""] = value.keys;
    const known = counts.get(key);
    // One text may be a number where the source names its type, and nothing else in another place.
    const isFirst = known === undefined || value.keys.length > known.value.keys.length;
    counts.set(key, { value: isFirst ? value : known.value, count: (known?.count ?? 0) + 1 });
    if (!isFirst) continue;
    // Several texts can denote the same number.
    for (const number of value.keys) if (number.startsWith("n")) memo(numbers, number, () => new Set()).add(key);
    if (message.numbersAreText && key.startsWith("s"))
      for (const number of meaningsOf(key.slice(1))) memo(texts, number, () => new Set()).add(key);
  }
  const isKey = new Set(entryKeys.map(({ keys: [key] }) => key));
  const paths: string[] = [];
  let hints: SourceHints | undefined;
  const mayBeSingles = hasSingles(message);
  const isOther = (key: ValueKey): ((name: string) => boolean) => (isKey.has(key) ? noMember : isMember);
  /** Whether there are enough numbers, and texts of numbers that are not texts of the source, for values that were not found as they are. */
  const areFound = (alike: ReadonlySet<ValueKey>, number: ValueKey): boolean => {
    let left = written.countOf(number);
    for (const key of alike) {
      const { value, count } = counts.get(key) ?? knownNothing;
      const found = written.count(
        value.keys.filter((one) => !one.startsWith("n")),
        isOther(key),
      );
      left -= Math.max(0, count - found);
    }
    if (left >= 0 || !message.numbersAreText) return left >= 0;
    const meaning = `m${number.slice(1)}`;
    left += written.countOf(meaning);
    for (const key of texts.get(meaning) ?? []) left -= Math.min(counts.get(key)?.count ?? 0, written.countOf(key));
    return left >= 0;
  };
  for (const [key, { value, count }] of counts) {
    const keys = message.numbersAreText ? withText(value.keys) : value.keys;
    const number = keys.find((one) => one.startsWith("n")) ?? "";
    const alike = numbers.get(number);
    if (alike !== undefined && alike.size > 1) {
      if (areFound(alike, number)) continue;
    } else if (written.count(keys, isOther(key)) >= count) continue;
    // Only forms that are not those of another source value.
    const others = [
      ...(mayBeSingles ? asSingles(keys) : []),
      ...(message.typed ? asBooleans(keys) : []),
      ...asBytes(keys),
      ...keysOfName(keys),
      ...(hints ??= new SourceHints(message.body)).of(keys),
    ].filter((other) => countIn(other) === 0);
    if (others.length > 0 && written.count([...keys, ...others], isOther(key)) >= count) continue;
    if (paths.push(value.path) === maxNamedLosses) break;
  }
  return paths;
}

const noMember = (): boolean => false;
const knownNothing = { value: knownValue(undefined, "$", []), count: 0 };

/** The values to look up. */
type WantedValues = Pick<SourceValues, "values" | "entryKeys"> & {
  readonly count: (key: ValueKey) => number;
  readonly isMember: (name: string) => boolean;
};

/** XML may contain a boolean as a digit. */
function asBooleans([key]: readonly ValueKey[]): readonly ValueKey[] {
  return key === "s1" ? ["btrue"] : key === "s0" ? ["bfalse"] : [];
}

/** Whether numbers may be texts of 32-bit floats: in XML, and where a contract says so. */
function hasSingles({ typed, codec }: MigratedPayload): boolean {
  return typed || codec === "nbfx" || codec === "datacontract-xml";
}

/** The forms of a 32-bit float whose text has more digits than necessary. */
function asSingles(keys: readonly ValueKey[]): readonly ValueKey[] {
  return keys.flatMap((key) => {
    const value = singleIn(key);
    return value === undefined ? [] : keysOfSingle(value);
  });
}

/** The 32-bit float that a number is if it has exactly the digits of one: all of them, or the nine that .NET writes. */
function singleIn(key: ValueKey): number | undefined {
  if (!key.startsWith("n") || key.length <= 8) return undefined;
  const value = Number(key.slice(1));
  const single = Math.fround(value);
  return single !== 0 && (single === value || numberKey(single.toPrecision(9)) === key) ? single : undefined;
}

function isSingleOf([key = ""]: readonly ValueKey[], name: string | undefined, source: SourceValues): boolean {
  if (!key.startsWith("n") || !isShort(key)) return false;
  const value = Math.fround(Number(key.slice(1)));
  for (const other of source.keys())
    if (other !== key && source.has(name, other) && singleIn(other) === value) return true;
  return false;
}

function isNameOf(keys: readonly ValueKey[], source: SourceValues): boolean {
  for (const other of source.keys()) if (keysOfName([other]).some((key) => keys.includes(key))) return true;
  return false;
}

/** Bytes may appear in XML as base64. */
function asText(keys: readonly ValueKey[]): readonly ValueKey[] {
  return keys.flatMap((key) => (key.startsWith("x") ? [`s${key.slice(1)}`] : []));
}

/** Base64 in XML may be bytes. */
function asBytes([key = ""]: readonly ValueKey[]): readonly ValueKey[] {
  return key.startsWith("s") && key.length % 4 === 1 ? [`x${key.slice(1).replaceAll(/\s/g, "")}`] : [];
}

/** Whether a number has no more digits than a 32-bit float. */
function isShort(key: ValueKey): boolean {
  return /^n-?\d{1,9}e/.test(key);
}

/** A number may appear as text. */
function withText(keys: readonly ValueKey[]): readonly ValueKey[] {
  return keys.flatMap((key) => (key.startsWith("n") ? [key, `m${key.slice(1)}`] : [key]));
}

function invented(source: SourceValues, written: WrittenValues, message: MigratedPayload): readonly string[] {
  const paths: string[] = [];
  let hinted: ReadonlySet<ValueKey> | undefined;
  for (const { name, keys, path } of written.values) {
    if (keys.some((key) => source.has(name, key) && source.count(key) >= written.countOf(key))) continue;
    if (keys.some((key) => source.isOptional(name, key))) continue;
    const asNumber = message.numbersAreText ? keys.find((key) => key.startsWith("m")) : undefined;
    if (asNumber !== undefined && source.has(name, `n${asNumber.slice(1)}`)) continue;
    hinted ??= new SourceHints(message.body).all(source);
    if (keys.some((key) => hinted?.has(key))) continue;
    if (asText(keys).some((key) => source.has(name, key))) continue;
    if (hasSingles(message) && (asSingles(keys).some((key) => source.has(name, key)) || isSingleOf(keys, name, source)))
      continue;
    if (keys.some((key) => key.startsWith("q")) && isNameOf(keys, source)) continue;
    if (paths.push(path) === maxNamedLosses) break;
  }
  return paths;
}

/** The names of enums and the characters that the source contains as numbers. */
class SourceHints {
  readonly #texts = new Map<ValueKey, Set<ValueKey>>();

  constructor(body: unknown) {
    const seen = new Set<object>();
    const pending: unknown[] = [body];
    while (pending.length > 0) {
      const value = pending.pop();
      if (typeof value !== "object" || value === null || seen.has(value)) continue;
      seen.add(value);
      if (value instanceof EnumValue) {
        if (value.value !== undefined && value.name !== `${value.value}`)
          this.#add(keysOfNumber(value.value), `s${value.name}`);
      } else if (value instanceof Typed) {
        if (value.type === "char") this.#add(keysOfNumber(String(value.value).charCodeAt(0)), `s${value.value}`);
      } else if (value instanceof Map) for (const [key, item] of value) pending.push(key, item);
      else if (!(value instanceof Uint8Array)) {
        for (const inner of Object.values(value)) pending.push(inner);
        pending.push(annotationsOf(value)?.superMembers, annotationsOf(value)?.data);
      }
    }
  }

  #add([key = ""]: readonly ValueKey[], text: ValueKey): void {
    memo(this.#texts, key, () => new Set()).add(text);
  }

  /** Other forms of values with these keys. */
  of(keys: readonly ValueKey[]): readonly ValueKey[] {
    return keys.flatMap((key) => [...(this.#texts.get(key) ?? [])]);
  }

  /** Other forms of all values of the source. */
  all(source: SourceValues): ReadonlySet<ValueKey> {
    const texts = new Set<ValueKey>();
    for (const [key, known] of this.#texts) if (source.has(undefined, key)) for (const text of known) texts.add(text);
    return texts;
  }
}
