/** Where a text stops being JSON (RFC 8259), and in what way. */
export interface SyntaxFault {
  readonly kind: "broken" | "truncated" | "trailing";
  /** Index into the text, in UTF-16 units. */
  readonly index: number;
}

const space = /[ \t\n\r]*/y;
const numberLike = /[-+.\deE]+/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const cutEscape = /\\(?:u[\da-fA-F]{0,3})?$/y;
const literals = ["true", "false", "null"];

/**
 * Finds the first character that breaks the grammar, or `undefined` when the text is JSON.
 *
 * JSON.parse gives no position in most of its messages, and quotes the text in them.
 */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const closers: string[] = [];
  let at = past(space, text, 0);
  for (;;) {
    if (text[at] === "{" || text[at] === "[") {
      const closer = text[at] === "{" ? "}" : "]";
      at = past(space, text, at + 1);
      closers.push(closer);
      if (text[at] !== closer) {
        at = closer === "}" ? key(text, at) : at;
        if (at < 0) return fault(text, ~at);
        continue;
      }
    } else {
      at = scalar(text, at);
      if (at < 0) return fault(text, ~at);
      at = past(space, text, at);
    }
    while (closers.length > 0 && text[at] === closers.at(-1)) {
      closers.pop();
      at = past(space, text, at + 1);
    }
    if (closers.length === 0) return at === text.length ? undefined : { kind: "trailing", index: at };
    if (text[at] !== ",") return fault(text, at);
    at = past(space, text, at + 1);
    if (closers.at(-1) === "}") at = key(text, at);
    if (at < 0) return fault(text, ~at);
  }
}

function fault(text: string, index: number): SyntaxFault {
  return { kind: index >= text.length ? "truncated" : "broken", index };
}

function past(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

// These read one token and give the index behind it, or the complement of the index that breaks it.
function key(text: string, from: number): number {
  const end = text[from] === '"' ? string(text, from) : ~from;
  if (end < 0) return end;
  const colon = past(space, text, end);
  return text[colon] === ":" ? past(space, text, colon + 1) : ~colon;
}

function scalar(text: string, from: number): number {
  if (text[from] === '"') return string(text, from);
  for (const literal of literals) {
    if (text.startsWith(literal, from)) return from + literal.length;
    if (literal.startsWith(text.slice(from, from + literal.length))) return ~text.length;
  }
  const whole = past(number, text, from);
  const alike = past(numberLike, text, from);
  if (whole === alike) return whole === from ? ~from : whole;
  return alike === text.length ? ~alike : ~whole;
}

function string(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return ~at;
    if (unit !== 0x5c) continue;
    const end = past(escape, text, at);
    if (end === at) return past(cutEscape, text, at) === at ? ~at : ~text.length;
    at = end - 1;
  }
  return ~text.length;
}
