import { parseRegex, UnsupportedPattern } from "./parser.ts";
import { type CodePointRange, isWord, lastCodePoint, type RegexNode, word } from "./syntax.ts";

/** A set of states of the automaton at one place in a string; places with the same `id` behave alike from there on. */
export interface Place {
  readonly id: number;
  /** Whether a string that ends here matches. */
  readonly matches: boolean;
  readonly states: readonly number[];
  readonly isStart: boolean;
  /** Whether all strings that continue from here match, or none does. */
  readonly isSettled: boolean;
  /** Whether the previous code point is part of a word, where that matters. */
  readonly isBehindWord: boolean;
}

/** A pattern as an automaton that becomes deterministic as it runs: one step per code point, whatever the pattern. */
export interface Automaton {
  readonly start: Place;
  /** The ranges at whose ends the behaviour may change. */
  readonly ranges: readonly CodePointRange[];
  step(place: Place, codePoint: number): Place;
}

interface State {
  readonly steps: { readonly ranges: readonly CodePointRange[]; readonly to: number }[];
  readonly free: number[];
  readonly atStart: number[];
  readonly atEnd: number[];
  /** Where one of two neighbours is part of a word, and where both or none is. */
  readonly atBoundary: number[];
  readonly elsewhere: number[];
}

/** The maximum number of states; a small pattern with large repetitions may need more, and is refused. */
const mostStates = 20_000;
const mostPlaces = 10_000;
const anything: readonly CodePointRange[] = [[0, lastCodePoint]];

/**
 * Makes the automaton of the strings in which `source` is found, as ECMA-262 does with the flag `u`.
 *
 * @throws UnsupportedPattern for what has no small automaton.
 */
export function createAutomaton(source: string): Automaton {
  const states: State[] = [];
  const ranges: CodePointRange[] = [];
  let hasBoundaries = false;
  const add = (): number => {
    if (states.length >= mostStates) throw new UnsupportedPattern("an automaton of too many states");
    return states.push({ steps: [], free: [], atStart: [], atEnd: [], atBoundary: [], elsewhere: [] }) - 1;
  };
  const build = (node: RegexNode, from: number): number => {
    switch (node.kind) {
      case "empty":
        return from;
      case "set": {
        const to = add();
        ranges.push(...node.ranges);
        states[from]?.steps.push({ ranges: node.ranges, to });
        return to;
      }
      case "sequence":
        return node.parts.reduce((at, part) => build(part, at), from);
      case "choice": {
        const to = add();
        for (const part of node.parts) {
          const entry = add();
          states[from]?.free.push(entry);
          states[build(part, entry)]?.free.push(to);
        }
        return to;
      }
      case "start":
      case "end": {
        const to = add();
        const state = states[from];
        (node.kind === "start" ? state?.atStart : state?.atEnd)?.push(to);
        return to;
      }
      case "boundary": {
        const to = add();
        const state = states[from];
        (node.negated ? state?.elsewhere : state?.atBoundary)?.push(to);
        ranges.push(...word);
        hasBoundaries = true;
        return to;
      }
      default:
        return repeat(node, from);
    }
  };
  const repeat = ({ part, min, max }: RegexNode & { readonly kind: "repeat" }, from: number): number => {
    let at = from;
    for (let count = 0; count < min; count++) at = build(part, at);
    if (max === Infinity) {
      const loop = add();
      states[at]?.free.push(loop);
      states[build(part, loop)]?.free.push(loop);
      return loop;
    }
    const to = add();
    for (let count = min; count < max; count++) {
      states[at]?.free.push(to);
      at = build(part, at);
    }
    states[at]?.free.push(to);
    return to;
  };
  const first = add();
  states[first]?.steps.push({ ranges: anything, to: first });
  const entry = add();
  states[first]?.free.push(entry);
  const last = build(parseRegex(source), entry);
  states[last]?.steps.push({ ranges: anything, to: last });
  return walker(states, { first, last, ranges, hasBoundaries });
}

