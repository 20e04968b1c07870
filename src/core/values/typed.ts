import { SobreError } from "../errors/sobre-error.ts";

/** A value of the AMQP 1.0 type system (part 1), in JavaScript; see {@link Typed} for what plain values stand for. */
export type AmqpValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | Date
  | Uint8Array
  | Typed
  | AmqpMap
  | readonly AmqpValue[];

/** The AMQP types that a {@link Typed} can carry, with the JavaScript type of its `value`. */
export interface TypedValues {
  readonly ubyte: number;
  readonly ushort: number;
  readonly uint: number;
  readonly ulong: bigint;
  readonly byte: number;
  readonly short: number;
  readonly int: number;
  readonly long: bigint;
  readonly float: number;
  readonly double: number;
  /** The 4 bytes of the IEEE 754 interchange format. */
  readonly decimal32: Uint8Array;
  /** The 8 bytes of the IEEE 754 interchange format. */
  readonly decimal64: Uint8Array;
  /** The 16 bytes of the IEEE 754 interchange format. */
  readonly decimal128: Uint8Array;
  /** One Unicode scalar value. */
  readonly char: string;
  /** Milliseconds since 1970, for those that a `Date` cannot hold. */
  readonly timestamp: bigint;
  /** Lower-case text with hyphens. */
  readonly uuid: string;
  /** ASCII text. */
  readonly symbol: string;
  readonly described: { readonly descriptor: AmqpValue; readonly value: AmqpValue };
  readonly array: {
    readonly elementType: string;
    readonly descriptor?: AmqpValue;
    readonly values: readonly AmqpValue[];
  };
}

/** Names of the AMQP types that a {@link Typed} can carry. */
export type AmqpType = keyof TypedValues;

/**
 * An AMQP value whose type a plain JavaScript value would not name.
 *
 * Plain values stand for one type each: `null`, boolean, string, bigint (long), Date (timestamp), Uint8Array (binary),
 * array (list), `AmqpMap` (map), and number: int when it is a 32-bit integer, long when it is another safe integer,
 * double otherwise. A bigint beyond long is ulong.
 */
export class Typed<T extends AmqpType = AmqpType> {
  readonly type: T;
  readonly value: TypedValues[T];

  constructor(type: T, value: TypedValues[T]) {
    this.type = type;
    this.value = value;
    Object.freeze(this);
  }

  /** The plain value, so that arithmetic and comparison work. */
  valueOf(): TypedValues[T] {
    return this.value;
  }

  /** The plain value for `JSON.stringify`, which has no 64-bit integers: they become decimal text. */
  toJSON(): unknown {
    return typeof this.value === "bigint" ? `${this.value}` : this.value;
  }
}

/** An AMQP map: ordered, with keys of any type; what a JavaScript object cannot hold. */
export class AmqpMap implements Iterable<readonly [AmqpValue, AmqpValue]> {
  #keys: readonly AmqpValue[];
  #values: readonly AmqpValue[];

  constructor(entries?: Iterable<readonly [AmqpValue, AmqpValue]>) {
    this.#keys = noValues;
    this.#values = noValues;
    if (entries === undefined) return;
    if (entries === null || typeof Reflect.get(Object(entries), Symbol.iterator) !== "function")
      throw new SobreError("InvalidArgument", "An AmqpMap needs an iterable of pairs.");
    const pairs = Array.from(entries);
    if (!pairs.every((pair) => Array.isArray(pair)))
      throw new SobreError("InvalidArgument", "An AmqpMap needs pairs of a key and a value.");
    this.#keys = pairs.map(([key]) => key);
    this.#values = pairs.map(([, value]) => value);
  }

  /** A map of keys and their values side by side, taken by reference; both must be of one length. */
  static fromColumns(keys: readonly AmqpValue[], values: readonly AmqpValue[]): AmqpMap {
    const map = new AmqpMap();
    map.#keys = keys;
    map.#values = values;
    return map;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The value under the string key `key`, or else under the symbol key of that text, or `undefined`. */
  get(key: string): AmqpValue | undefined {
    const keys = this.#keys;
    let symbol = -1;
    for (let index = 0; index < keys.length; index++) {
      const candidate = keys[index];
      if (candidate === key) return this.#values[index];
      if (symbol === -1 && candidate instanceof Typed && isSymbol(candidate, key)) symbol = index;
    }
    return this.#values[symbol];
  }

  /** The keys in their order. */
  keys(): readonly AmqpValue[] {
    return this.#keys;
  }

  /** The values in the order of their keys. */
  values(): readonly AmqpValue[] {
    return this.#values;
  }

  /**
   * An object without a prototype that has the entries as its members.
   *
   * @throws SobreError `InvalidOperation` when a key is neither a string nor a symbol, or two have the same text.
   */
  toObject(): Record<string, AmqpValue> {
    const object: Record<string, AmqpValue> = Object.create(null);
    for (const [key, value] of this) {
      const name = key instanceof Typed && key.type === "symbol" ? key.value : key;
      if (typeof name !== "string" || name in object) {
        throw new SobreError(
          "InvalidOperation",
          "The map has keys that an object cannot hold together. Read it entry by entry.",
        );
      }
      object[name] = value;
    }
    return object;
  }

  *[Symbol.iterator](): Iterator<readonly [AmqpValue, AmqpValue]> {
    for (let index = 0; index < this.#keys.length; index++) {
      yield [this.#keys[index] ?? null, this.#values[index] ?? null];
    }
  }
}

const noValues: readonly AmqpValue[] = Object.freeze([]);

function isSymbol({ type, value }: Typed, text: string): boolean {
  return type === "symbol" && value === text;
}
