import type { DecodeLimits } from "../../src/core/codec/limits.ts";

/** Where a text stops being JSON (RFC 8259) within the limits, and in what way. */
export interface JsonFault {
  readonly kind: "broken" | "truncated" | "trailing" | "maxDepth" | "maxItems";
  /** Index into the text, in UTF-16 units. */
  readonly index: number;
}

const space = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const cutScalar = /(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|[-+.\deE]+)$/y;
const unescaped = /[ !#-[\]-\uffff]*/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const cutEscape = /\\(?:u[\da-fA-F]{0,3})?$/y;

/**
 * Finds the first place at which a text breaks the grammar or goes beyond the limits of depth and items (list elements
 * and map entries), or `undefined`.
 *
 * JSON.parse gives no position in most of its messages, and quotes the text in them. It has read what is right; the reader of
 * .NET's JSON, codecs/dotnet/json/read-json.ts, keeps what JSON.parse loses: numbers as written, repeated names, byte offsets.
 */
export function findFault(text: string, { maxDepth, maxItems }: DecodeLimits): JsonFault | undefined {
  const closers: string[] = [];
  let items = 0;
  let at = past(space, text, 0);
  for (;;) {
    const closer = text[at] === "{" ? "}" : text[at] === "[" ? "]" : undefined;
    if (closer !== undefined && closers.push(closer) > maxDepth) return { kind: "maxDepth", index: at };
    at = past(space, text, closer === undefined ? scalarEnd(text, at) : at + 1);
    if (at < 0) return fault(text, ~at);
    if (closer === undefined || text[at] === closer) {
      while (closers.length > 0 && text[at] === closers.at(-1)) {
        closers.pop();
        at = past(space, text, at + 1);
      }
      if (closers.length === 0) return at === text.length ? undefined : { kind: "trailing", index: at };
      if (text[at] !== ",") return fault(text, at);
      at = past(space, text, at + 1);
    }
    if (++items > maxItems) return { kind: "maxItems", index: at };
    if (closers.at(-1) === "}") at = nameEnd(text, at);
    if (at < 0) return fault(text, ~at);
  }
}

function fault(text: string, index: number): JsonFault {
  return { kind: index === text.length ? "truncated" : "broken", index };
}

// These give the index after a token, or the complement of the index that breaks it, and pass complements on.
function past(pattern: RegExp, text: string, from: number): number {
  if (from < 0) return from;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Behind the colon. */
function nameEnd(text: string, from: number): number {
  const colon = past(space, text, text[from] === '"' ? stringEnd(text, from) : ~from);
  if (colon < 0) return colon;
  return text[colon] === ":" ? past(space, text, colon + 1) : ~colon;
}

function scalarEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from);
  const end = past(scalar, text, from);
  if (end < text.length && past(cutScalar, text, from) > from) return ~text.length;
  return end === from ? ~from : end;
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const end = past(unescaped, text, at);
    if (text[end] === '"') return end + 1;
    at = past(escape, text, end);
    if (at > end) continue;
    return end === text.length || past(cutEscape, text, end) > end ? ~text.length : ~end;
  }
}
