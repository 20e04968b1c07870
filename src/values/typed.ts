import type { AmqpMap } from "./amqp-map.ts";

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
