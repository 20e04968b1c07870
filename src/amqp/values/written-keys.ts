import { type AmqpValue, Typed } from "../../values/typed.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { unsupported } from "./unsupported-value.ts";

/** The keys of a map that is being written, none of which may come twice (AMQP 1.0 part 1.6.23). */
export class WrittenKeys {
  readonly #seen = new Set<unknown>();

  /**
   * Adds the key that was written from `mark` on.
   *
   * @throws SobreError `UnsupportedValue` when the map has it already.
   */
  add(key: unknown, writer: ByteWriter, mark: number): void {
    const { size } = this.#seen;
    this.#seen.add(typeof key === "string" ? key : identityOf(key, writer, mark));
    if (this.#seen.size === size) throw unsupported("has a key that another entry of the map has too");
  }
}

/** No string that can be written has a lone surrogate in it, so the prefixes keep the kinds of keys apart. */
function identityOf(key: unknown, writer: ByteWriter, mark: number): string {
  if (isSymbol(key)) return `\ud800${key.value}`;
  // Different values can have one encoding, as 1 and a typed int of 1.
  return `\ud801${writer.bytes.toString("latin1", writer.start + mark, writer.at)}`;
}

function isSymbol(key: unknown): key is Typed<"symbol"> & AmqpValue {
  return key instanceof Typed && key.type === "symbol";
}
