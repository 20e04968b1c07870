import { type CodePointSet, contains, lastCodePoint } from "./code-points.ts";
import { PatternError } from "./pattern-cursor.ts";

/** Code points below this have their class in a table. */
const listed = 256;

/** The work of finding the classes, in intervals that sets cover; only thousands of different classes need more. */
const maxWork = 5_000_000;

/** The code points in classes: those of one class are in the same sets, so that an automaton treats them alike. */
export class Alphabet {
  /** The first code point of each class. */
  readonly representatives: readonly number[];
  /** The first code point of each interval, from 0 up. */
  readonly starts: Uint32Array;
  /** The class of each of the first 256 code points. */
  readonly table: Uint16Array = new Uint16Array(listed);
  readonly #classes: Uint16Array;
  #first = 0;
  #last = -1;
  #class = 0;

  /** @throws PatternError for sets that make too many classes. */
  constructor(sets: readonly CodePointSet[]) {
    const edges = new Set([0]);
    for (const [first, last] of sets.flat()) {
      edges.add(first);
      if (last < lastCodePoint) edges.add(last + 1);
    }
    this.starts = Uint32Array.from(edges).toSorted();
    const { classes, representatives } = classesOf(sets, this.starts);
    this.#classes = classes;
    this.representatives = representatives;
    for (let point = 0; point < listed; point++) this.table[point] = this.#find(point);
  }

  /** The number of classes, which are numbered from 0. */
  get size(): number {
    return this.representatives.length;
  }

  /** The class of a code point. */
  classOf(point: number): number {
    // Neighbours in a text are often of one script.
    if (point >= this.#first && point <= this.#last) return this.#class;
    return this.#find(point);
  }

  #find(point: number): number {
    const at = intervalOf(this.starts, point);
    this.#first = this.starts[at] ?? 0;
    this.#last = (this.starts[at + 1] ?? lastCodePoint + 1) - 1;
    return (this.#class = this.#classes[at] ?? 0);
  }
}

/** The interval that a code point is in, by binary search. */
function intervalOf(starts: Uint32Array, point: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= point) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Splits the intervals into classes, set by set: members of a class that are in a set leave those that are not. */
function classesOf(
  sets: readonly CodePointSet[],
  starts: Uint32Array,
): { readonly classes: Uint16Array; readonly representatives: readonly number[] } {
  const labels = new Uint32Array(starts.length);
  let next = 1;
  let work = 0;
  for (const set of sets) {
    const renamed = new Map<number, number>();
    for (const [first, last] of set) {
      for (let at = intervalOf(starts, first); at < starts.length && (starts[at] ?? 0) <= last; at++) {
        if (++work > maxWork)
          throw new PatternError({ kind: "large", what: "has too many different classes", advice: "" });
        const old = labels[at] ?? 0;
        const label = renamed.get(old) ?? next++;
        renamed.set(old, label);
        labels[at] = label;
      }
    }
  }
  const numbers = new Map<number, number>();
  const representatives: number[] = [];
  const classes = Uint16Array.from(labels, (label, at) => {
    const known = numbers.get(label);
    if (known !== undefined) return known;
    numbers.set(label, numbers.size);
    representatives.push(starts[at] ?? 0);
    return numbers.size - 1;
  });
  if (numbers.size > 0xffff)
    throw new PatternError({ kind: "large", what: "has too many different classes", advice: "" });
  return { classes, representatives };
}

/** Whether the code points of a class are in a set that the alphabet was made of. */
export function isClassIn(alphabet: Alphabet, symbolClass: number, set: CodePointSet): boolean {
  return contains(set, alphabet.representatives[symbolClass] ?? 0);
}
