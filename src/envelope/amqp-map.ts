import { type AmqpValue, Typed } from "./typed.ts";

/** An AMQP map: ordered, with keys of any type; what a JavaScript object cannot hold. */
export class AmqpMap implements Iterable<readonly [AmqpValue, AmqpValue]> {
  #keys: readonly AmqpValue[];
  #values: readonly AmqpValue[];

  constructor(entries: Iterable<readonly [AmqpValue, AmqpValue]> = []) {
    const keys: AmqpValue[] = [];
    const values: AmqpValue[] = [];
    for (const [key, value] of entries) {
      keys.push(key);
      values.push(value);
    }
    this.#keys = keys;
    this.#values = values;
  }

  /** A map of keys and their values side by side, taken by reference; both must be of one length. */
  static fromColumns(keys: readonly AmqpValue[], values: readonly AmqpValue[]): AmqpMap {
    const map = new AmqpMap(none);
    map.#keys = keys;
    map.#values = values;
    return map;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The value under the string key `key`, or else under the symbol key of that text, or `undefined`. */
  get(key: string): AmqpValue | undefined {
    const index = this.#keys.indexOf(key);
    return this.#values[index === -1 ? this.#keys.findIndex((candidate) => isSymbol(candidate, key)) : index];
  }

  /** The keys in their order. */
  keys(): readonly AmqpValue[] {
    return this.#keys;
  }

  /** The values in the order of their keys. */
  values(): readonly AmqpValue[] {
    return this.#values;
  }

  *[Symbol.iterator](): Iterator<readonly [AmqpValue, AmqpValue]> {
    for (let index = 0; index < this.#keys.length; index++) {
      yield [this.#keys[index] ?? null, this.#values[index] ?? null];
    }
  }
}

const none: readonly (readonly [AmqpValue, AmqpValue])[] = [];

function isSymbol(key: AmqpValue, text: string): boolean {
  return key instanceof Typed && key.type === "symbol" && key.value === text;
}
