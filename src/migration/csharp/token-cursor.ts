import { NotUnderstood } from "./source-problem.ts";
import type { CSharpToken } from "./tokens.ts";

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** A list of type arguments that goes on longer is a comparison. */
const maxArgumentsLength = 100;

/** A place in the tokens of a file. */
export class TokenCursor {
  readonly #tokens: readonly CSharpToken[];
  readonly #end: CSharpToken;
  /** For each opening bracket the index of the closing one. */
  readonly #matches = new Map<number, number>();
  at = 0;

  constructor(tokens: readonly CSharpToken[]) {
    this.#tokens = tokens;
    this.#end = tokens.at(-1) ?? { kind: "end", text: "", line: 1 };
    const open: number[] = [];
    for (const [index, { kind, text }] of tokens.entries()) {
      if (kind !== "mark") continue;
      if (text in closing) open.push(index);
      else if (text === ")" || text === "]" || text === "}") {
        const from = open.pop();
        if (from !== undefined && closing[tokens[from]?.text ?? ""] === text) this.#matches.set(from, index);
      }
    }
  }

  get token(): CSharpToken {
    return this.#tokens[this.at] ?? this.#end;
  }

  get isAtEnd(): boolean {
    return this.token.kind === "end";
  }

  /** The token after some others. */
  ahead(count: number): CSharpToken {
    return this.#tokens[this.at + count] ?? this.#end;
  }

  slice(from: number, to: number): readonly CSharpToken[] {
    return this.#tokens.slice(from, to);
  }

  /** Whether a mark or keyword comes next. */
  is(text: string): boolean {
    const { kind, text: own, isEscaped } = this.token;
    return own === text && (kind === "mark" || (kind === "name" && isEscaped !== true));
  }

  /** Takes a mark or keyword, if it comes next. */
  took(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  /** Takes a mark or keyword. @throws NotUnderstood */
  expect(text: string): void {
    if (!this.took(text)) throw this.unexpected(`"${text}"`);
  }

  /** Takes a name. @throws NotUnderstood */
  name(): string {
    const { kind, text } = this.token;
    if (kind !== "name") throw this.unexpected("a name");
    this.at++;
    return text;
  }

  /** Passes everything in brackets. @throws NotUnderstood when they do not close. */
  skipBrackets(): void {
    const end = this.#matches.get(this.at);
    if (end === undefined) throw this.unexpected(`what closes "${this.token.text}"`);
    this.at = end + 1;
  }

  /** The index of what closes the bracket that comes next. @throws NotUnderstood */
  closing(): number {
    const end = this.#matches.get(this.at);
    if (end === undefined) throw this.unexpected(`what closes "${this.token.text}"`);
    return end;
  }

  /** Passes an expression, up to a `;`, a `,` or what closes the brackets around it. */
  skipExpression(): void {
    while (!this.isAtEnd && !this.is(";") && !this.is(",") && !this.is(")") && !this.is("]") && !this.is("}")) {
      if (this.#matches.has(this.at)) this.skipBrackets();
      else {
        const end = this.is("<") ? this.#argumentsEnd() : undefined;
        this.at = end ?? this.at + 1;
      }
    }
  }

  /** Passes what is not understood, to the end of the statement or block. */
  recover(): void {
    while (!this.isAtEnd && !this.is("}")) {
      const isBlock = this.is("{");
      if (this.#matches.has(this.at)) this.skipBrackets();
      else this.at++;
      if (isBlock || this.#tokens[this.at - 1]?.text === ";") return;
    }
  }

  /** The end of a list of type arguments that starts here, `undefined` for a comparison. */
  #argumentsEnd(): number | undefined {
    let depth = 0;
    for (let at = this.at; at < this.at + maxArgumentsLength; at++) {
      const { kind, text } = this.#tokens[at] ?? this.#end;
      if (text === "<") depth++;
      else if (text === ">") {
        if (--depth === 0) return at + 1;
      } else if (kind !== "name" && !/^[,.?[\]()]$|^::$/.test(text)) return undefined;
    }
    return undefined;
  }

  unexpected(wanted: string): NotUnderstood {
    const { kind, text, line } = this.token;
    const found = kind === "end" ? "the end of the file" : `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
    return new NotUnderstood(line, `is not C# that is understood: expected ${wanted}, found ${found}`);
  }
}
