import { type DecodeLimits, limitExceeded } from "../limits.ts";
import { SobreError } from "../../errors/sobre-error.ts";

/** Counts items against {@link DecodeLimits.maxItems}. */
export class ItemBudget {
  readonly limits: DecodeLimits;
  #items = 0;

  constructor(limits: DecodeLimits) {
    this.limits = limits;
  }

  /** Counts items at a byte offset. @throws SobreError `LimitExceeded`. */
  count(items: number, offset: number): void {
    this.#items += items;
    if (this.#items > this.limits.maxItems) throw limitExceeded("maxItems", this.limits, { offset });
  }
}

/** Classes that count no more than what they hold. */
const freeClasses = 1024;
/** The weight of each further class: reading a separate class costs as much as some hundred bytes of objects alike. */
const furtherClass = 128;

/** Reads bytes one after the other, never past the end, and counts what it reads against the limits. */
export class BoundedCursor extends ItemBudget {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Offset of the next byte. */
  at = 0;
  readonly #format: string;
  #classes = 0;

  /** `format` names the payload in errors, e.g. `Java stream`. @throws SobreError `LimitExceeded` for too many bytes. */
  constructor(payload: Uint8Array, limits: DecodeLimits, format: string) {
    super(limits);
    if (payload.byteLength > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
    this.bytes = payload;
    this.view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#format = format;
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Counts items read or about to be read here. */
  spend(items: number): void {
    this.count(items, this.at);
  }

  /** Makes sure that `items` more may be read. */
  allow(items: number): void {
    this.spend(items);
    this.spend(-items);
  }

  /** Counts a class description; a stream has one for each class, and no program has thousands of them. */
  spendClass(): void {
    if (++this.#classes > freeClasses) this.spend(furtherClass);
  }

  u8(what: string): number {
    return this.bytes[this.skip(1, what)] ?? 0;
  }

  /** A view of the next `size` bytes. */
  take(size: number, what: string): Uint8Array {
    const start = this.skip(size, what);
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + start, size);
  }

  /** Moves past the next `size` bytes and returns the offset of the first. @throws SobreError `TruncatedPayload`. */
  skip(size: number, what: string): number {
    const start = this.at;
    if (size > this.bytes.length - start) {
      const text = `The ${this.#format} ends at byte ${this.bytes.length}, inside ${what}: ${size} bytes needed from byte ${start}, ${this.remaining} left.`;
      throw new SobreError("TruncatedPayload", text, { offset: start });
    }
    this.at = start + size;
    return start;
  }

  /** The error of bytes that break the format. */
  broken(what: string, offset: number): SobreError {
    return new SobreError("DecodeFailed", `${what} at byte ${offset} of the ${this.#format}.`, { offset });
  }
}
