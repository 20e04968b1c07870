import { type Alphabet, isClassIn } from "./alphabet.ts";
import { wordCharacters } from "./character-classes.ts";
import { contains } from "./code-points.ts";
import { PatternError } from "./pattern-cursor.ts";
import type { PatternAssertion } from "./pattern-node.ts";
import type { MachineState, StateMachine } from "./state-machine.ts";

/** The place from which no text matches. */
const dead = 0;

/** The states of the machine that a text may be in at one place, and what decides on assertions there. */
interface Row {
  /** The numbers of states of the kinds `set` and `assertion`, in order. */
  readonly members: Uint32Array;
  readonly isStart: boolean;
  /** Whether the previous character is part of a word, if the pattern asks for that. */
  readonly isBehindWord: boolean;
}

/** The bytes of one automaton's table while it matches texts: beyond them it starts over. */
const maxBytes = 1 << 20;

/** The same while automata are searched together, where places must keep their numbers. */
const maxSearchedBytes = 1 << 26;

/**
 * A state machine that becomes deterministic as texts come, so that a known character costs one look-up in a table.
 *
 * A place is a number, which keeps its meaning until {@link Automaton.test} or {@link Automaton.trim} is called.
 */
export class Automaton {
  readonly alphabet: Alphabet;
  /** The place before the first character. */
  readonly start: number;
  readonly #machine: StateMachine;
  /** The columns of a row: the classes of the alphabet, and the end of the text. */
  readonly #stride: number;
  readonly #end: number;
  readonly #matched: number;
  /** Places by place and class; -1 where it is not known yet. */
  #table: Int32Array;
  #rows: (Row | undefined)[] = [undefined, undefined];
  #places = new Map<number, number[]>();
  #bytes = 0;
  readonly #isWord: readonly boolean[];
  /** Whether a state leads to a match behind the start of a text. */
  readonly #isUseful: Uint8Array;
  /** The states from which a match may begin behind the start of a text. */
  readonly #restart: readonly number[];
  /** The round in which a state was last reached. */
  readonly #rounds: Uint32Array;
  #round = 0;

  constructor(machine: StateMachine) {
    this.#machine = machine;
    this.alphabet = machine.alphabet;
    const { size, representatives } = machine.alphabet;
    this.#end = size;
    this.#stride = size + 1;
    this.#matched = this.#stride;
    this.#table = new Int32Array(this.#stride * 8).fill(-1);
    this.#table.fill(dead, 0, this.#stride).fill(this.#matched, this.#matched, 2 * this.#stride);
    this.#isWord = representatives.map((point) => machine.hasBoundaries && contains(wordCharacters, point));
    this.#isUseful = usefulStates(machine);
    this.#rounds = new Uint32Array(machine.states.length);
    this.#restart = this.#closure([machine.entry], holdsNowhere).filter((state) => this.#isUseful[state] === 1);
    const first = this.#closure([machine.entry], (assertion) => assertion === "start");
    const members = Uint32Array.from(first.filter((state) => !isFork(machine.states[state]))).toSorted();
    this.start = first.includes(machine.match)
      ? this.#matched
      : this.#addRow({ members, isStart: true, isBehindWord: false });
  }

  /** Whether all texts that continue from a place match, or none does. */
  isSettled(place: number): boolean {
    return place <= this.#matched;
  }

  /** Whether a text that ends at a place matches. */
  isMatch(place: number): boolean {
    return this.#next(place, this.#end, maxSearchedBytes) === this.#matched;
  }

  /**
   * The place behind a character of a class.
   *
   * @throws PatternError when the table has grown too large.
   */
  step(place: number, symbolClass: number): number {
    return this.#next(place, symbolClass, maxSearchedBytes);
  }

