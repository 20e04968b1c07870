import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { arrayOf, dateOf, longOf, looseText } from "../../../core/amqp-values/loose-value.ts";

/** The body of a request: a map of named arguments, each read with the type it must have. */
export class RequestArguments {
  readonly #map: AmqpMap;

  constructor(body: AmqpValue | undefined) {
    this.#map = body instanceof AmqpMap ? body : new AmqpMap();
  }

  /** Like the other optional ones: null counts as absent. @throws SobreError `InvalidArgument` for another type. */
  text(name: string): string | undefined {
    return this.#optional(name, looseText, "a string");
  }

  /** @throws SobreError `InvalidArgument` when it is missing or not a string. */
  requiredText(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw invalidArgument(name, "a string");
    return text;
  }

  map(name: string): AmqpMap | undefined {
    return this.#optional(name, (value) => (value instanceof AmqpMap ? value : undefined), "a map");
  }

  binary(name: string): Uint8Array | undefined {
    const value = this.#map.get(name);
    if (value === undefined || value === null || value instanceof Uint8Array) return value ?? undefined;
    throw invalidArgument(name, "binary or null");
  }

  time(name: string): Date | undefined {
    return this.#optional(name, dateOf, "a timestamp");
  }

  integer(name: string): number | undefined {
    const value = this.long(name);
    return value === undefined ? undefined : Number(value);
  }

  /** A position in a list. @throws SobreError `InvalidArgument` when it is below 0. */
  place(name: string): number | undefined {
    const place = this.integer(name);
    if (place !== undefined && place < 0) throw invalidArgument(name, "a number from 0 up");
    return place;
  }

  /** @throws SobreError `InvalidArgument` when it is missing or below 1. */
  count(name: string): number {
    const count = this.integer(name);
    if (count === undefined || count < 1) throw invalidArgument(name, "a number above 0");
    return count;
  }

  long(name: string): bigint | undefined {
    return this.#optional(name, longOf, "a whole number");
  }

  flag(name: string): boolean | undefined {
    return this.#optional(name, (value) => (typeof value === "boolean" ? value : undefined), "a boolean");
  }

  /** The items of an array or list. @throws SobreError `InvalidArgument` when it is neither. */
  items(name: string): readonly AmqpValue[] {
    const items = arrayOf(this.#map.get(name));
    if (items === undefined) throw invalidArgument(name, "an array");
    return items;
  }

  longs(name: string): readonly bigint[] {
    return this.items(name).map((item) => {
      const long = longOf(item);
      if (long === undefined) throw invalidArgument(name, "an array of longs");
      return long;
    });
  }

  #optional<T>(name: string, read: (value: AmqpValue) => T | undefined, wanted: string): T | undefined {
    const value = this.#map.get(name);
    if (value === undefined || value === null) return undefined;
    const found = read(value);
    if (found === undefined) throw invalidArgument(name, wanted);
    return found;
  }

  texts(name: string): readonly string[] {
    return this.items(name).map((item) => {
      const text = looseText(item);
      if (text === undefined) throw invalidArgument(name, "an array of uuids");
      return text;
    });
  }
}

const invalidArgument = (name: string, wanted: string): SobreError =>
  new SobreError("InvalidArgument", `The request's ${name} must be ${wanted}.`);
