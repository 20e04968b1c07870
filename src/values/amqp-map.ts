import { SobreError } from "../errors/sobre-error.ts";
import { type AmqpValue, Typed } from "./typed.ts";

/** An AMQP map: ordered, with keys of any type; what a JavaScript object cannot hold. */
export class AmqpMap implements Iterable<readonly [AmqpValue, AmqpValue]> {
  #keys: readonly AmqpValue[];
  #values: readonly AmqpValue[];

  constructor(entries?: Iterable<readonly [AmqpValue, AmqpValue]>) {
    this.#keys = none;
    this.#values = none;
    if (entries === undefined) return;
    const pairs = Array.from(entries);
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
          "The map has a key that no object can hold beside the others. Read it entry by entry.",
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

const none: readonly AmqpValue[] = [];

function isSymbol({ type, value }: Typed, text: string): boolean {
  return type === "symbol" && value === text;
}
