import { wordCharacters } from "./character-classes.ts";
import { contains } from "./code-points.ts";
import type { PatternNode } from "./pattern-node.ts";

/** The steps for one text; they bound the time, so that the answer is the same on every machine. */
const maxSteps = 100_000;

/**
 * Whether a pattern is found in a text, by trying one way after the other as ECMA-262 describes it; `undefined` where that
 * takes too many steps. It serves patterns that no automaton runs, and never on the way of messages.
 */
export function foundByTrying(pattern: PatternNode, text: string): boolean | undefined {
  const symbols = Array.from(text, (symbol) => symbol.codePointAt(0) ?? 0);
  const trial = new Trial(symbols);
  try {
    for (let at = 0; at <= symbols.length; at++) if (trial.isFoundAt(pattern, at)) return true;
    return false;
  } catch (error) {
    // Long texts nest the calls too deep.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Continues after a part that has matched up to a place. */
type Continuation = (at: number) => boolean;

/** The places between which a group has matched. */
type Capture = readonly [from: number, to: number] | undefined;

class Trial {
  readonly #symbols: readonly number[];
  #captures: Capture[] = [];
  #steps = 0;

  constructor(symbols: readonly number[]) {
    this.#symbols = symbols;
  }

  isFoundAt(pattern: PatternNode, at: number): boolean {
    this.#captures = [];
    return this.#match(pattern, at, { isBehind: false, next: () => true });
  }

  /** Tries a part; in a look-behind texts are read backwards. */
  #match(node: PatternNode, at: number, on: { readonly isBehind: boolean; readonly next: Continuation }): boolean {
    if (++this.#steps > maxSteps) throw new RangeError("too many steps");
    const { isBehind, next } = on;
    switch (node.kind) {
      case "empty":
        return next(at);
      case "set": {
        const symbol = this.#symbols[isBehind ? at - 1 : at];
        return symbol !== undefined && contains(node.set, symbol) && next(isBehind ? at - 1 : at + 1);
      }
      case "assertion":
        return this.#holds(node.assertion, at) && next(at);
      case "choice":
        return node.parts.some((part) => this.#match(part, at, on));
      case "sequence": {
        const parts = isBehind ? node.parts.toReversed() : node.parts;
        const from = (index: number, place: number): boolean => {
          const part = parts[index];
          if (part === undefined) return next(place);
          return this.#match(part, place, { isBehind, next: (end) => from(index + 1, end) });
        };
        return from(0, at);
      }
      case "group":
        return this.#match(node.part, at, {
          isBehind,
          next: (end) =>
            this.#restoring(() => {
              this.#captures[node.index] = isBehind ? [end, at] : [at, end];
              return next(end);
            }),
        });
      case "repeat":
        return this.#repeat(node, at, on);
      case "look":
        return this.#look(node, at, next);
      default:
        return this.#repeatsCapture(node.groups, at, on);
    }
  }

  #holds(assertion: (PatternNode & { readonly kind: "assertion" })["assertion"], at: number): boolean {
    if (assertion === "start") return at === 0;
    if (assertion === "end") return at === this.#symbols.length;
    return (assertion === "boundary") === (this.#isWord(at - 1) !== this.#isWord(at));
  }

  #isWord(at: number): boolean {
    return contains(wordCharacters, this.#symbols[at] ?? -1);
  }

  /** Forgets what groups have matched in a way that leads nowhere. */
  #restoring(way: () => boolean): boolean {
    const before = this.#captures.slice();
    if (way()) return true;
    this.#captures = before;
    return false;
  }

  #repeat(
    { part, min, max, isLazy, groups: [first, last] }: PatternNode & { readonly kind: "repeat" },
    start: number,
    { isBehind, next }: { readonly isBehind: boolean; readonly next: Continuation },
  ): boolean {
    const from = (count: number, at: number): boolean => {
      const more = (): boolean =>
        count < max &&
        this.#restoring(() => {
          this.#captures.fill(undefined, first, last);
          // A turn without a character would go on without end.
          return this.#match(part, at, {
            isBehind,
            next: (end) => (count < min || end !== at) && from(count + 1, end),
          });
        });
      if (count < min) return more();
      return isLazy ? next(at) || more() : more() || next(at);
    };
    return from(0, start);
  }

  #look(
    { part, isBehind, isNegated }: PatternNode & { readonly kind: "look" },
    at: number,
    next: Continuation,
  ): boolean {
    return this.#restoring(() => {
      const before = this.#captures.slice();
      const isFound = this.#match(part, at, { isBehind, next: () => true });
      if (isNegated) this.#captures = before;
      return isFound !== isNegated && next(at);
    });
  }

  #repeatsCapture(
    groups: readonly number[],
    at: number,
    { isBehind, next }: { readonly isBehind: boolean; readonly next: Continuation },
  ): boolean {
    const capture = groups.map((group) => this.#captures[group]).find((one) => one !== undefined);
    if (capture === undefined) return next(at);
    const [from, to] = capture;
    const place = isBehind ? at - (to - from) : at;
    for (let index = 0; index < to - from; index++)
      if (place < 0 || this.#symbols[place + index] !== this.#symbols[from + index]) return false;
    return next(isBehind ? place : at + (to - from));
  }
}
