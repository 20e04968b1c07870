import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** One file that names another, or a package. */
export interface Import {
  readonly from: string;
  /** A path from the root of the repository, or the name of a package. */
  readonly to: string;
}

/** Every source file, as a path from the root of the repository. */
export const sources: readonly string[] = globSync(["src/**/*.{ts,tsx}", "codecs/**/*.ts"], { cwd: root }).toSorted();

/** Every import of a source file: of values and of types, exports from other files, and what is imported later. */
export const imports: readonly Import[] = sources.flatMap((from) =>
  Array.from(
    withoutComments(readFileSync(join(root, from), "utf8")).matchAll(/\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g),
    ([, to = ""]) => ({ from, to: to.startsWith(".") ? relative(root, join(root, dirname(from), to)) : to }),
  ),
);

/** Examples in comments import what they show. */
function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\*\*?[^]*?\*\/|\/\/.*)$/gm, "");
}
