import { AmqpMap, type AmqpValue, Typed } from "../../../envelope/index.ts";
import { SobreError } from "../../../errors/index.ts";
import { textOf } from "./settlement-of.ts";

/** The body of a request: a map of named arguments, each read with the type it must have. */
export class RequestArguments {
  readonly #map: AmqpMap;

  constructor(body: AmqpValue | undefined) {
    this.#map = body instanceof AmqpMap ? body : new AmqpMap();
  }

  text(name: string): string | undefined {
    return textOf(this.#map.get(name));
  }

  /** @throws SobreError `InvalidArgument` when it is missing or no string. */
  requiredText(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw wrong(name, "a string");
    return text;
  }

  map(name: string): AmqpMap | undefined {
    const value = this.#map.get(name);
    return value instanceof AmqpMap ? value : undefined;
  }

  binary(name: string): Uint8Array | undefined {
    const value = this.#map.get(name);
    if (value === undefined || value === null || value instanceof Uint8Array) return value ?? undefined;
    throw wrong(name, "binary or null");
  }

  time(name: string): Date | undefined {
    const value = this.#map.get(name);
    return value instanceof Date ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = integerOf(this.#map.get(name));
    return value === undefined ? undefined : Number(value);
  }

  /** @throws SobreError `InvalidArgument` when it is missing or below 1. */
  count(name: string): number {
    const count = this.integer(name);
    if (count === undefined || count < 1) throw wrong(name, "a number above 0");
    return count;
  }

  long(name: string): bigint | undefined {
    return integerOf(this.#map.get(name));
  }

  /** The items of an array or list. @throws SobreError `InvalidArgument` when it is neither. */
  items(name: string): readonly AmqpValue[] {
    const value = this.#map.get(name);
    if (Array.isArray(value)) return value;
    if (value instanceof Typed && isArray(value)) return value.value.values;
    throw wrong(name, "an array");
  }

  longs(name: string): readonly bigint[] {
    return this.items(name).map((item) => {
      const long = integerOf(item);
      if (long === undefined) throw wrong(name, "an array of longs");
      return long;
    });
  }

  texts(name: string): readonly string[] {
    return this.items(name).map((item) => {
      const text = textOf(item);
      if (text === undefined) throw wrong(name, "an array of uuids");
      return text;
    });
  }
}

function integerOf(value: AmqpValue | undefined): bigint | undefined {
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "bigint") return plain;
  return typeof plain === "number" && Number.isInteger(plain) ? BigInt(plain) : undefined;
}

const wrong = (name: string, wanted: string): SobreError =>
  new SobreError("InvalidArgument", `The request's ${name} must be ${wanted}.`);

const isArray = (value: Typed): value is Typed<"array"> => value.type === "array";
