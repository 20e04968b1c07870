import { isObject } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { typeTextOf } from "../infer/discriminator.ts";
import { memberShape, notFiniteText, numberText, scalarText } from "../target/lower-value.ts";
import { memberStep } from "../../core/values/member-step.ts";
import { numberOfEnum } from "../infer/value-kind.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import { decimalsAreText, integersAreText, numbersAreText, type TargetRules } from "../target/target-rules.ts";
import { AmqpMap, Typed } from "../../core/values/typed.ts";
import { annotationsOf } from "../../core/values/annotations.ts";
import { BigInteger } from "../../core/values/big-integer.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { Decimal } from "../../core/values/decimal.ts";
import { EnumValue } from "../../core/values/enum-value.ts";
import { Instant } from "../../core/values/instant.ts";
import { IsoTime } from "../../core/values/iso-time.ts";
import { MsgpackExtension } from "../../core/values/msgpack-extension.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { TaggedScalar } from "../../core/values/tagged-value.ts";

/** Information that a migrated payload has lost. */
export type LossKind =
  | "unverified"
  | "refused-by-schema"
  | "int64"
  | "decimal"
  | "number-as-text"
  | "type-name"
  | "shared-reference"
  | "appended-data"
  | "hidden-members"
  | "time-kind"
  | "enum-number"
  | "array-lengths"
  | "null-or-absent";

/** One loss at one path. */
export interface Loss {
  readonly kind: LossKind;
  readonly path: string;
}

/**
 * Compares a body with the one decoded from its migrated payload, and lists the losses: information that neither the
 * payload nor the schema of its type contains. It examines only the decoded values, not how they were written.
 *
 * @param literal Whether the numbers were JSON numbers, which lose their type as text.
 * @throws SobreError `UnsupportedValue` with the path, for a value that was decoded as a different one.
 */
export function compareValues(
  body: unknown,
  decoded: unknown,
  shape: SettledShape,
  rules: TargetRules,
  literal: boolean = false,
): readonly Loss[] {
  const comparison = new ValueComparison(rules, literal);
  comparison.compare(body, decoded, shape);
  return comparison.losses;
}

const item = Symbol("[]");
const keyOfEntry = Symbol("[key]");
const valueOfEntry = Symbol("[value]");

class ValueComparison {
  readonly #rules: TargetRules;
  readonly #literal: boolean;
  readonly #seen = new Set<object>();
  /** The steps from the root to the value that is compared: paths are rarely asked for. */
  readonly #steps: (string | symbol)[] = [];
  readonly losses: Loss[] = [];
  #known: Set<string> | undefined;

  constructor(rules: TargetRules, literal: boolean) {
    this.#rules = rules;
    this.#literal = literal;
  }

