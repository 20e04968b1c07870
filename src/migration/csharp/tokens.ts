import { Directives } from "./directives.ts";
import { characterAt, stringAt } from "./literals.ts";
import { NotUnderstood } from "./source-problem.ts";

/** A token of C#. */
export interface CSharpToken {
  /** `name` includes keywords, `mark` is everything that is not a name or literal. */
  readonly kind: "name" | "number" | "text" | "character" | "mark" | "end";
  /** As written; a name without its `@`. */
  readonly text: string;
  /** The value of a text or character, unless it is interpolated. */
  readonly value?: string | undefined;
  /** Whether it is a name that `@` keeps from being a keyword. */
  readonly isEscaped?: boolean;
  /** From 1. */
  readonly line: number;
}

const name = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*/uy;
const number = /(?:0[xX][\dA-Fa-f_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[A-Za-z]{0,3}/y;
const blanks = /[^\S\n]+/y;
// `>` stays single: it closes type arguments.
const marks = /=>|::|&&|\|\||==|!=|<<|\?\?|[^]/uy;

/** A file with more tokens is refused. */
const maxTokens = 2_000_000;

/**
 * The tokens of a C# file, up to a token `end`; comments and what `#if` leaves out are skipped. Takes linear time.
 *
 * @throws NotUnderstood
 */
export function tokensOf(text: string, symbols: readonly string[]): readonly CSharpToken[] {
  return new Tokenizer(text, symbols).read();
}

class Tokenizer {
  readonly #text: string;
  readonly #directives: Directives;
  readonly #tokens: CSharpToken[] = [];
  #at = 0;
  #line = 1;
  #isLineStart = true;

  constructor(text: string, symbols: readonly string[]) {
    this.#text = text.startsWith("\u{feff}") ? text.slice(1) : text;
    this.#directives = new Directives(symbols);
  }

  read(): readonly CSharpToken[] {
    const text = this.#text;
    while (this.#at < text.length) {
      if (!this.#directives.isReading && !this.#isLineStart) this.#skipLine();
      else this.#step();
      if (this.#tokens.length > maxTokens) throw new NotUnderstood(this.#line, "has more than two million tokens");
    }
    if (!this.#directives.isWhole) throw new NotUnderstood(this.#line, "has an #if without #endif");
    this.#tokens.push({ kind: "end", text: "", line: this.#line });
    return this.#tokens;
  }

  #step(): void {
    const text = this.#text;
    const unit = text[this.#at];
    if (unit === "\n") {
      this.#at++;
      this.#line++;
      this.#isLineStart = true;
      return;
    }
    if (this.#matched(blanks) !== undefined) return;
    const wasLineStart = this.#isLineStart;
    this.#isLineStart = false;
    if (unit === "#" && wasLineStart) return this.#directive();
    if (!this.#directives.isReading) return;
    if (text.startsWith("//", this.#at)) return this.#skipLine();
    if (text.startsWith("/*", this.#at)) return this.#comment();
    if (unit === "'") return this.#literal("character", characterAt(text, this.#at, this.#line));
    const string = stringAt(text, this.#at, this.#line);
    if (string !== undefined) return this.#literal("text", string);
    const escaped = unit === "@" ? 1 : 0;
    this.#at += escaped;
    const word = this.#matched(name);
    if (word !== undefined) return this.#add("name", word, escaped === 1);
    this.#at -= escaped;
    const digits = this.#matched(number);
    if (digits !== undefined) return this.#add("number", digits);
    this.#add("mark", this.#matched(marks) ?? "");
  }

  #matched(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    if (!form.test(this.#text)) return undefined;
    const matched = this.#text.slice(this.#at, form.lastIndex);
    this.#at = form.lastIndex;
    return matched;
  }

  #add(kind: CSharpToken["kind"], text: string, isEscaped: boolean = false): void {
    this.#tokens.push(isEscaped ? { kind, text, line: this.#line, isEscaped } : { kind, text, line: this.#line });
  }

  #literal(
    kind: "text" | "character",
    { end, value }: { readonly end: number; readonly value: string | undefined },
  ): void {
    const text = this.#text.slice(this.#at, end);
    this.#tokens.push({ kind, text, value, line: this.#line });
    this.#pass(end);
  }

  #comment(): void {
    const end = this.#text.indexOf("*/", this.#at + 2);
    if (end === -1) throw new NotUnderstood(this.#line, "has a comment that does not end");
    this.#pass(end + 2);
  }

  #directive(): void {
    const line = this.#line;
    const start = this.#at + 1;
    this.#skipLine();
    this.#directives.take(this.#text.slice(start, this.#at), line);
  }

  #skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#text.length : end;
    // The line break itself starts the next line.
    if (end !== -1 && !this.#directives.isReading) this.#pass(end + 1, true);
  }

  /** Goes on at an index, and counts the lines before it. */
  #pass(end: number, isLineStart: boolean = false): void {
    for (let at = this.#text.indexOf("\n", this.#at); at !== -1 && at < end; at = this.#text.indexOf("\n", at + 1))
      this.#line++;
    this.#at = end;
    this.#isLineStart = isLineStart;
  }
}
