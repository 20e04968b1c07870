import { lockToken, type LockToken } from "../../core/engine/delivery.ts";
import { LinkedList } from "../../core/time/linked-list.ts";
import type { MessageLock, QueuedMessage } from "./queued-message.ts";

/** Characters of a token before its last group. */
const headLength = 24;
const tokenLength = 36;

/** The third and fourth digits of a UUID's fourth group, with the hyphen that follows. */
const counts: readonly string[] = Array.from({ length: 256 }, (_, count) => `${hex(count, 2)}-`);

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

/**
 * The locked messages of a queue by lock token.
 *
 * A token has the form of a version 4 UUID: a random prefix for every 256 of them, a count, and the slot.
 * Slots are reused, tokens never. Tokens are unique but not secret: the server decides who may settle.
 */
export class LockTable {
  readonly #slots: (QueuedMessage | undefined)[] = [];
  /** The locks of each connection, so that closing one costs time only for its own locks. */
  readonly #byHolder = new WeakMap<object, LinkedList<MessageLock>>();
  #lastHolder: object | undefined;
  #lastHeld: LinkedList<MessageLock> | undefined;
  /** The lock that is probably settled next: messages are mostly settled in the order of delivery. */
  #expected: MessageLock | undefined;
  readonly #free: number[] = [];
  /** The last groups of tokens, made once per slot. */
  readonly #tails: string[] = [];
  #head = "";
  #count = counts.length;

  /** Locks a message; `mark` replaces the first 8 digits of the token. */
  add(message: QueuedMessage, until: number, holder: object, mark: string | undefined): MessageLock {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = message;
    const token = this.#token(slot, mark);
    const held = this.#heldBy(holder);
    const lock: MessageLock = {
      message,
      token,
      slot,
      until,
      held,
      transaction: undefined,
      wasSettled: false,
      previous: undefined,
      next: undefined,
    };
    held.append(lock);
    message.lock = lock;
    this.#expected ??= lock;
    return lock;
  }

  #heldBy(holder: object): LinkedList<MessageLock> {
    if (this.#lastHeld !== undefined && this.#lastHolder === holder) return this.#lastHeld;
    const held = this.#byHolder.get(holder) ?? new LinkedList<MessageLock>();
    this.#byHolder.set(holder, held);
    this.#lastHolder = holder;
    this.#lastHeld = held;
    return held;
  }

  #token(slot: number, mark: string | undefined): LockToken {
    const tail = (this.#tails[slot] ??= hex(slot, tokenLength - headLength));
    if (this.#count === counts.length) {
      // The first two digits of the fourth group contain the variant, so they belong to the random prefix.
      this.#head = crypto.randomUUID().slice(0, headLength - 3);
      this.#count = 0;
    }
    const head = mark === undefined ? this.#head : mark + this.#head.slice(mark.length);
    return lockToken(head + counts[this.#count++] + tail);
  }

  /** The message that is locked under exactly this token. */
  get(token: LockToken): QueuedMessage | undefined {
    const expected = this.#expected;
    if (expected !== undefined && expected.token === token) return expected.message;
    const message = typeof token === "string" ? this.#slots[slotOf(token)] : undefined;
    return message?.lock?.token === token ? message : undefined;
  }

  delete(lock: MessageLock): void {
    if (this.#expected === lock) this.#expected = lock.next;
    this.#slots[lock.slot] = undefined;
    this.#free.push(lock.slot);
    lock.held.remove(lock);
  }

  /** The messages locked by a holder, or by all, oldest first. */
  heldBy(holder: object | undefined): readonly QueuedMessage[] {
    const held =
      holder === undefined
        ? this.#slots.filter((message) => message !== undefined)
        : Array.from(this.#heldBy(holder), ({ message }) => message);
    return held.toSorted((left, right) => left.position - right.position);
  }

  /** The number of locked messages. */
  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  clear(): void {
    this.#slots.length = 0;
    this.#free.length = 0;
    this.#expected = undefined;
  }
}

/** Reads the last group; a foreign token gives a slot without a message. */
function slotOf(token: LockToken): number {
  let slot = 0;
  for (let index = headLength; index < tokenLength; index++) {
    const code = token.charCodeAt(index);
    slot = slot * 16 + (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return slot;
}
