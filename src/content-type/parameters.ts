import { isTokenValid } from "content-type";
import type { Parameter } from "./content-type.ts";

const quotable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Reads `;name=value` pairs from `start` (a semicolon) to the end of `text`. */
export function scanParameters(
  text: string,
  start: number,
): { readonly parameters: readonly Parameter[]; readonly skipped: readonly number[] } {
  const parameters: Parameter[] = [];
  const skipped: number[] = [];
  const seen = new Set<string>();
  let at = start;
  while (at < text.length) {
    const begin = at + 1;
    const { name, value, end } = scanOne(text, begin);
    at = end;
    if (name === "" && value === undefined) continue;
    if (value === undefined || !isTokenValid(name) || !quotable.test(value)) skipped.push(begin);
    else if (!seen.has(name.toLowerCase())) {
      seen.add(name.toLowerCase());
      parameters.push({ name, value });
    }
  }
  return { parameters, skipped };
}

interface Scanned {
  readonly name: string;
  readonly value: string | undefined;
  /** Where the next semicolon or the end of the text is. */
  readonly end: number;
}

function scanOne(text: string, begin: number): Scanned {
  let at = begin;
  while (at < text.length && text[at] !== ";" && text[at] !== "=") at++;
  // RFC 822 section 3.1.4 lets white space stand around every token, so also around "=".
  const name = text.slice(begin, at).trim();
  if (text[at] !== "=") return { name, value: undefined, end: at };
  at = skipSpace(text, at + 1);
  if (text[at] === '"') return { name, ...scanQuoted(text, at + 1) };
  const end = nextSemicolon(text, at);
  // RFC 2045 section 5.1 shows a comment behind the value: charset=us-ascii (Plain text).
  const value = text
    .slice(at, end)
    .replace(/\s\(.*\)\s*$/, "")
    .trim();
  return { name, value: value === "" ? undefined : value, end };
}

function scanQuoted(text: string, begin: number): { readonly value: string; readonly end: number } {
  let value = "";
  let at = begin;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    value += text[at];
  }
  return { value, end: nextSemicolon(text, at) };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

function nextSemicolon(text: string, from: number): number {
  const at = text.indexOf(";", from);
  return at === -1 ? text.length : at;
}
