import type { Terminal } from "./terminal.ts";

export { oneLine, visibleJson } from "../core/values/visible-text.ts";

let segmenter: Intl.Segmenter | undefined;
// oxlint-disable-next-line no-control-regex -- ASCII is the fast path
const ascii = /^[\u0020-\u007e]*$/;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** East Asian Wide and Fullwidth (Unicode Standard Annex 11), as far as letters and symbols of everyday use go. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Creating a segmenter takes a good part of the start-up time, and most text is ASCII. */
const graphemesOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);

/** The number of columns that text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0;
  return emoji.test(grapheme) || wide.test(grapheme) ? 2 : 1;
}

/** The text, cut to at most `width` columns with "…" at the end. */
export function fit(text: string, width: number): string {
  // Every visible grapheme takes a column, so text beyond that need not be examined.
  if (text.length <= width && displayWidth(text) <= width) return text;
  let fitting = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const columns = graphemeWidth(segment);
    if (used + columns > width) break;
    used += columns;
    fitting += segment;
  }
  if (fitting === text) return text;
  return width < 1 ? "" : `${shorten(fitting, used, width - 1)}…`;
}

/** `text` shortened by whole graphemes to at most `width` columns. */
function shorten(text: string, columns: number, width: number): string {
  const graphemes = Array.from(graphemesOf(text), ({ segment }) => segment);
  for (let used = columns; used > width; used -= graphemeWidth(graphemes.pop() ?? ""))
    if (graphemes.length === 0) break;
  return graphemes.join("");
}

/** A number of things, e.g. `1 message` or `1,200 messages`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A sentence for a terminal, in lines that fit, each with its end. */
export function wrapped(text: string, { columns }: Pick<Terminal, "columns">): string {
  return `${wrapText(text, columns).join("\n")}\n`;
}

/** Wraps text between words into lines of at most `width` columns; a longer word is split. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => pieces(one, width))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A word in pieces that each fit. */
function pieces(word: string, width: number): readonly string[] {
  if (displayWidth(word) <= width) return [word];
  const all: string[] = [];
  let piece = "";
  for (const character of word) {
    if (displayWidth(piece + character) > width) {
      all.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...all, piece];
}

/**
 * The name of a type without namespaces, packages and assemblies: `Order` for `{urn:orders}Order`, `List<Line>` for
 * ``System.Collections.Generic.List`1[[Acme.Line, Acme, Version=1.0.0.0]]``.
 */
export function shortTypeName(name: string): string {
  return name
    .replace(/^\{[^}]*\}/, "")
    .replaceAll(/`\d+(?=\[)/g, "")
    .replaceAll(/, [^,[\]]+, Version=[^\]]*?, PublicKeyToken=\w+/g, "")
    .replaceAll(/\[\[?([^[\]]+)\]?\]/g, "<$1>")
    .replaceAll(/(?:[\w$]+\.)+(?=\w)/g, "");
}
