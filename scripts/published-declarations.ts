import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A comment of a declaration or of its members, with the white space after it. */
const comment = /\/\*\*[^]*?\*\/\s*/g;

/** Where a statement of a module begins: with its comment, if it has one. */
const statement = /^(?=\/\*\*|(?:export|declare|import|interface|type|class|function|const) )/m;

/**
 * The declarations that entries lead to, by their paths.
 *
 * Comments stay with the names that entries export, and their members: nobody else is shown them. Without the other
 * comments, and without layout, the package is a twentieth smaller.
 */
export function publishedDeclarations(compiled: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const texts = reachedFrom(compiled, entries);
  const published = publishedNames(texts, entries);
  return new Map(
    Array.from(texts, ([file, text]) => {
      const names = published.get(file) ?? new Set();
      const kept = entries.includes(file) ? text : withCommentsOf(names, text);
      return [file, kept.replaceAll(/^ +/gm, "")];
    }),
  );
}

function reachedFrom(compiled: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const reached = new Map<string, string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    const text = readFileSync(join(compiled, file), "utf8");
    reached.set(file, text);
    for (const [, target = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g))
      waiting.push(join(dirname(file), `${target}.d.ts`));
  }
  return reached;
}

/** The names of each module that entries export, which list them one by one. */
function publishedNames(
  texts: ReadonlyMap<string, string>,
  entries: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const published = new Map<string, Set<string>>();
  for (const entry of entries)
    for (const [, list = "", target = ""] of (texts.get(entry) ?? "").matchAll(
      /export (?:type )?\{([^}]*)\} from "(\.[^"]+)\.[jt]s"/g,
    )) {
      const file = join(dirname(entry), `${target}.d.ts`);
      const names = published.get(file) ?? new Set();
      for (const item of list.split(",")) names.add(/^(?:type )?(\w*)/.exec(item.trim())?.[1] ?? "");
      published.set(file, names);
    }
  return published;
}

/** The text of a module without the comments of statements that declare other names. */
function withCommentsOf(names: ReadonlySet<string>, text: string): string {
  const parts = text.split(statement);
  return parts
    .map((part, index) => {
      // A comment and its statement are split from each other.
      const declaring = part.startsWith("/**") ? (parts[index + 1] ?? "") : part;
      const name = /\b(?:class|interface|type|function|const) (\w+)/.exec(declaring)?.[1];
      return name === undefined || names.has(name) ? part : part.replaceAll(comment, "");
    })
    .join("");
}
