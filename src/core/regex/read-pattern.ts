import { memo } from "../values/memo.ts";
import { anyButLineEnds } from "./character-classes.ts";
import { type NecessaryPattern, PatternCursor, PatternError, type PatternProblem } from "./pattern-cursor.ts";
import type { PatternNode } from "./pattern-node.ts";
import { readClass } from "./read-class.ts";
import { readEscape, singleSet } from "./read-escape.ts";

/**
 * Reads a pattern as ECMA-262 does with the flag `u`. One that the flag does not allow is read as ECMA-262 allows it
 * without (Annex B.1.2), still by code points, unless it has what means something else with the flag or elsewhere.
 *
 * @throws PatternError for what is broken, nests too deep, or needs backtracking.
 */
export function readPattern(source: string): PatternNode {
  try {
    return readAll(new PatternCursor(source));
  } catch (error) {
    if (!(error instanceof PatternError) || error.problem.kind !== "broken") throw error;
    return readAll(new PatternCursor(source, error.problem));
  }
}

/** The deepest nesting of groups. */
const maxDepth = 250;

function readAll(cursor: PatternCursor): PatternNode {
  const reader = new PatternReader(cursor);
  const node = reader.choice();
  if (!cursor.isAtEnd) return cursor.fail("a closing bracket closes no group", "Write \\) for the character.");
  const broken = reader.problemOfReferences();
  if (broken !== undefined) throw new PatternError(broken);
  if (cursor.unsupported !== undefined)
    throw new PatternError(
      cursor.unsupported,
      reader.hasFlags ? undefined : { node, necessary: reader.necessary(node) },
    );
  return node;
}

const empty: PatternNode = { kind: "empty" };
const start: PatternNode = { kind: "assertion", assertion: "start" };

/** Sentences on how to write a pattern without a construct that no automaton runs. */
const advice = {
  around: "Write what matches without it, or split it into several patterns under allOf, or under not.",
  reference: "Write out the texts that it may repeat, or check them in the handler.",
  flags: "Write both cases, e.g. [Aa], and [^] for every character.",
} as const;

class PatternReader {
  readonly #cursor: PatternCursor;
  readonly #references: { readonly to: number | string; readonly at: number }[] = [];
  #groups = 0;
  /** The names of the groups that may take part in a match together with the next one. */
  #names = new Set<string>();
  readonly #groupsByName = new Map<string, number[]>();
  #depth = 0;
  /** Whether the next term is at the start of the text, behind nothing but look-aheads. */
  #isAtStart = false;
  readonly #lookAheads: NecessaryPattern[] = [];
  hasFlags = false;

  constructor(cursor: PatternCursor) {
    this.#cursor = cursor;
  }