interface Ends {
  readonly first: number;
  readonly last: number;
  readonly hasBoundaries: boolean;
  readonly ranges: readonly CodePointRange[];
}

function walker(states: readonly State[], { first, last, ranges, hasBoundaries }: Ends): Automaton {
  const useful = leadingTo(last, states);
  const places = new Map<string, Place>();
  const steps = new Map<number, Map<number, Place>>();
  let nextId = 0;
  const follow = (seeds: readonly number[], edges: (state: State) => readonly (readonly number[])[]): Set<number> => {
    const reached = new Set(seeds);
    // The loop also reaches what is added to the set meanwhile.
    for (const at of reached) for (const list of edges(states[at] ?? dead)) for (const to of list) reached.add(to);
    return reached;
  };
  const place = (reached: ReadonlySet<number>, isStart: boolean, isBehindWord: boolean): Place => {
    // A match that has been found remains one.
    const left = isStart ? reached : Array.from(reached).filter((at) => useful.has(at));
    const members = reached.has(last) ? [last] : Array.from(left).toSorted((a, b) => a - b);
    const key = `${isStart ? "^" : ""}${isBehindWord ? "w" : ""}${members.join(",")}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (places.size > mostPlaces) {
      places.clear();
      steps.clear();
    }
    const atEnd = follow(members, ({ free, atStart, atEnd: ends, atBoundary, elsewhere }) => [
      free,
      isStart ? atStart : none,
      ends,
      isBehindWord ? atBoundary : elsewhere,
    ]);
    const made = {
      id: nextId++,
      matches: atEnd.has(last),
      states: members,
      isStart,
      isSettled: members.length === 0 || members[0] === last,
      isBehindWord,
    };
    places.set(key, made);
    return made;
  };
  const start = place(
    follow([first], ({ free, atStart }) => [free, atStart]),
    true,
    false,
  );
  /** The states from which a code point is read, which decides whether a boundary was before it. */
  const before = ({ states: members, isStart, isBehindWord }: Place, codePoint: number): Iterable<number> => {
    if (!hasBoundaries) return members;
    const isBoundary = isWord(codePoint) !== isBehindWord;
    return follow(members, ({ free, atStart, atBoundary, elsewhere }) => [
      free,
      isStart ? atStart : none,
      isBoundary ? atBoundary : elsewhere,
    ]);
  };
  return {
    start,
    ranges,
    step(from, codePoint) {
      const known = steps.get(from.id)?.get(codePoint);
      if (known !== undefined) return known;
      const next = Array.from(before(from, codePoint)).flatMap((at) =>
        (states[at] ?? dead).steps.filter((step) => inRanges(step.ranges, codePoint)).map(({ to }) => to),
      );
      const made = place(
        follow(next, ({ free }) => [free]),
        false,
        hasBoundaries && isWord(codePoint),
      );
      const row = steps.get(from.id) ?? new Map<number, Place>();
      steps.set(from.id, row);
      if (row.size < 512) row.set(codePoint, made);
      return made;
    },
  };
}

const none: readonly number[] = [];

/** The states from which another one is reached after the start of a string. */
function leadingTo(last: number, states: readonly State[]): ReadonlySet<number> {
  const before = states.map((): number[] => []);
  for (const [at, { steps, free, atEnd, atBoundary, elsewhere }] of states.entries())
    for (const to of [...steps.map((step) => step.to), ...free, ...atEnd, ...atBoundary, ...elsewhere])
      before[to]?.push(at);
  const found = new Set([last]);
  // The loop also reaches what is added to the set meanwhile.
  for (const at of found) for (const from of before[at] ?? none) found.add(from);
  return found;
}
const dead: State = { steps: [], free: [], atStart: [], atEnd: [], atBoundary: [], elsewhere: [] };

function inRanges(ranges: readonly CodePointRange[], point: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] ?? [0, -1];
    if (point < first) high = middle - 1;
    else if (point > last) low = middle + 1;
    else return true;
  }
  return false;
}
