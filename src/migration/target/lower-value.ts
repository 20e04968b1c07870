import { isSafeInteger } from "../../core/values/safe-integer.ts";
import { isObject, isPlainPrototype, setMember } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { typeTextOf } from "../infer/discriminator.ts";
import { memberStep } from "../../core/values/member-step.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import { decimalsAreText, integersAreText, numbersAreText, type TargetRules, timesAreNative } from "./target-rules.ts";
import { numberOfEnum } from "../infer/value-kind.ts";
import { AmqpMap, Typed } from "../../core/values/typed.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { Decimal } from "../../core/values/decimal.ts";
import { Instant } from "../../core/values/instant.ts";
import { IsoTime } from "../../core/values/iso-time.ts";
import { MsgpackExtension } from "../../core/values/msgpack-extension.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { TaggedScalar } from "../../core/values/tagged-value.ts";
import { ticksToMilliseconds } from "../../core/values/ticks.ts";

/**
 * The body as plain values of a format, without what the format lacks: types become text or plain values as in the table
 * in `docs/migrate.md`. Shared values are written at every place.
 *
 * @throws SobreError `UnsupportedValue` with the path for cycles and for values without a plain form, `LimitExceeded`
 *   when shared values would make more than 100,000 containers.
 */
export function lowerValue(body: unknown, shape: SettledShape | undefined, rules: TargetRules): unknown {
  return new Lowering(rules, body).lower(body, shape);
}

/** Maximum number of lists and objects that sharing may add to one body: a payload of 1 KB can stand for 2^40 of them. */
const maxContainers = 100_000;

class Lowering {
  readonly #rules: TargetRules;
  readonly #open = new Set<object>();
  readonly #body: unknown;
  /** The steps from the root to the current value, for errors. */
  readonly #steps: (string | number)[] = [];
  #left = maxContainers;
  /** Whether {@link #left} counts only shared values. */
  #isCounted = false;

  constructor(rules: TargetRules, body: unknown) {
    this.#rules = rules;
    this.#body = body;
  }

  lower(value: unknown, shape: SettledShape | undefined): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return this.#number(value, shape);
      case "bigint":
        return this.#integer(value, shape);
      case "object":
        return value === null ? null : this.#object(value, shape);
      default:
        throw this.#unsupported(`is ${typeof value}`);
    }
  }

  #inside(step: string | number, value: unknown, shape: SettledShape | undefined): unknown {
    this.#steps.push(step);
    const lowered = this.lower(value, shape);
    this.#steps.pop();
    return lowered;
  }

  #unsupported(why: string): SobreError {
    const steps = this.#steps.map((step) => (typeof step === "number" ? `[${step}]` : memberStep(step)));
    const path = `$${steps.join("")}`;
    return new SobreError("UnsupportedValue", `The value at ${path} ${why}.`, { path });
  }

  #number(value: number, shape: SettledShape | undefined): unknown {
    if (!Number.isFinite(value)) return this.#rules.notFinite === "native" ? value : notFiniteText(value);
    if (shape === undefined) return value;
    if (numbersAreText(shape.shape, this.#rules)) return numberText(value);
    return Number.isSafeInteger(value) && integersAreText(shape.shape, this.#rules) ? numberText(value) : value;
  }

  #integer(value: bigint, shape: SettledShape | undefined): unknown {
    const rules = this.#rules;
    const isText =
      shape === undefined
        ? rules.int64 === "text"
        : integersAreText(shape.shape, rules) || numbersAreText(shape.shape, rules);
    if (isText) return String(value);
    return isSafeInteger(value) ? Number(value) : value;
  }

  #object(value: object, shape: SettledShape | undefined): unknown {
    if (value instanceof MsgpackExtension) {
      if (this.#rules.extensions) return value;
      throw this.#unsupported("is a MessagePack extension; MessagePack and tagged JSON can hold it");
    }
    const number = numberOfEnum(value);
    if (number !== undefined) return this.lower(number, shape);
    if (value instanceof TaggedScalar || value instanceof Date || value instanceof Instant)
      return this.#scalar(value, shape);
    if (value instanceof Uint8Array)
      return this.#rules.bytes === "native" ? value : Buffer.from(value).toString("base64");
    if (value instanceof Typed) return this.#typed(value, shape);
    if (this.#open.has(value)) throw this.#unsupported("contains itself; only tagged JSON can hold it");
    if (this.#left-- === 0) this.#takeMore();
    this.#open.add(value);
    const lowered = this.#container(value, shape);
    this.#open.delete(value);
    return lowered;
  }

  /** Adds the containers that the body has without sharing; few bodies get here, so only theirs are counted. */
  #takeMore(): void {
    if (this.#isCounted)
      throw new SobreError(
        "LimitExceeded",
        "Copying the shared values would make more than 100,000 lists and objects.",
      );
    this.#isCounted = true;
    this.#left = containersIn(this.#body);
  }

  #container(value: object, shape: SettledShape | undefined): unknown {
    if (Array.isArray(value)) return this.#list(value, shape);
    if (value instanceof MultiArray) return nested(this.#list(value.values, shape), value.lengths);
    if (value instanceof ContentStream) return this.#list(value.contents, shape);
    if (value instanceof Map || value instanceof AmqpMap) return this.#entries(value, shape);
    if (!isPlainPrototype(Object.getPrototypeOf(value)))
      throw this.#unsupported("is an instance of a class without a plain form");
    const lowered: Record<string, unknown> = {};
    if (!isObject(value)) return lowered;
    const { discriminator } = this.#rules;
    const type = typeTextOf(value, discriminator);
    if (type !== undefined && discriminator !== undefined) {
      const { member } = discriminator;
      if (Object.hasOwn(value, member))
        throw this.#unsupported(`has a member ${member} of its own; choose another name for the types`);
      setMember(lowered, member, type);
    }
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member !== undefined) setMember(lowered, name, this.#inside(name, member, memberShape(shape, name)));
    }
    return lowered;
  }

  #list(items: readonly unknown[], shape: SettledShape | undefined): unknown[] {
    return items.map((item, index) => this.#inside(index, item, shape?.items));
  }

  #entries(map: Iterable<readonly [unknown, unknown]>, shape: SettledShape | undefined): unknown {
    const entries = Array.from(map, ([key, item], index): readonly [unknown, unknown] => [
      this.#inside(index, key, shape?.keys),
      this.#inside(index, item, shape?.items),
    ]);
    return this.#rules.maps === "native" ? new Map(entries) : entries.map((entry) => [...entry]);
  }

  #scalar(value: TaggedScalar | Date | Instant, shape: SettledShape | undefined): unknown {
    const time = shape !== undefined && timesAreNative(shape.shape, this.#rules) ? timeOf(value) : undefined;
    if (time !== undefined) return time;
    if (value instanceof Decimal && shape !== undefined && decimalsAreText(shape.shape, this.#rules) === false) {
      const number = Number(value.text);
      if (Number.isFinite(number)) return number;
    }
    return scalarText(value);
  }

  #typed({ type, value }: Typed, shape: SettledShape | undefined): unknown {
    if (typeof value === "string") return value;
    if (typeof value === "number") return this.#number(value, shape);
    if (typeof value === "bigint" && type !== "timestamp") return this.#integer(value, shape);
    throw this.#unsupported(`is an AMQP ${type}; only tagged JSON can hold it`);
  }
}

