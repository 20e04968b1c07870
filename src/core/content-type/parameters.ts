import { isTokenValid } from "content-type";

/** One `name=value` of a content type, as written. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Unquoted values: the tokens of RFC 2045 section 5.1, that is visible ASCII without its tspecials.
 *
 * The grammar is one of 7-bit text and says nothing about 0x80 to 0xff; those are kept, as RFC 9110 section 5.6.4 does.
 */
const unquoted = /^[!#$%&'*+\-.0-9A-Z^_`a-z{|}~\x80-\xff]+$/;

/** The characters of a quoted string: RFC 822 section 3.3 without line breaks, and the same octets from 0x80. */
const quotable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether `value` fits between quotes. */
export function isQuotable(value: string): boolean {
  return quotable.test(value);
}

/** Reads `;name=value` pairs from `start` (a semicolon) to the end of `text`; empty pairs are nothing. */
export function scanParameters(
  text: string,
  start: number,
): { readonly parameters: readonly Parameter[]; readonly skipped: readonly number[] } {
  const parameters: Parameter[] = [];
  const skipped: number[] = [];
  const seen = new Set<string>();
  let at = start;
  while (at < text.length) {
    const begin = skipBlanks(text, at + 1);
    if (isEnd(text, begin)) {
      at = begin;
      continue;
    }
    const { name, value, end } = scanOne(text, begin);
    at = end;
    if (value === undefined) skipped.push(begin);
    else if (!seen.has(name.toLowerCase())) {
      seen.add(name.toLowerCase());
      parameters.push({ name, value });
    }
  }
  return { parameters, skipped };
}

interface Scanned {
  readonly name: string;
  /** `undefined` when the parameter breaks the grammar. */
  readonly value: string | undefined;
  /** Where the next semicolon or the end of the text is. */
  readonly end: number;
}

function scanOne(text: string, begin: number): Scanned {
  const nameEnd = wordEnd(text, begin, "=");
  const name = text.slice(begin, nameEnd);
  // RFC 822 section 3.1.4 allows white space and comments around every token, so also around "=".
  const equals = skipBlanks(text, nameEnd);
  if (text[equals] !== "=") return broken(text, equals);
  const from = skipBlanks(text, equals + 1);
  const { value, end } = text[from] === '"' ? scanQuoted(text, from + 1) : scanUnquoted(text, from);
  const next = skipBlanks(text, end);
  if (value === undefined || !isTokenValid(name) || !isEnd(text, next)) return broken(text, next);
  return { name, value, end: next };
}

type Value = Omit<Scanned, "name">;

function scanUnquoted(text: string, begin: number): Value {
  const end = wordEnd(text, begin, "");
  const value = text.slice(begin, end);
  return { value: unquoted.test(value) ? value : undefined, end };
}

function scanQuoted(text: string, begin: number): Value {
  let value = "";
  let at = begin;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\") at++;
    value += text[at] ?? "";
  }
  const closed = at < text.length;
  return { value: closed && quotable.test(value) ? value : undefined, end: Math.min(at + 1, text.length) };
}

function broken(text: string, from: number): Scanned {
  const semicolon = text.indexOf(";", from);
  return { name: "", value: undefined, end: semicolon === -1 ? text.length : semicolon };
}

/** Where the word that begins at `begin` ends: before a blank, a comment, a semicolon or `stop`. */
export function wordEnd(text: string, begin: number, stop: string): number {
  let at = begin;
  while (at < text.length && !isBlank(text[at]) && text[at] !== ";" && text[at] !== "(" && text[at] !== stop) at++;
  return at;
}

/**
 * Skips white space and comments (RFC 822 section 3.4.3: they nest, and a backslash quotes).
 *
 * A comment that does not end is not a comment: the position of its parenthesis is returned.
 */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (isBlank(text[at])) at++;
    const end = text[at] === "(" ? commentEnd(text, at) : undefined;
    if (end === undefined) return at;
    at = end;
  }
}

function commentEnd(text: string, begin: number): number | undefined {
  let depth = 0;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === ";";
}