  compare(value: unknown, decoded: unknown, shape: SettledShape | undefined): void {
    switch (typeof value) {
      case "string":
      case "boolean":
        if (value !== decoded) throw this.#changed();
        return;
      case "number":
        this.#number(value, decoded, shape);
        return;
      case "bigint":
        if (this.#rules.int64IsLost && typeof decoded === "bigint") this.#lose("int64");
        this.#integer(value, decoded, shape);
        return;
      case "object":
        if (value === null) {
          if (decoded !== null) throw this.#changed();
        } else this.#object(value, decoded, shape);
        return;
      default:
        throw this.#changed();
    }
  }

  #number(value: number, decoded: unknown, shape: SettledShape | undefined): void {
    if (typeof decoded !== "string") {
      if (!sameNumber(value, decoded)) throw this.#changed();
    } else if (Number.isFinite(value)) {
      if (decoded !== numberText(value) || !this.#isTextAt(shape, Number.isSafeInteger(value))) throw this.#changed();
      if (this.#literal) this.#lose("number-as-text");
    } else if (decoded !== notFiniteText(value)) throw this.#changed();
  }

  #integer(value: bigint, decoded: unknown, shape: SettledShape | undefined): void {
    if (!sameInteger(value, decoded)) throw this.#changed();
    if (typeof decoded === "string" && !this.#rules.embedsJson && !this.#isTextAt(shape, true)) throw this.#changed();
  }

  /** Whether the numbers of a path are written as text. */
  #isTextAt(shape: SettledShape | undefined, isInteger: boolean): boolean {
    if (shape === undefined) return isInteger && this.#rules.int64 === "text";
    return (isInteger && integersAreText(shape.shape, this.#rules)) || numbersAreText(shape.shape, this.#rules);
  }

  #decimal({ text }: Decimal, decoded: unknown, shape: SettledShape | undefined): void {
    if (typeof decoded === "string" && decoded === text) {
      if (shape === undefined || decimalsAreText(shape.shape, this.#rules) !== false || !isNumber(text)) return;
      throw this.#changed();
    }
    const asNumber = typeof decoded === "bigint" ? Number(decoded) : decoded;
    if (shape === undefined || decimalsAreText(shape.shape, this.#rules) !== false || asNumber !== Number(text))
      throw this.#changed();
    if (!sameDecimal(text, String(decoded))) this.#lose("decimal");
  }

  #lose(kind: LossKind): void {
    const path = this.#path();
    const key = `${kind} ${path}`;
    if (this.#known?.has(key) === true) return;
    (this.#known ??= new Set()).add(key);
    this.losses.push({ kind, path });
  }

  #path(): string {
    return `$${this.#steps.map((step) => (typeof step === "symbol" ? step.description : memberStep(step))).join("")}`;
  }

  #changed(): SobreError {
    const path = this.#path();
    const what = "was read back from the migrated payload as another value";
    return new SobreError("UnsupportedValue", `The value at ${path} ${what}.`, { path });
  }

  /** Compares one level deeper. */
  #inside(step: string | symbol, value: unknown, decoded: unknown, shape: SettledShape | undefined): void {
    this.#steps.push(step);
    this.compare(value, decoded, shape);
    this.#steps.pop();
  }

  #object(value: object, decoded: unknown, shape: SettledShape | undefined): void {
    if (value instanceof MsgpackExtension) {
      const same =
        decoded instanceof MsgpackExtension &&
        decoded.type === value.type &&
        Buffer.compare(decoded.data, value.data) === 0;
      if (!same) throw this.#changed();
    } else if (numberOfEnum(value) !== undefined) this.compare(numberOfEnum(value), decoded, shape);
    else if (value instanceof TaggedScalar || value instanceof Date || value instanceof Instant) {
      this.#scalar(value, decoded, shape);
    } else if (value instanceof Uint8Array) {
      const bytes = typeof decoded === "string" ? Buffer.from(decoded, "base64") : decoded;
      if (!(bytes instanceof Uint8Array) || Buffer.compare(value, bytes) !== 0) throw this.#changed();
    } else if (value instanceof Typed) this.compare(value.value, decoded, shape);
    else {
      this.#annotations(value, shape);
      this.#container(value, decoded, shape);
    }
  }

  #annotations(value: object, shape: SettledShape | undefined): void {
    if (this.#seen.has(value)) this.#lose("shared-reference");
    this.#seen.add(value);
    const annotations = annotationsOf(value);
    if (annotations === undefined) return;
    if (annotations.data !== undefined) this.#lose("appended-data");
    if (annotations.superMembers !== undefined) this.#lose("hidden-members");
    // If a path has a single type, the schema names it.
    const isWritten = typeTextOf(value, this.#rules.discriminator) !== undefined;
    if (annotations.typeName !== undefined && shape?.shape.typeNames.size !== 1 && !isWritten) this.#lose("type-name");
  }

  #container(value: object, decoded: unknown, shape: SettledShape | undefined): void {
    if (Array.isArray(value)) this.#list(value, decoded, shape);
    else if (value instanceof ContentStream) this.#list(value.contents, decoded, shape);
    else if (value instanceof MultiArray) {
      // When a dimension has length 0, those after it cannot be seen.
      if (value.lengths.slice(0, -1).includes(0)) this.#lose("array-lengths");
      const flat = Array.isArray(decoded) ? decoded.flat(Math.max(0, value.lengths.length - 1)) : decoded;
      this.#list(value.values, flat, shape);
    } else if (value instanceof Map || value instanceof AmqpMap) this.#entries(value, decoded, shape);
    else this.#members(value, decoded, shape);
  }

  #list(items: readonly unknown[], decoded: unknown, shape: SettledShape | undefined): void {
    if (!Array.isArray(decoded) || decoded.length !== items.length) throw this.#changed();
    for (let index = 0; index < items.length; index++) this.#inside(item, items[index], decoded[index], shape?.items);
  }

  #entries(map: Iterable<readonly [unknown, unknown]>, decoded: unknown, shape: SettledShape | undefined): void {
    const entries: readonly unknown[] = pairsOf(decoded);
    let index = 0;
    for (const [key, inner] of map) {
      const pair: unknown = entries[index++];
      if (!Array.isArray(pair)) throw this.#changed();
      this.#inside(keyOfEntry, key, pair[0], shape?.keys);
      this.#inside(valueOfEntry, inner, pair[1], shape?.items);
    }
    if (entries.length !== index) throw this.#changed();
  }

  #members(value: object, decoded: unknown, shape: SettledShape | undefined): void {
    if (!isObject(decoded) || !isObject(value)) throw this.#changed();
    const isDictionary = shape?.shape.isDictionary === true;
    let count = 0;
    const { discriminator } = this.#rules;
    const type = typeTextOf(value, discriminator);
    if (type !== undefined && discriminator !== undefined) {
      if (decoded[discriminator.member] !== type) throw this.#changedAt(discriminator.member);
      count++;
    }
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      count++;
      if (!Object.hasOwn(decoded, name)) throw this.#changedAt(name);
      this.#inside(isDictionary ? valueOfEntry : name, member, decoded[name], memberShape(shape, name));
    }
    const names = Object.keys(decoded);
    if (names.length === count) return;
    for (const name of names) {
      if (Object.hasOwn(value, name) || (type !== undefined && name === discriminator?.member)) continue;
      if (decoded[name] !== null) throw this.#changedAt(name);
      this.#steps.push(name);
      this.#lose("null-or-absent");
      this.#steps.pop();
    }
  }

  #changedAt(name: string): SobreError {
    this.#steps.push(name);
    return this.#changed();
  }

  #scalar(value: TaggedScalar | Date | Instant, decoded: unknown, shape: SettledShape | undefined): void {
    if (decoded instanceof Date || decoded instanceof Instant) {
      if (nanosecondsOf(value) !== nanosecondsOf(decoded)) throw this.#changed();
      return;
    }
    if (value instanceof Decimal) return this.#decimal(value, decoded, shape);
    const same = value instanceof BigInteger ? sameInteger(value.value, decoded) : decoded === scalarText(value);
    if (!same) throw this.#changed();
    if (value instanceof DateTime && value.kind === "local" && value.offsetMinutes === undefined)
      this.#lose("time-kind");
    if (
      value instanceof EnumValue &&
      value.value !== undefined &&
      shape?.shape.enums.get(value.name) !== `${value.value}`
    )
      this.#lose("enum-number");
  }
}