/** The number of distinct lists, maps and objects in a value. */
function containersIn(body: unknown): number {
  const seen = new Set<object>();
  const pending: unknown[] = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null || value instanceof Uint8Array || seen.has(value)) continue;
    seen.add(value);
    const inner: Iterable<unknown> =
      value instanceof Map || value instanceof AmqpMap ? [...value].flat() : Object.values(value);
    for (const item of inner) if (typeof item === "object") pending.push(item);
  }
  return seen.size;
}

/** The shape of a member; in dictionaries, the shape of all values. */
export function memberShape(shape: SettledShape | undefined, name: string): SettledShape | undefined {
  return shape?.members.get(name) ?? (shape?.shape.isDictionary === true ? shape.items : undefined);
}

/** A finite number as text; JavaScript writes -0 without its sign. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** NaN and the infinities, as in `$double` of the envelope JSON. */
export function notFiniteText(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
}

/** A UTC time that MessagePack can represent to the nanosecond. */
function timeOf(value: TaggedScalar | Date | Instant): Date | Instant | undefined {
  if (value instanceof Date || value instanceof Instant) return value;
  if (value instanceof DateTime && value.kind === "utc") {
    const finer = value.ticks % 10_000n;
    return finer === 0n
      ? value.toDate()
      : new Instant(BigInt(ticksToMilliseconds(value.ticks)) * 1_000_000n + finer * 100n);
  }
  // Whole milliseconds, and a year that a Date writes in the same form.
  if (!(value instanceof IsoTime) || value.kind !== "utc") return undefined;
  const date = value.toDate();
  return date.toISOString() === value.text ? date : undefined;
}

function nested(values: readonly unknown[], lengths: readonly number[]): unknown {
  const [, ...inner] = lengths;
  if (inner.length === 0) return values;
  const size = inner.reduce((product, length) => product * length, 1);
  const [count = 0] = lengths;
  return Array.from({ length: count }, (_, index) => nested(values.slice(index * size, (index + 1) * size), inner));
}

/** The text of a value that most formats lack, as in its `$` object: `12.30`, `PT1H`, `2024-01-01T00:00:00Z`. */
export function scalarText(value: TaggedScalar | Date | Instant): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Instant) return value.toString();
  if (value instanceof DateTime) return value.toISO();
  const [text] = Object.values(value.toTagged());
  return typeof text === "string" ? text : JSON.stringify(text);
}
