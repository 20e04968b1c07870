import type { PatternNode } from "./pattern-node.ts";

/** Why a pattern is refused, and where. */
export interface PatternProblem {
  /** `broken`: ECMA-262 does not allow it; `unsupported`: it does; `large`: it is too large to run. */
  readonly kind: "broken" | "unsupported" | "large";
  /** A clause without a full stop: what is wrong, or what the pattern has. */
  readonly what: string;
  /** A sentence on what to write instead; "" if there is none. */
  readonly advice: string;
  /** The position of the character, from 1. Default: the whole pattern is meant. */
  readonly at?: number;
}

/** A pattern that a text must match, or must not match, to match another one that cannot be run. */
export interface NecessaryPattern {
  readonly node: PatternNode;
  readonly matches: boolean;
}

/** Carries a problem out of the reader; it never leaves this folder. */
export class PatternError extends Error {
  readonly problem: PatternProblem;
  /** The pattern, if it was read. */
  readonly read: { readonly node: PatternNode; readonly necessary: readonly NecessaryPattern[] } | undefined;

  constructor(problem: PatternProblem, read?: PatternError["read"]) {
    super(problem.what);
    this.problem = problem;
    this.read = read;
  }
}

/** A place in the text of a pattern. */
export class PatternCursor {
  readonly #symbols: readonly string[];
  #at = 0;
  /** The first construct that ECMA-262 allows and that cannot be run. */
  unsupported: PatternProblem | undefined;
  /** The number of such constructs. */
  notes = 0;
  /** The reason why the flag `u` does not allow the pattern, if it is read as ECMA-262 allows it without (Annex B). */
  readonly refusedByFlag: PatternProblem | undefined;

  constructor(source: string, refusedByFlag?: PatternProblem) {
    this.#symbols = Array.from(source);
    this.refusedByFlag = refusedByFlag;
  }

  /** Whether the syntax of Annex B is allowed. */
  get isLoose(): boolean {
    return this.refusedByFlag !== undefined;
  }

  /** The number of characters read. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#symbols.length;
  }

  /** A character that is not read yet; "" behind the end. */
  peek(ahead = 0): string {
    return this.#symbols[this.#at + ahead] ?? "";
  }

  /** Reads a character; "" at the end. */
  next(): string {
    return this.#symbols[this.#at++] ?? "";
  }

  /** Reads what is given, if it comes next. */
  take(text: string): boolean {
    for (let ahead = 0; ahead < text.length; ahead++) if (this.peek(ahead) !== text[ahead]) return false;
    this.#at += text.length;
    return true;
  }

  /** Reads what a sticky-like expression finds at this place, among the next `most` characters. */
  match(expression: RegExp, most: number): RegExpExecArray | undefined {
    const found = expression.exec(this.#symbols.slice(this.#at, this.#at + most).join(""));
    if (found === null || found.index > 0) return undefined;
    this.#at += Array.from(found[0]).length;
    return found;
  }

  /** @throws PatternError always; `at` is the number of characters before the problem. */
  fail(what: string, advice = "", at: number = this.#at): never {
    throw new PatternError({ kind: "broken", what, advice, at: at + 1 });
  }

  /** Notes a construct that cannot be run and goes on, since broken syntax after it is the worse problem. */
  note(what: string, advice: string, at: number): void {
    this.notes++;
    this.unsupported ??= { kind: "unsupported", what, advice, at: at + 1 };
  }
}
