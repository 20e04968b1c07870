/** Characters that a terminal would interpret or hide: C0 and C1 controls, separators of lines, bidirectional and invisible characters. */
// oxlint-disable-next-line no-control-regex -- these are exactly the characters to find
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
// oxlint-disable-next-line no-misleading-character-class -- the same without the controls that JSON escapes by itself
const unprintableInJson = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

const shortEscapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Text on one line, without anything that a terminal would interpret or a page would hide. */
export function oneLine(text: string): string {
  return text.replaceAll(unprintable, (character) => shortEscapes.get(character) ?? escape(character));
}

/** The JSON text of a value with its invisible characters as escapes; `indent` is the width of a step, or none for one line. */
export function visibleJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? "").replaceAll(unprintableInJson, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
