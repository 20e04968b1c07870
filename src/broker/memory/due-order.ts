import { Heap } from "./heap.ts";

/** Slots of the ring at first, and the most that are kept while it is empty; powers of two. */
const minSlots = 16;
const maxSlotsWhileEmpty = 4096;

/** How much later than the last item of a run the next one may be: items that fall into a wider gap would go to the heap. */
const widest = 1000;

/** A run of so few items makes room for another one. */
const maxShiftedItems = 8;

/**
 * Items in order of their keys, and with equal keys in insertion order, as in a {@link Heap}.
 *
 * Most events of a broker are ends of locks, which come in the order of their times and are removed in nearly that order:
 * such a run of items is in a ring, where both take constant time, and all other items are in a heap.
 */
export class DueOrder<T> {
  readonly #moved: (item: T, place: number) => void;
  readonly #heap: Heap<T>;
  /** The ring: from the head to the next slot, with gaps where items were removed. */
  #items: (T | undefined)[] = emptySlots(minSlots);
  #keys: Float64Array = new Float64Array(minSlots);
  #orders: Float64Array = new Float64Array(minSlots);
  #head = 0;
  #next = 0;
  #inRing = 0;
  #lastKey = 0;
  #order = 0;

  /** @param moved Called with an item's new place, by which it can be removed; -1 once it has left. */
  constructor(moved: (item: T, place: number) => void) {
    this.#moved = moved;
    this.#heap = new Heap(moved);
  }

  get size(): number {
    return this.#inRing + this.#heap.size;
  }

  /** The item with the smallest key. */
  get first(): T | undefined {
    return this.#isRunFirst() ? this.#items[this.#slot(this.#head)] : this.#heap.first;
  }

  /** The smallest key; `Infinity` when there is no item. */
  get firstKey(): number {
    return Math.min(this.#headKey, this.#heap.firstKey);
  }

  add(item: T, key: number): void {
    const order = this.#order++;
    if (this.#inRing > 0 && !(key >= this.#lastKey && key <= this.#lastKey + widest)) {
      if (this.#inRing > maxShiftedItems) return this.#heap.add(item, key, order);
      this.#moveRun();
    }
    if (this.#next - this.#head === this.#items.length) this.#makeRoom();
    this.#append(item, key, order);
  }

  /** The key of the item at a place. */
  keyAt(place: number): number {
    return place >= 0 ? this.#heap.keyAt(place) : (this.#keys[slotAt(place)] ?? Infinity);
  }

  /** Removes the item at a place. */
  remove(place: number): void {
    if (place >= 0) return this.#heap.remove(place);
    const slot = slotAt(place);
    const item = this.#items[slot];
    if (item === undefined) return;
    this.#items[slot] = undefined;
    this.#inRing--;
    this.#moved(item, -1);
    if (this.#inRing === 0) this.#emptied();
    else while (this.#items[this.#slot(this.#head)] === undefined) this.#head++;
  }

  get #headKey(): number {
    return this.#inRing === 0 ? Infinity : (this.#keys[this.#slot(this.#head)] ?? Infinity);
  }

  #isRunFirst(): boolean {
    const [key, other] = [this.#headKey, this.#heap.firstKey];
    return key < other || (key === other && (this.#orders[this.#slot(this.#head)] ?? 0) < this.#heap.firstOrder);
  }

  #slot(position: number): number {
    return position & (this.#items.length - 1);
  }

  #append(item: T, key: number, order: number): void {
    const slot = this.#slot(this.#next++);
    this.#items[slot] = item;
    this.#keys[slot] = key;
    this.#orders[slot] = order;
    this.#lastKey = key;
    this.#inRing++;
    this.#moved(item, placeOf(slot));
  }

  /** Moves the items of the run to the heap. */
  #moveRun(): void {
    for (let position = this.#head; position < this.#next; position++) {
      const slot = this.#slot(position);
      const item = this.#items[slot];
      if (item !== undefined) this.#heap.add(item, this.#keys[slot] ?? 0, this.#orders[slot] ?? 0);
      this.#items[slot] = undefined;
    }
    this.#inRing = 0;
    this.#emptied();
  }

  #emptied(): void {
    this.#head = 0;
    this.#next = 0;
    if (this.#items.length > maxSlotsWhileEmpty) this.#resize(minSlots);
  }

  /** Closes the gaps, and doubles the ring when they were few. */
  #makeRoom(): void {
    const { length } = this.#items;
    const [items, keys, orders] = [this.#items, this.#keys, this.#orders];
    const [head, next] = [this.#head, this.#next];
    this.#resize(this.#inRing * 2 > length ? length * 2 : length);
    this.#head = 0;
    this.#next = 0;
    this.#inRing = 0;
    for (let position = head; position < next; position++) {
      const slot = position & (length - 1);
      const item = items[slot];
      if (item !== undefined) this.#append(item, keys[slot] ?? 0, orders[slot] ?? 0);
    }
  }

  #resize(length: number): void {
    this.#items = emptySlots(length);
    this.#keys = new Float64Array(length);
    this.#orders = new Float64Array(length);
  }
}

/** Places from 0 up are indexes of the heap; -1 means no place. */
const placeOf = (slot: number): number => -2 - slot;
const slotAt = placeOf;

const emptySlots = <T>(length: number): (T | undefined)[] => Array.from({ length }, () => undefined);
