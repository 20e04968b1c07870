import { type Linked, LinkedList } from "../../core/time/linked-list.ts";

/** Slots per segment: few, so that a lone old message retains little memory. */
const width = 64;

const emptySlots: readonly undefined[] = Array.from({ length: width }, () => undefined);

/** A member of a {@link SequenceLog}. */
interface Logged {
  /** Its ordinal; written only by the log. */
  ordinal: number;
}

class Segment<T> implements Linked<Segment<T>> {
  readonly index: number;
  readonly slots: (T | undefined)[] = emptySlots.slice();
  live = 0;
  previous: Segment<T> | undefined;
  next: Segment<T> | undefined;

  constructor(index: number) {
    this.index = index;
  }
}

/** The first number of a {@link SequenceLog}, the width of its numbers, and the partition in their top 16 bits. */
export interface SequenceRange {
  readonly first: bigint;
  readonly bits: 48 | 64;
  readonly partition: number;
}

/** The numbers of a partition from the first one on. */
export const rangeOf = (isPartitioned: boolean, first: bigint, partition: number): SequenceRange => ({
  first,
  bits: isPartitioned ? 48 : 64,
  partition,
});

/** The sequence number of an ordinal. */
export function numberIn({ first, bits, partition }: SequenceRange, ordinal: number): bigint {
  const number = BigInt.asUintN(bits, first + BigInt(ordinal));
  return partition === 0 ? number : (BigInt(partition) << 48n) | number;
}

/**
 * The messages of one partition in sequence-number order.
 *
 * Internally, a message has an ordinal: 0, 1, 2, … without gaps or end. Externally, it has a sequence number,
 * which starts at `first` and wraps to 0 at the end of its range.
 */
export class SequenceLog<T extends Logged> {
  readonly #range: SequenceRange;
  readonly #segments = new Map<number, Segment<T>>();
  /** By index. */
  readonly #inOrder = new LinkedList<Segment<T>>();
  /** The segment found last: successive lookups mostly hit the same one. */
  #found: Segment<T> | undefined;
  #next = 0;
  /** The first number, if there is no partition and the end of the range is far away: most numbers need only this. */
  readonly #offset: number | undefined;

  constructor(range: SequenceRange) {
    this.#range = range;
    const near = range.bits === 64 && range.first <= 2n ** 32n;
    this.#offset = near ? Number(range.first) : undefined;
  }

  /** The ordinal of the next message. */
  get next(): number {
    return this.#next;
  }

  /** Continues after the ordinals assigned before. */
  resume(next: number): void {
    this.#next = Math.max(this.#next, next);
  }

  /** Stores the message under the next ordinal. */
  append(message: T): void {
    this.place(message, this.#next++);
  }

  /** Stores the message under an ordinal consumed earlier. */
  place(message: T, ordinal: number): void {
    message.ordinal = ordinal;
    const segment = this.#segmentOf(ordinal) ?? this.#open(Math.floor(ordinal / width));
    segment.slots[ordinal % width] = message;
    segment.live++;
  }

  /** Consumes the next ordinal without storing anything. */
  skip(): number {
    return this.#next++;
  }

  get(ordinal: number): T | undefined {
    return this.#segmentOf(ordinal)?.slots[ordinal % width];
  }

  delete(ordinal: number): void {
    const segment = this.#segmentOf(ordinal);
    if (segment?.slots[ordinal % width] === undefined) return;
    segment.slots[ordinal % width] = undefined;
    if (--segment.live === 0) this.#close(segment);
  }

  /** The messages from `ordinal` on, in order; messages stored or deleted meanwhile may be missed. */
  *from(ordinal: number): Generator<T> {
    let segment = this.#segmentOf(ordinal) ?? this.#segmentAfter(ordinal);
    while (segment !== undefined) {
      const { index, slots }: Segment<T> = segment;
      for (const message of slots) if (message !== undefined && message.ordinal >= ordinal) yield message;
      // A segment whose messages were deleted meanwhile is no longer in the list.
      segment = this.#inOrder.has(segment) ? segment.next : this.#segmentAfter((index + 1) * width);
    }
  }

  /** The sequence number of an ordinal. */
  numberOf(ordinal: number): bigint {
    return this.#offset === undefined ? numberIn(this.#range, ordinal) : BigInt(this.#offset + ordinal);
  }

  /** The ordinal of a sequence number; 0 for numbers before the first, `undefined` for those not assigned yet. */
  ordinalOf(sequenceNumber: bigint): number | undefined {
    const { first, bits } = this.#range;
    const ordinal = BigInt.asUintN(bits, BigInt.asUintN(bits, sequenceNumber) - first);
    if (ordinal < BigInt(this.#next)) return Number(ordinal);
    return BigInt.asUintN(bits, sequenceNumber) < first ? 0 : undefined;
  }

  /** The message with exactly this sequence number. */
  find(sequenceNumber: bigint): T | undefined {
    const ordinal = this.ordinalOf(sequenceNumber);
    if (ordinal === undefined || this.numberOf(ordinal) !== sequenceNumber) return undefined;
    return this.get(ordinal);
  }

  #segmentOf(ordinal: number): Segment<T> | undefined {
    const index = Math.floor(ordinal / width);
    if (this.#found?.index !== index) this.#found = this.#segments.get(index);
    return this.#found;
  }

  #open(index: number): Segment<T> {
    const segment = new Segment<T>(index);
    this.#found = segment;
    let previous = this.#inOrder.last;
    while (previous !== undefined && previous.index > index) ({ previous } = previous);
    this.#inOrder.insert(segment, previous);
    this.#segments.set(index, segment);
    return segment;
  }

  #close(segment: Segment<T>): void {
    // The segment being filled stays, so that a nearly empty queue does not allocate a segment for every message.
    if (segment.index === Math.floor(this.#next / width)) return;
    this.#segments.delete(segment.index);
    this.#inOrder.remove(segment);
    this.#found = undefined;
  }

  #segmentAfter(ordinal: number): Segment<T> | undefined {
    let segment = this.#inOrder.first;
    while (segment !== undefined && segment.index * width < ordinal) segment = segment.next;
    return segment;
  }
}
