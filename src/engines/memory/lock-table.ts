import { lockToken, type LockToken } from "../../engine/index.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** Characters of a token before its last group. */
const headLength = 24;
const tokenLength = 36;

/**
 * The locked messages of a queue by their tokens.
 *
 * A token is a random UUID whose last group tells the slot; a slot is used again, a token never.
 */
export class LockTable {
  readonly #slots: (QueuedMessage | undefined)[] = [];
  readonly #free: number[] = [];
  /** The last groups of tokens, made once per slot. */
  readonly #tails: string[] = [];

  /** Finds a slot for a message. */
  add(message: QueuedMessage): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = message;
    return slot;
  }

  /** Makes a token for a slot; `mark` replaces its first 8 digits. */
  token(slot: number, mark: string | undefined): LockToken {
    const tail = (this.#tails[slot] ??= slot.toString(16).padStart(tokenLength - headLength, "0"));
    const uuid = crypto.randomUUID();
    return lockToken(mark === undefined ? uuid.slice(0, headLength) + tail : mark + uuid.slice(8, headLength) + tail);
  }

  /** The message that is locked under exactly this token. */
  get(token: LockToken): QueuedMessage | undefined {
    const message = this.#slots[slotOf(token)];
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

/** Reads the last group; any number comes out of what is no token of ours, and no message is under it. */
function slotOf(token: LockToken): number {
  let slot = 0;
  for (let index = headLength; index < tokenLength; index++) {
    const code = token.charCodeAt(index);
    slot = slot * 16 + (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return slot;
}
