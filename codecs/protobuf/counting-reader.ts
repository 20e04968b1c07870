import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { PayloadReader } from "./reflection.ts";

/** Unknown fields that are kept for the warnings; the rest of a hostile million is passed over, at a fifth of the cost. */
const maxUnknownFields = 1000;

/** A {@link PayloadReader} for payloads that may hold more items than allowed; it counts them before they are made. */
export class CountingReader extends PayloadReader {
  #left: number;
  #unknown = 0;
  readonly #limits: DecodeLimits;

  constructor(payload: Uint8Array, limits: DecodeLimits) {
    super(payload);
    this.#left = limits.maxItems;
    this.#limits = limits;
  }

  override tag(): number {
    this.#spend(1);
    return super.tag();
  }

  /** Whether the next unknown field is passed over; asked once for each. */
  passesOver(): boolean {
    return ++this.#unknown > maxUnknownFields;
  }

  /** Counts the elements of the packed list that begins here, and stays here; its tag was counted for the first. */
  countPacked(width: number | undefined): void {
    const begin = this.pos;
    const length = this.size();
    const bytes = this.buf.subarray(this.pos, this.pos + length);
    this.pos = begin;
    this.#spend(width === undefined ? countVarints(bytes) - 1 : length / width - 1);
  }

  #spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw limitExceeded("maxItems", this.#limits, { offset: this.pos });
  }
}

function countVarints(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) < 0x80) count++;
  return count;
}

// The generated code asks for a property, which the constructor of protobufjs assigns.
Object.defineProperty(CountingReader.prototype, "discardUnknown", {
  get(this: CountingReader): boolean {
    return this.passesOver();
  },
  set() {
    // It is false until there are too many.
  },
});

/** The methods that read packed lists, with the bytes of an element where all have the same. */
const packed: readonly (readonly [method: string, width: number | undefined])[] = [
  ...["int32s", "uint32s", "sint32s", "int64s", "uint64s", "sint64s"].map((name) => [name, undefined] as const),
  ...["fixed32s", "sfixed32s", "floats"].map((name) => [name, 4] as const),
  ...["fixed64s", "sfixed64s", "doubles"].map((name) => [name, 8] as const),
  ["bools", undefined],
];

for (const [name, width] of packed) {
  const read: unknown = Reflect.get(PayloadReader.prototype, name);
  if (typeof read !== "function") continue;
  Object.defineProperty(CountingReader.prototype, name, {
    value(this: CountingReader, list: unknown[]): unknown {
      this.countPacked(width);
      return Reflect.apply(read, this, [list]);
    },
  });
}