  choice(): PatternNode {
    if (++this.#depth > maxDepth)
      throw new PatternError({ kind: "large", what: `nests groups more than ${maxDepth} deep`, advice: "" });
    const before = this.#names;
    const after = new Set(before);
    const parts: PatternNode[] = [];
    do {
      // Groups of different alternatives may have one name.
      this.#names = new Set(before);
      parts.push(this.#sequence());
      for (const name of this.#names) after.add(name);
    } while (this.#cursor.take("|"));
    this.#names = after;
    this.#depth--;
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: "choice", parts };
  }

  /** The first reference to a missing group, which only the end of the pattern shows. */
  problemOfReferences(): PatternProblem | undefined {
    const wrong = this.#references.find(({ to }) =>
      typeof to === "number" ? to > this.#groups : this.#namedGroups(to).length === 0,
    );
    if (wrong === undefined) return undefined;
    const what = `a back-reference to the group ${wrong.to}, which the pattern does not have`;
    return { kind: "broken", what, advice: "", at: wrong.at + 1 };
  }

  /**
   * Patterns that every matching text matches, or does not match: the one that was read, without the constructs that cannot
   * be run, and the look-aheads at the start of the text.
   */
  necessary(node: PatternNode): readonly NecessaryPattern[] {
    return [{ node, matches: true }, ...(node.kind === "choice" ? [] : this.#lookAheads)];
  }

  #sequence(): PatternNode {
    const cursor = this.#cursor;
    const parts: PatternNode[] = [];
    this.#isAtStart = false;
    while (!cursor.isAtEnd && cursor.peek() !== "|" && cursor.peek() !== ")") {
      const wasAtStart: boolean = this.#isAtStart;
      const part = this.#term();
      const isFirst = parts.length === 0 && this.#depth === 1;
      this.#isAtStart = (isFirst && part === start) || (wasAtStart && part.kind === "look");
      parts.push(part);
    }
    return parts.length === 0 ? empty : { kind: "sequence", parts };
  }

  #term(): PatternNode {
    const cursor = this.#cursor;
    if (cursor.take("^")) return this.#unrepeated(start);
    if (cursor.take("$")) return this.#unrepeated({ kind: "assertion", assertion: "end" });
    if (cursor.take("\\b")) return this.#unrepeated({ kind: "assertion", assertion: "boundary" });
    if (cursor.take("\\B")) return this.#unrepeated({ kind: "assertion", assertion: "no-boundary" });
    const around = cursor.match(/^\(\?<?[=!]/, 4);
    if (around !== undefined) return this.#lookAround(around[0]);
    const first = this.#groups;
    return this.#repeated(this.#atom(), first);
  }

  #atom(): PatternNode {
    const cursor = this.#cursor;
    const at = cursor.at;
    const symbol = cursor.next();
    switch (symbol) {
      case ".":
        return { kind: "set", set: anyButLineEnds };
      case "(":
        return this.#group();
      case "[":
        return { kind: "set", set: readClass(cursor) };
      case "\\":
        if (/[1-9k]/.test(cursor.peek())) return this.#reference(at);
        return { kind: "set", set: readEscape(cursor, false).set };
      case "*":
      case "+":
      case "?":
        return cursor.fail(`${symbol} has nothing to repeat`, `Write \\${symbol} for the character.`, at);
      case "]":
      case "}":
      case "{":
        if (cursor.isLoose && (symbol !== "{" || !/^(?:\d+(?:,\d*)?|,\d+)\}/.test(this.#ahead(24)))) break;
        return cursor.fail(`${symbol} stands alone`, `Write \\${symbol} for the character.`, at);
      default:
    }
    return { kind: "set", set: singleSet(symbol).set };
  }

  #ahead(most: number): string {
    return Array.from({ length: most }, (_, at) => this.#cursor.peek(at)).join("");
  }

  /** Reads a group after its opening bracket. */
  #group(): PatternNode {
    const cursor = this.#cursor;
    const at = cursor.at - 1;
    const flags = cursor.match(/^\?(?!:)(?:[ims]*-)?[ims]*(?=[:)])/, 10)?.[0];
    if (flags !== undefined) {
      if (!cursor.take(":"))
        return cursor.fail(`ECMA-262 has no flags that hold for the rest, as (${flags}) says`, advice.flags, at);
      cursor.note(`the flags (${flags}:`, advice.flags, at);
      this.hasFlags = true;
    } else if (!cursor.take("?:")) {
      const index = this.#groups++;
      if (cursor.take("?<")) this.#name(this.#nameOf(at), index, at);
      else if (cursor.peek() === "?") return cursor.fail("(? begins no group of ECMA-262", "", at);
      return { kind: "group", part: this.#inside(at), index };
    }
    return this.#inside(at);
  }

  #inside(at: number): PatternNode {
    const inner = this.choice();
    return this.#cursor.take(")")
      ? inner
      : this.#cursor.fail("a group is not closed", "Write \\( for the character.", at);
  }

  #nameOf(at: number): string {
    const [all, name = ""] = this.#cursor.match(/^((?:[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*))>/u, 200) ?? [];
    return all === undefined ? this.#cursor.fail("a group has no name between < and >", "", at) : name;
  }

  #name(name: string, index: number, at: number): void {
    if (this.#names.has(name)) this.#cursor.fail(`two groups are called ${name}`, "", at);
    this.#names.add(name);
    this.#namedGroups(name).push(index);
  }

  /** The groups of a name, to which later ones are added. */
  #namedGroups(name: string): number[] {
    return memo(this.#groupsByName, name, () => []);
  }

  #lookAround(opening: string): PatternNode {
    const cursor = this.#cursor;
    const at = cursor.at - opening.length;
    const isAtStart = this.#isAtStart && !opening.includes("<");
    cursor.note(opening.includes("<") ? "a look-behind" : "a look-ahead", advice.around, at);
    const [{ notes }, first] = [cursor, this.#groups];
    const inner = this.#inside(at);
    const matches = opening.includes("=");
    // Without the constructs inside that cannot be run it would exclude too much.
    if (isAtStart && (matches || cursor.notes === notes))
      this.#lookAheads.push({ node: { kind: "sequence", parts: [start, inner] }, matches });
    const isBehind = opening.includes("<");
    const look: PatternNode = { kind: "look", part: inner, isBehind, isNegated: !matches };
    return cursor.isLoose && !isBehind ? this.#repeated(look, first) : this.#unrepeated(look);
  }

  #reference(at: number): PatternNode {
    const cursor = this.#cursor;
    if (cursor.take("k")) {
      if (!cursor.take("<")) return cursor.fail("\\k names no group between < and >", "", at);
    }
    const to = cursor.at - at > 2 ? this.#nameOf(at) : Number(cursor.match(/^\d+/, 10)?.[0]);
    this.#references.push({ to, at });
    cursor.note("a back-reference", advice.reference, at);
    return { kind: "reference", groups: typeof to === "number" ? [to - 1] : this.#namedGroups(to) };
  }

  /** Refuses a quantifier behind an assertion. */
  #unrepeated(node: PatternNode): PatternNode {
    const at = this.#cursor.at;
    if (this.#quantifier() === undefined) return node;
    return this.#cursor.fail("a quantifier repeats a place, not a character", "", at);
  }

  /** Reads the quantifier of a part, if there is one; `first` is the number of groups before it. */
  #repeated(part: PatternNode, first: number): PatternNode {
    const at = this.#cursor.at;
    const bounds = this.#quantifier();
    if (bounds === undefined) return part;
    const [min, max] = bounds;
    if (min > max) return this.#cursor.fail("a quantifier has its bounds in the wrong order", "", at);
    return { kind: "repeat", part, min, max, isLazy: this.#cursor.take("?"), groups: [first, this.#groups] };
  }

  #quantifier(): readonly [min: number, max: number] | undefined {
    const cursor = this.#cursor;
    if (cursor.take("*")) return [0, Infinity];
    if (cursor.take("+")) return [1, Infinity];
    if (cursor.take("?")) return [0, 1];
    const [all, min = "", comma, max = ""] = cursor.match(/^\{(\d+)(?:(,)(\d*))?\}/, 64) ?? [];
    if (all === undefined) return undefined;
    return [Number(min), comma === undefined ? Number(min) : max === "" ? Infinity : Number(max)];
  }
}
