/** Children per node: a wide heap is shallow, and its keys are adjacent in memory. */
const arity = 4;

/**
 * Items in order of their keys; items with equal keys in insertion order.
 *
 * Insertion and removal take at most logarithmic time; insertion in key order takes constant time.
 */
export class Heap<T> {
  readonly #items: T[] = [];
  #keys: Float64Array = new Float64Array(16);
  #orders: Float64Array = new Float64Array(16);
  #order = 0;
  readonly #moved: (item: T, index: number) => void;

  /** @param moved Called with an item's new index, by which it can be removed; -1 once it has left. */
  constructor(moved: (item: T, index: number) => void) {
    this.#moved = moved;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item with the smallest key. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** The smallest key; `Infinity` when the heap is empty. */
  get firstKey(): number {
    return this.#items.length === 0 ? Infinity : this.#key(0);
  }

  /** The place in the order of insertion of the item with the smallest key. */
  get firstOrder(): number {
    return this.#orders[0] ?? 0;
  }

  /** @param order The order among equal keys. Default: the order of insertion. */
  add(item: T, key: number, order: number = this.#order++): void {
    const index = this.#items.length;
    this.#items.push(item);
    if (index >= this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#orders = doubled(this.#orders);
    }
    this.#rise(item, key, order, index);
  }

  /** The key of the item at an index. */
  keyAt(index: number): number {
    return this.#key(index);
  }

  /** Removes the item at an index. */
  remove(index: number): void {
    const item = this.#items[index];
    const last = this.#items.pop();
    if (item === undefined || last === undefined) return;
    this.#moved(item, -1);
    const lastIndex = this.#items.length;
    if (index === lastIndex) return;
    const key = this.#key(lastIndex);
    const order = this.#orders[lastIndex] ?? 0;
    if (index > 0 && this.#isBefore(key, order, parentOf(index))) this.#rise(last, key, order, index);
    else this.#sink(last, key, order, index);
  }

  #rise(item: T, key: number, order: number, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = parentOf(index);
      if (!this.#isBefore(key, order, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#place(item, key, order, index);
  }

  #sink(item: T, key: number, order: number, from: number): void {
    const count = this.#items.length;
    let index = from;
    for (;;) {
      const first = index * arity + 1;
      if (first >= count) break;
      let least = first;
      const end = Math.min(first + arity, count);
      for (let child = first + 1; child < end; child++)
        if (this.#isBefore(this.#key(child), this.#orders[child] ?? 0, least)) least = child;
      if (this.#isBefore(key, order, least)) break;
      this.#move(least, index);
      index = least;
    }
    this.#place(item, key, order, index);
  }

  /** Whether an item with this key and order comes before the item at an index. */
  #isBefore(key: number, order: number, index: number): boolean {
    const other = this.#key(index);
    return key < other || (key === other && order < (this.#orders[index] ?? 0));
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item !== undefined) this.#place(item, this.#key(from), this.#orders[from] ?? 0, to);
  }

  #place(item: T, key: number, order: number, index: number): void {
    this.#items[index] = item;
    this.#keys[index] = key;
    this.#orders[index] = order;
    this.#moved(item, index);
  }

  #key(index: number): number {
    return this.#keys[index] ?? Infinity;
  }
}

const parentOf = (index: number): number => Math.floor((index - 1) / arity);

function doubled(numbers: Float64Array): Float64Array {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