  /** Forgets all places but the start if there are many. */
  trim(): void {
    if (this.#bytes > maxBytes) this.#startOver();
  }

  /** Whether the pattern is found in the text. */
  test(text: string): boolean {
    const { alphabet } = this;
    const { table: classes } = alphabet;
    const matched = this.#matched;
    let table = this.#table;
    let place = this.start;
    if (place === matched) return true;
    for (let at = 0; at < text.length; at++) {
      let symbol = text.charCodeAt(at);
      let symbolClass = 0;
      if (symbol < classes.length) symbolClass = classes[symbol] ?? 0;
      else {
        if ((symbol & 0xfc00) === 0xd800) {
          symbol = text.codePointAt(at) ?? symbol;
          if (symbol > 0xffff) at++;
        }
        symbolClass = alphabet.classOf(symbol);
      }
      let next = table[place + symbolClass] ?? -1;
      if (next <= matched) {
        if (next < 0) {
          next = this.#next(place, symbolClass, maxBytes);
          table = this.#table;
        }
        if (next === dead) return false;
        if (next === matched) return true;
      }
      place = next;
    }
    return this.#next(place, this.#end, maxBytes) === matched;
  }

  #next(place: number, symbolClass: number, most: number): number {
    const known = this.#table[place + symbolClass] ?? -1;
    const row = known < 0 ? this.#rows[place / this.#stride] : undefined;
    if (row === undefined) return known;
    const found = this.#rowBehind(row, symbolClass);
    if (typeof found === "number") return (this.#table[place + symbolClass] = found);
    const next = this.#placeOf(found);
    if (next !== undefined) return (this.#table[place + symbolClass] = next);
    const isFull = this.#bytes > most;
    if (isFull && most === maxSearchedBytes)
      throw new PatternError({ kind: "large", what: "has too many places together with others", advice: "" });
    // The row of `place` goes, too.
    if (isFull) this.#startOver();
    const made = this.#addRow(found);
    if (!isFull) this.#table[place + symbolClass] = made;
    return made;
  }

  /** The row behind a character, or at the end of a text, unless that place is settled. */
  #rowBehind({ members, isStart, isBehindWord }: Row, symbolClass: number): Row | number {
    const { states, match, hasBoundaries } = this.#machine;
    const isEnd = symbolClass === this.#end;
    const isWord = this.#isWord[symbolClass] ?? false;
    const before = this.#closure(members, (assertion) => {
      if (assertion === "start") return isStart;
      if (assertion === "end") return isEnd;
      return (assertion === "boundary") === (isWord !== isBehindWord);
    });
    if (before.includes(match)) return this.#matched;
    if (isEnd) return dead;
    const targets: number[] = [];
    for (const number of before) {
      const state = states[number];
      if (state?.kind === "set" && isClassIn(this.alphabet, symbolClass, state.set)) targets.push(state.to);
    }
    const behind = this.#closure(targets, holdsNowhere, this.#restart);
    if (behind.includes(match)) return this.#matched;
    const useful = behind.filter((state) => this.#isUseful[state] === 1);
    if (useful.length === 0) return dead;
    return { members: Uint32Array.from(useful).toSorted(), isStart: false, isBehindWord: hasBoundaries && isWord };
  }

  /** The states that are reached without a character, where the assertions hold that `holds` says, and `others`. */
  #closure(
    seeds: Iterable<number>,
    holds: (assertion: PatternAssertion) => boolean,
    others: readonly number[] = [],
  ): readonly number[] {
    const round = ++this.#round;
    const rounds = this.#rounds;
    const reached: number[] = [];
    const reach = (state: number): void => {
      if (rounds[state] === round) return;
      rounds[state] = round;
      reached.push(state);
    };
    for (const state of seeds) reach(state);
    // The loop also reaches what is added meanwhile.
    for (const number of reached) {
      const state = this.#machine.states[number];
      if (state?.kind === "fork") for (const to of state.to) reach(to);
      else if (state?.kind === "assertion" && holds(state.assertion)) reach(state.to);
    }
    for (const state of others) reach(state);
    return reached;
  }

  #placeOf(row: Row): number | undefined {
    return this.#places.get(hashOf(row))?.find((place) => isEqual(this.#rows[place / this.#stride], row));
  }

  #addRow(row: Row): number {
    const place = this.#rows.push(row) * this.#stride - this.#stride;
    if (place + this.#stride > this.#table.length) {
      const grown = new Int32Array(this.#table.length * 2).fill(-1, this.#table.length);
      grown.set(this.#table);
      this.#table = grown;
    }
    this.#bytes += row.members.byteLength + this.#stride * this.#table.BYTES_PER_ELEMENT + bytesOfRow;
    const hash = hashOf(row);
    const others = this.#places.get(hash);
    if (others === undefined) this.#places.set(hash, [place]);
    else others.push(place);
    return place;
  }

  /** Forgets all places but the start. */
  #startOver(): void {
    const kept = 3;
    const [first] = this.#rows.slice(kept - 1);
    this.#rows = [undefined, undefined];
    this.#places = new Map();
    this.#bytes = 0;
    this.#table = this.#table.slice(0, 8 * this.#stride).fill(-1, (kept - 1) * this.#stride);
    if (first !== undefined) this.#addRow(first);
  }
}

/** Roughly the bytes that the objects of one row take besides their content. */
const bytesOfRow = 200;

function holdsNowhere(): boolean {
  return false;
}

function isFork(state: MachineState | undefined): boolean {
  return state?.kind === "fork";
}

function hashOf({ members, isBehindWord }: Row): number {
  let hash = isBehindWord ? 1 : 0;
  for (const member of members) hash = (Math.imul(hash, 31) + member) | 0;
  return hash;
}

function isEqual(one: Row | undefined, other: Row): boolean {
  return (
    one !== undefined &&
    one.isStart === other.isStart &&
    one.isBehindWord === other.isBehindWord &&
    one.members.length === other.members.length &&
    one.members.every((member, at) => member === other.members[at])
  );
}

/** Marks the states, except forks, from which characters lead to a match where the start of the text is behind. */
function usefulStates({ states, match }: StateMachine): Uint8Array {
  const before = states.map((): number[] => []);
  for (const [from, state] of states.entries()) {
    if (state.kind === "fork") for (const to of state.to) before[to]?.push(from);
    else if (
      (state.kind === "set" && state.set.length > 0) ||
      (state.kind === "assertion" && state.assertion !== "start")
    )
      before[state.to]?.push(from);
  }
  const useful = new Uint8Array(states.length);
  const found = [match];
  const seen = new Set(found);
  // The loop also reaches what is added meanwhile.
  for (const at of found)
    for (const from of before[at] ?? [])
      if (!seen.has(from)) {
        seen.add(from);
        found.push(from);
      }
  for (const at of found) if (!isFork(states[at]) && at !== match) useful[at] = 1;
  return useful;
}
