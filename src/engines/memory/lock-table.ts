import { lockToken, type LockToken } from "../../engine/delivery.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** Characters of a token before its last group. */
const headLength = 24;
const tokenLength = 36;

/** The third and fourth digit of a UUID's fourth group, with the hyphen after it. */
const counts: readonly string[] = Array.from({ length: 256 }, (_, count) => `${hex(count, 2)}-`);

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

/**
 * The locked messages of a queue by their tokens.
 *
 * A token is a UUID (version 4 by its form): a beginning drawn at random for every 256 of them, a count, and the slot.
 * A slot is used again, a token never. Tokens are unique and no secrets: who may settle is up to the border.
 */
export class LockTable {
  readonly #slots: (QueuedMessage | undefined)[] = [];
  readonly #free: number[] = [];
  /** The last groups of tokens, made once per slot. */
  readonly #tails: string[] = [];
  #head = "";
  #count = counts.length;

  /** Finds a slot for a message. */
  add(message: QueuedMessage): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = message;
    return slot;
  }

  /** Makes a token for a slot; `mark` replaces its first 8 digits. */
  token(slot: number, mark: string | undefined): LockToken {
    const tail = (this.#tails[slot] ??= hex(slot, tokenLength - headLength));
    if (this.#count === counts.length) {
      // The first two digits of the fourth group hold the variant, so they are drawn too.
      this.#head = crypto.randomUUID().slice(0, headLength - 3);
      this.#count = 0;
    }
    const head = mark === undefined ? this.#head : mark + this.#head.slice(mark.length);
    return lockToken(head + counts[this.#count++] + tail);
  }

  /** The message that is locked under exactly this token. */
  get(token: LockToken): QueuedMessage | undefined {
    const message = typeof token === "string" ? this.#slots[slotOf(token)] : undefined;
    return message?.lock?.token === token ? message : undefined;
  }

  delete(slot: number): void {
    this.#slots[slot] = undefined;
    this.#free.push(slot);
  }

  /** The locked messages of a holder, or of all, oldest first. */
  heldBy(holder: object | undefined): readonly QueuedMessage[] {
    const held: QueuedMessage[] = [];
    for (const message of this.#slots)
      if (message !== undefined && (holder === undefined || message.lock?.holder === holder)) held.push(message);
    return held.toSorted((left, right) => left.position - right.position);
  }

  clear(): void {
    this.#slots.length = 0;
    this.#free.length = 0;
  }
}

/** Reads the last group; a token that is not ours gives a number under which there is no message. */
function slotOf(token: LockToken): number {
  let slot = 0;
  for (let index = headLength; index < tokenLength; index++) {
    const code = token.charCodeAt(index);
    slot = slot * 16 + (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return slot;
}
