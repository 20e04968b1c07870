import type { AmqpValue } from "./typed.ts";

/** An AMQP map: ordered, with keys of any type; what a JavaScript object cannot hold. */
export class AmqpMap implements Iterable<readonly [AmqpValue, AmqpValue]> {
  readonly #entries: readonly (readonly [AmqpValue, AmqpValue])[];

  constructor(entries: readonly (readonly [AmqpValue, AmqpValue])[]) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The value under the string key `key`, or `undefined`. */
  get(key: string): AmqpValue | undefined {
    return this.#entries.find(([candidate]) => candidate === key)?.[1];
  }

  [Symbol.iterator](): Iterator<readonly [AmqpValue, AmqpValue]> {
    return this.#entries[Symbol.iterator]();
  }
}
