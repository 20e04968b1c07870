import { displayWidth } from "./display.ts";
import type { Terminal } from "./terminal.ts";

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