/** Nanoseconds since 1970 of a UTC time; `undefined` for everything else. */
function nanosecondsOf(value: TaggedScalar | Date | Instant): bigint | undefined {
  if (value instanceof Instant) return value.epochNanoseconds;
  if (value instanceof Date) return BigInt(value.getTime()) * 1_000_000n;
  if (value instanceof DateTime && value.kind === "utc") return (value.ticks - ticksTo1970) * 100n;
  return value instanceof IsoTime ? BigInt(value.toDate().getTime()) * 1_000_000n : undefined;
}

/** Ticks of 100 nanoseconds from 0001-01-01 to 1970-01-01. */
const ticksTo1970 = 621_355_968_000_000_000n;

function sameNumber(value: number, decoded: unknown): boolean {
  if (typeof decoded === "number") return Object.is(value, decoded);
  if (typeof decoded === "bigint") return Number.isInteger(value) && !Object.is(value, -0) && BigInt(value) === decoded;
  return false;
}

/** Whether text is a number that a double can approximate. */
function isNumber(text: string): boolean {
  return Number.isFinite(Number(text));
}

/** Whether two decimal strings denote the same number. */
function sameDecimal(a: string, b: string): boolean {
  return normalDecimal(a) === normalDecimal(b);
}

/** Digits without leading and trailing zeros, and the power of ten. */
function normalDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign === "-" ? "-" : ""}${kept}E${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

function sameInteger(value: bigint, decoded: unknown): boolean {
  if (typeof decoded === "number") return Number.isSafeInteger(decoded) && BigInt(decoded) === value;
  return decoded === value || decoded === String(value);
}

function pairsOf(decoded: unknown): readonly unknown[] {
  if (decoded instanceof Map) return [...decoded];
  if (Array.isArray(decoded)) return decoded;
  // The MessagePack reader returns a map with only string keys as an object.
  return typeof decoded === "object" && decoded !== null ? Object.entries(decoded) : [];
}
