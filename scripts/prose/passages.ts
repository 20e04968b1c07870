/** A stretch of prose, with the place where it begins. */
export interface Passage {
  readonly file: string;
  readonly line: number;
  /** In one line, without the marks of the comment. */
  readonly text: string;
}

/** The comments of a TypeScript source; lines of `//` that follow each other are one, and tags of a docstring are apart. */
export function commentsOf(file: string, source: string): readonly Passage[] {
  const comments = source.matchAll(/\/\*\*?([^]*?)\*\/|(?<=^|\s)\/\/ ?(.*(?:\n\s*\/\/.*)*)/gm);
  return Array.from(comments).flatMap((match) => {
    const line = lineAt(source, match.index);
    return (match[1] ?? match[2] ?? "")
      .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, "")
      .replaceAll(/```[^]*?```/g, "")
      .split(/^\s*(?=@|\n)/m)
      .map((part) => ({ file, line, text: oneLine(part.replace(/^@\w+(?: \{[^}]*\})?(?: \w+ -)?/, "")) }))
      .filter(({ text }) => text !== "");
  });
}

/** Texts between quotes that are sentences: at least three words. */
export function messagesOf(file: string, source: string): readonly Passage[] {
  const code = source.replaceAll(/^\s*(?:\/\*[^]*?\*\/|\/\/.*)$/gm, (comment) => comment.replaceAll(/[^\n]/g, " "));
  return Array.from(code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g), (match) => ({
    file,
    line: lineAt(code, match.index),
    text: oneLine(match[1] ?? match[2] ?? ""),
  })).filter(({ text }) => /\w \w+ \w/.test(text));
}

/** The names of tests and of groups of them; a case of `it.each` counts by its template. */
export function testNamesOf(file: string, source: string): readonly Passage[] {
  const calls = source.matchAll(
    /\b(?:it|test|describe)(?:\.(?:concurrent|sequential|skip|only|skipIf|runIf|for|each)\b)*\b[^"`\n]*?\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g,
  );
  const tables = source.matchAll(/^ {2}\]\)\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gm);
  return [...calls, ...tables].map((match) => ({
    file,
    line: lineAt(source, match.index),
    text: oneLine(match[1] ?? match[2] ?? ""),
  }));
}

/** The paragraphs, table cells and list items of a Markdown page, without its code. */
export function paragraphsOf(file: string, page: string): readonly Passage[] {
  const prose = page.replaceAll(/^```[^]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ""));
  let line = 1;
  return prose.split("\n\n").flatMap((paragraph) => {
    const first = line;
    line += paragraph.split("\n").length + 1;
    return paragraph
      .split(/\n(?=- )|\n(?=\|)| \| |^\| | \|$/m)
      .map((text) => ({ file, line: first, text: oneLine(text.replace(/^(?:- |#+ |\*\*)/, "")) }))
      .filter(({ text }) => text !== "");
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
