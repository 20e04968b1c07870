import { parseType } from "./parse-type.ts";
import { NotUnderstood } from "./source-problem.ts";
import type { TypeSyntax } from "./syntax.ts";
import { TokenCursor } from "./token-cursor.ts";
import type { CSharpToken } from "./tokens.ts";

/** A constant: a text, a whole number, a boolean, null, or a type from `typeof`. */
export type Constant = string | bigint | boolean | null | { readonly type: TypeSyntax };

/** Finds the constant that a name refers to. */
export type ConstantLookup = (names: readonly string[]) => Constant | undefined;

/** Expressions nest no deeper, since evaluating them is recursive. */
const maxDepth = 64;

/** From the loosest. */
const operators: readonly (readonly string[])[] = [["|"], ["^"], ["&"], ["<<", ">"], ["+", "-"], ["*", "/", "%"]];
/** Longer shifts make numbers that no enumeration has. */
const maxShift = 64n;

/** The value of a constant expression. @throws NotUnderstood for any other. */
export function constantOf(tokens: readonly CSharpToken[], lookup: ConstantLookup): Constant {
  const cursor = new TokenCursor([...tokens, { kind: "end", text: "", line: tokens.at(-1)?.line ?? 1 }]);
  const value = new ConstantEvaluation(cursor, lookup).binary(0, 0);
  if (!cursor.isAtEnd) throw cursor.unexpected("the end of a constant");
  return value;
}

class ConstantEvaluation {
  readonly #cursor: TokenCursor;
  readonly #lookup: ConstantLookup;

  constructor(cursor: TokenCursor, lookup: ConstantLookup) {
    this.#cursor = cursor;
    this.#lookup = lookup;
  }

  binary(level: number, depth: number): Constant {
    const cursor = this.#cursor;
    const signs = operators[level];
    if (signs === undefined) return this.#unary(depth);
    let left = this.binary(level + 1, depth);
    for (;;) {
      const sign = signs.find((one) => cursor.is(one));
      if (sign === undefined) return left;
      const { line } = cursor.token;
      cursor.at++;
      if (sign === ">") cursor.expect(">");
      left = combined(left, sign, this.binary(level + 1, depth), line);
    }
  }

  #unary(depth: number): Constant {
    const cursor = this.#cursor;
    const { line } = cursor.token;
    if (depth > maxDepth) throw new NotUnderstood(line, "has a constant that nests too deeply");
    if (cursor.took("-")) return -whole(this.#unary(depth + 1), line);
    if (cursor.took("+")) return this.#unary(depth + 1);
    if (cursor.took("~")) return ~whole(this.#unary(depth + 1), line);
    if (cursor.took("!")) return this.#unary(depth + 1) !== true;
    if (cursor.is("(")) {
      if (this.#isCast()) {
        cursor.skipBrackets();
        return this.#unary(depth + 1);
      }
      cursor.at++;
      const inner = this.binary(0, depth + 1);
      cursor.expect(")");
      return inner;
    }
    return this.#primary();
  }

  /** Whether brackets hold only the name of a type, and a value follows. */
  #isCast(): boolean {
    const cursor = this.#cursor;
    const end = cursor.closing();
    for (let at = cursor.at + 1; at < end; at++) {
      const { kind, text } = cursor.ahead(at - cursor.at);
      if (kind !== "name" && text !== "." && text !== "::") return false;
    }
    const next = cursor.ahead(end + 1 - cursor.at);
    return (next.kind !== "mark" && next.kind !== "end") || next.text === "(" || next.text === "~" || next.text === "-";
  }

  #primary(): Constant {
    const cursor = this.#cursor;
    const { kind, text, value, line, isEscaped } = cursor.token;
    switch (kind) {
      case "text":
      case "character":
        if (value === undefined) throw new NotUnderstood(line, "has an interpolated string where a constant is needed");
        cursor.at++;
        return kind === "text" ? value : BigInt(value.charCodeAt(0));
      case "number": {
        const digits = /^(?:0[xX][\dA-Fa-f_]+|0[bB][01_]+|\d[\d_]*)(?=[uUlL]*$)/.exec(text)?.[0];
        if (digits === undefined || digits.length > 100)
          throw new NotUnderstood(line, "has a number that is not whole where a constant is needed");
        cursor.at++;
        return BigInt(digits.replaceAll("_", ""));
      }
      case "name": {
        if (isEscaped !== true) {
          if (text === "true" || text === "false") {
            cursor.at++;
            return text === "true";
          }
          if (text === "null" || text === "default") {
            cursor.at++;
            return null;
          }
          if (text === "typeof" || text === "nameof") return this.#operator(text);
        }
        return this.#named(line);
      }
      default:
        throw cursor.unexpected("a constant");
    }
  }

  #operator(word: string): Constant {
    const cursor = this.#cursor;
    cursor.at++;
    cursor.expect("(");
    const type = parseType(cursor);
    cursor.expect(")");
    if (word === "typeof") return { type };
    return (type.kind === "name" ? type.parts.at(-1)?.name : undefined) ?? "";
  }

  #named(line: number): Constant {
    const cursor = this.#cursor;
    const names = [cursor.name()];
    while (cursor.took(".") || cursor.took("::")) names.push(cursor.name());
    const found = this.#lookup(names);
    if (found === undefined)
      throw new NotUnderstood(line, `names the constant ${names.join(".")}, which is not in these sources`);
    return found;
  }
}

function combined(left: Constant, sign: string, right: Constant, line: number): Constant {
  if (sign === "+" && (typeof left === "string" || typeof right === "string")) {
    if (typeof left === "object" || typeof right === "object") throw new NotUnderstood(line, "adds a type to a text");
    return `${left}${right}`;
  }
  const a = whole(left, line);
  const b = whole(right, line);
  switch (sign) {
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "&":
      return a & b;
    case "<<":
      return a << (b % maxShift);
    case ">":
      return a >> (b % maxShift);
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    default:
      if (b === 0n) throw new NotUnderstood(line, "divides by zero");
      return sign === "/" ? a / b : a % b;
  }
}

function whole(value: Constant, line: number): bigint {
  if (typeof value !== "bigint") throw new NotUnderstood(line, "calculates with what is not a whole number");
  return value;
}
