import { isSafeInteger } from "../../core/values/safe-integer.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import { annotationsOf, isDoubleIn, isTypedIn, typeNameOf } from "../../core/values/annotations.ts";
import { IsoTime } from "../../core/values/iso-time.ts";
import { LocalDate } from "../../core/values/local-time.ts";
import { scalarText } from "../target/lower-value.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { EnumValue } from "../../core/values/enum-value.ts";
import type { PathShape, ShapeBudget } from "./shape.ts";
import { guessesLists, type Guessing, isGuess, kindOf, numberOfEnum, type ValueKind } from "./value-kind.ts";

/** Maximum number of repeated visits of shared containers: a payload with nested sharing could require 2^40. */
const maxRepeats = 1_000;

/** Adds one body to a shape; cycles are cut, and shared values are noted at every path up to a limit. */
export function noteValue(root: unknown, shape: PathShape, rules: NoteRules): void {
  new Noting(rules).note(root, shape);
}

/** The context of {@link noteValue}. */
export interface NoteRules {
  readonly guessing: Guessing;
  /** Whether numbers were JSON numbers. */
  readonly literal: boolean;
  readonly budget: ShapeBudget;
}

/** The type of a scalar as stated by the payload or a contract. */
interface StatedType {
  readonly isTyped: boolean;
  readonly isDouble: boolean;
}

const untypedValue: StatedType = { isTyped: false, isDouble: false };

function noteOf(container: object, key: unknown): StatedType {
  return annotationsOf(container) === undefined
    ? untypedValue
    : { isTyped: isTypedIn(container, key), isDouble: isDoubleIn(container, key) };
}

/** The dates and times of RFC 3339, 5.6. */
const rfc3339 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

class Noting {
  readonly #guessing: Guessing;
  readonly #literal: boolean;
  readonly #budget: ShapeBudget;
  readonly #seen = new Set<object>();
  /** The containers around the current value, so that cycles end. */
  readonly #open = new Set<object>();
  /** How many more shared containers may be visited again at another path. */
  #again = maxRepeats;

  constructor({ guessing, literal, budget }: NoteRules) {
    this.#guessing = guessing;
    this.#literal = literal;
    this.#budget = budget;
  }

  note(value: unknown, shape: PathShape | undefined, told: StatedType = untypedValue): void {
    if (shape === undefined) return;
    const found = kindOf(value);
    const kind = found === "integer" && told.isDouble ? "number" : found;
    shape.count++;
    shape.kinds[kind]++;
    if (kind === "decimal" && this.#literal) shape.literals++;
    if ((kind === "integer" || kind === "int64") && this.#literal) shape.wholeLiterals++;
    const isDictionary = kind === "object" && typeof value === "object" && value !== null && isDictionaryOf(value);
    if ((isDictionary || kind === "map") && this.#literal && this.#guessing !== "nothing") shape.entryLists++;
    if (isDictionary) shape.noteDictionary();
    else if (guessesLists(this.#guessing) && kind !== "list" && kind !== "null") shape.elements++;
    if (typeof value === "object" && value !== null) {
      this.#container(value, kind, shape);
      return;
    }
    if (guessesLists(this.#guessing) && !told.isTyped) {
      if (isGuess(value, kind, this.#guessing)) shape.guesses++;
      else if (kind === "empty-text") shape.empties++;
    }
    if (typeof value !== "bigint") return;
    if (!isSafeInteger(value)) shape.unsafe++;
    if (BigInt.asIntN(64, value) !== value) shape.unsigned++;
  }

  #container(value: object, kind: ValueKind, shape: PathShape): void {
    const number = numberOfEnum(value);
    if (typeof number === "bigint") shape.unsafe++;
    if (value instanceof EnumValue && number === undefined) shape.noteEnum(value);
    if ((value instanceof IsoTime || value instanceof LocalDate) && !rfc3339.test(scalarText(value))) shape.irregular++;
    if (kind !== "object" && kind !== "list" && kind !== "map" && kind !== "array" && kind !== "stream") return;
    const typeName = typeNameOf(value);
    if (typeName !== undefined) shape.noteTypeName(typeName);
    if (this.#open.has(value)) return;
    if (this.#seen.has(value) && this.#again-- <= 0) return;
    this.#seen.add(value);
    this.#open.add(value);
    this.#contents(value, shape);
    this.#open.delete(value);
  }

  #contents(value: object, shape: PathShape): void {
    if (Array.isArray(value)) {
      const { isRepeated, itemName } = annotationsOf(value) ?? {};
      if (isRepeated === true) shape.repeats++;
      if (itemName !== undefined) {
        shape.guessedLists++;
        shape.noteItemName(itemName);
      }
      this.#items(value, shape, value);
    } else if (value instanceof MultiArray) this.#items(value.values, shape, value);
    else if (value instanceof ContentStream) this.#items(value.contents, shape, value);
    else if (value instanceof Map || value instanceof AmqpMap) {
      for (const [key, item] of value) {
        this.note(key, shape.key(this.#budget), { isTyped: isTypedIn(value, key), isDouble: false });
        this.note(item, shape.item(this.#budget), noteOf(value, key));
      }
    } else this.#members(value, shape);
  }

  #items(items: readonly unknown[], shape: PathShape, container: object): void {
    if (items.length === 0 && this.#guessing !== "nothing") shape.emptyLists++;
    const item = items.length === 0 ? undefined : shape.item(this.#budget);
    for (let index = 0; index < items.length; index++) this.note(items[index], item, noteOf(container, index));
  }

  #members(value: object, shape: PathShape): void {
    let count = 0;
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      count++;
      this.note(member, shape.member(name, this.#budget), noteOf(value, name));
    }
    if (count === 1 && guessesLists(this.#guessing) && !isDictionaryOf(value)) shape.singles++;
  }
}

function isDictionaryOf(value: object): boolean {
  return annotationsOf(value)?.isDictionary === true;
}
