import { SobreError } from "../../../core/errors/sobre-error.ts";

/** A word, constant or symbol of a SQL expression, and its offset. */
export type SqlToken = { readonly offset: number } & (
  | { readonly kind: "name"; readonly text: string; readonly delimited: boolean }
  | { readonly kind: "keyword" | "sign" | "parameter"; readonly text: string }
  | { readonly kind: "constant"; readonly value: string | bigint | number }
  | { readonly kind: "end" }
);

/** Maximum length of an expression in characters. */
const maxLength = 1024;

const keywords: ReadonlySet<string> = new Set([
  "and",
  "or",
  "not",
  "is",
  "null",
  "in",
  "like",
  "escape",
  "exists",
  "true",
  "false",
  "set",
  "remove",
]);

/**
 * One token at a time, anchored; except for numbers, no two alternatives start with the same character. Names consist of
 * letters and digits of any script, as documented for regular identifiers.
 */
const token =
  /\s*(?:([\p{L}_][\p{L}\p{Nd}_]*)|\[((?:[^\]]|\]\])*)\]|"((?:[^"]|"")*)"|'((?:[^']|'')*)'|@([\p{L}_][\p{L}\p{Nd}_]*)|(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(<>|!=|<=|>=|[=<>+\-*/%(),.;]))/uy;

const whole = /^\d+$/;
const ascii = /^[A-Za-z]+$/;
const maxLong = 2n ** 63n - 1n;

/**
 * Splits an expression into tokens, with an `end` after the last.
 *
 * @throws SobreError `InvalidArgument` with the offset, for unknown symbols and texts of more than 1,024 characters.
 */
export function tokenize(text: string): readonly SqlToken[] {
  if (typeof text !== "string" || text.length > maxLength)
    throw syntaxError(`A SQL expression must be a string of at most ${maxLength} characters`, maxLength);
  const tokens: SqlToken[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const offset = token.lastIndex + (/\S/.exec(text.slice(token.lastIndex))?.index ?? 0);
    const match = token.exec(text);
    if (match !== null) tokens.push(read(match, offset));
    else if (text.slice(offset).trim() === "") break;
    else throw syntaxError("The SQL expression has an invalid character or an unterminated quote", offset);
  }
  tokens.push({ kind: "end", offset: text.length });
  return tokens;
}

function read(match: RegExpExecArray, offset: number): SqlToken {
  const [, word, bracketed, quoted, text, parameter, number, sign = ""] = match;
  if (word !== undefined) {
    const lower = word.toLowerCase();
    // The lower case of the Kelvin sign is a k.
    return keywords.has(lower) && ascii.test(word)
      ? { kind: "keyword", text: lower, offset }
      : { kind: "name", text: word, delimited: false, offset };
  }
  if (bracketed !== undefined) return name(bracketed.replaceAll("]]", "]"), offset);
  if (quoted !== undefined) return name(quoted.replaceAll('""', '"'), offset);
  if (text !== undefined) return { kind: "constant", value: text.replaceAll("''", "'"), offset };
  if (parameter !== undefined) return { kind: "parameter", text: parameter.toLowerCase(), offset };
  if (number === undefined) return { kind: "sign", text: sign, offset };
  if (!whole.test(number)) return { kind: "constant", value: Number(number), offset };
  const value = BigInt(number);
  if (value > maxLong) throw syntaxError("An integer constant is larger than 64 bits", offset);
  return { kind: "constant", value, offset };
}

function name(text: string, offset: number): SqlToken {
  if (text === "") throw syntaxError("A property name is empty", offset);
  return { kind: "name", text, delimited: true, offset };
}

/** A syntax error in an expression. */
export const syntaxError = (what: string, offset: number): SobreError =>
  new SobreError("InvalidArgument", `${what}, at offset ${offset}. See the Service Bus SQL filter syntax.`, { offset });
