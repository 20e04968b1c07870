import { NotUnderstood } from "./source-problem.ts";

/** A string or character literal: its end, and its value unless it is interpolated. */
export interface Literal {
  readonly end: number;
  readonly value: string | undefined;
}

/** Deeper strings inside interpolations are refused. */
const maxNesting = 16;

/**
 * The string literal that starts at an index: regular, verbatim, raw or interpolated; `undefined` if none does.
 *
 * @throws NotUnderstood for one that does not end.
 */
export function stringAt(text: string, at: number, line: number, depth: number = 0): Literal | undefined {
  let start = at;
  let dollars = 0;
  let verbatim = false;
  for (; text[start] === "$" || text[start] === "@"; start++) {
    if (text[start] === "$") dollars++;
    else verbatim = true;
  }
  if (text[start] !== '"') return undefined;
  if (depth > maxNesting) throw new NotUnderstood(line, "nests strings too deeply");
  let quotes = 0;
  while (text[start + quotes] === '"') quotes++;
  if (quotes >= 3 && !verbatim) return rawString(text, start, { quotes, line, isConstant: dollars === 0 });
  if (dollars > 0) return { end: interpolatedEnd(text, start + 1, { verbatim, line, depth }), value: undefined };
  return verbatim ? verbatimString(text, start + 1, line) : regularString(text, start + 1, line);
}

/** The character literal at an index. @throws NotUnderstood */
export function characterAt(text: string, at: number, line: number): Literal {
  const { end, value } = escaped(text, at + 1, "'", line);
  if (value?.length !== 1) throw new NotUnderstood(line, "has a character literal that is not one character");
  return { end, value };
}

function regularString(text: string, from: number, line: number): Literal {
  return escaped(text, from, '"', line);
}

function escaped(text: string, from: number, quote: string, line: number): Literal {
  let at = from;
  while (text[at] !== quote) {
    if (at >= text.length || text[at] === "\n") throw new NotUnderstood(line, "has a string that does not end");
    at += text[at] === "\\" ? 2 : 1;
  }
  const raw = text.slice(from, at);
  return { end: at + 1, value: raw.includes("\\") ? raw.replaceAll(escapes, unescaped) : raw };
}

const escapes = /\\(?:x([0-9A-Fa-f]{1,4})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([^]))/g;
const named: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\u{7}",
  b: "\b",
  e: "\u{1b}",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function unescaped(_whole: string, x?: string, u?: string, long?: string, other?: string): string {
  const hex = x ?? u ?? long;
  if (hex === undefined) return named[other ?? ""] ?? other ?? "";
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ffff ? "\u{fffd}" : String.fromCodePoint(code);
}

function verbatimString(text: string, from: number, line: number): Literal {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) throw new NotUnderstood(line, "has a string that does not end");
    if (text[at + 1] !== '"') break;
    at += 2;
  }
  return { end: at + 1, value: text.slice(from, at).replaceAll('""', '"') };
}

function rawString(
  text: string,
  start: number,
  { quotes, line, isConstant }: { readonly quotes: number; readonly line: number; readonly isConstant: boolean },
): Literal {
  const from = start + quotes;
  let end = text.indexOf('"'.repeat(quotes), from);
  if (end === -1) throw new NotUnderstood(line, "has a string that does not end");
  // Quotes before the last ones are contents.
  while (text[end + quotes] === '"') end++;
  const inner = text.slice(from, end);
  return { end: end + quotes, value: isConstant ? unindented(inner) : undefined };
}

/** Without the first and last line break and the indentation of the last line. */
function unindented(inner: string): string {
  const lines = inner.split(/\r?\n/);
  const margin = lines.at(-1) ?? "";
  if (lines.length === 1) return inner;
  return lines
    .slice(1, -1)
    .map((one) => (one.startsWith(margin) ? one.slice(margin.length) : one))
    .join("\n");
}

function interpolatedEnd(
  text: string,
  from: number,
  { verbatim, line, depth }: { readonly verbatim: boolean; readonly line: number; readonly depth: number },
): number {
  let holes = 0;
  let at = from;
  while (at < text.length) {
    const unit = text[at];
    if (holes > 0) {
      const inner = stringAt(text, at, line, depth + 1);
      if (inner !== undefined) at = inner.end;
      else {
        if (unit === "{") holes++;
        if (unit === "}") holes--;
        at++;
      }
    } else if (unit === '"') {
      if (!verbatim || text[at + 1] !== '"') return at + 1;
      at += 2;
    } else if (unit === "{") {
      if (text[at + 1] === "{") at++;
      else holes++;
      at++;
    } else at += unit === "\\" && !verbatim ? 2 : 1;
  }
  throw new NotUnderstood(line, "has a string that does not end");
}
