import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** How the paths of joined files begin; they are all in one folder with the parts. */
export const joinedFiles = "parts/joined-";

const importing = /\b(import|export)\{([^}]*)\}from"([^"]+)"/g;

/**
 * Joins, in one file at `out`, those parts that the file `start` needs and that need nothing but each other, or what was
 * joined before: reading dozens of small files is most of the time that a program takes to start. They hold declarations
 * alone, so that users' bundles still leave out what they do not use.
 */
export async function joinFiles(
  files: ReadonlyMap<string, string>,
  start: string,
  out: string,
): Promise<ReadonlyMap<string, string>> {
  const isPart = partsOf(files);
  const joined = reached(files, start).filter((file) => isPart(file) && !file.startsWith(joinedFiles));
  if (joined.length < 2) return files;
  /** The names of exports in the joined file, by file and name. */
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const exporting = joined.map((file) => {
    const exported = /export\{([^}]*)\}/.exec(files.get(file) ?? "")?.[1]?.split(",") ?? [];
    const list = exported.map((entry) => {
      const name = entry.replace(/.* as /, "");
      const unique = taken.has(name) ? `${name}$${taken.size}` : name;
      taken.add(unique);
      names.set(`${file}:${name}`, unique);
      return renamed(name, unique);
    });
    return `export{${list.join()}}from"./${file}";`;
  });
  const { outputFiles } = await build({
    stdin: { contents: exporting.join("\n") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "es2023",
    charset: "utf8",
    minifyWhitespace: true,
    plugins: [
      {
        name: "files in memory",
        setup(bundler) {
          bundler.onResolve({ filter: /^\./ }, ({ path, importer }) => {
            const file = join(dirname(importer), path);
            return joined.includes(file) ? { path: file, namespace: "files" } : { path, external: true };
          });
          bundler.onLoad({ filter: /./, namespace: "files" }, ({ path }) => ({ contents: files.get(path) ?? "" }));
        },
      },
    ],
  });
  const rest = new Map([[out, outputFiles[0]?.text ?? ""]]);
  for (const [file, text] of files) {
    if (joined.includes(file)) continue;
    const linked = text.replaceAll(importing, (statement, verb: string, list: string, path: string) => {
      const from = join(dirname(file), path);
      if (!joined.includes(from)) return statement;
      const renames = list.split(",").map((name) => {
        const [imported = "", local = imported] = name.split(" as ");
        return renamed(names.get(`${from}:${imported}`) ?? imported, local);
      });
      const to = relative(dirname(file), out);
      return `${verb}{${renames.join()}}from"${to.startsWith(".") ? to : `./${to}`}"`;
    });
    rest.set(file, linked);
  }
  return rest;
}

const renamed = (name: string, to: string): string => (name === to ? name : `${name} as ${to}`);

/** The files that a file imports, and packages and modules of Node by their names. */
function importsOf(file: string, text: string): readonly string[] {
  const paths = Array.from(text.matchAll(/\bfrom"([^"]+)"/g), ([, path = ""]) => path);
  return paths.map((path) => (path.startsWith(".") ? join(dirname(file), path) : path));
}

function reached(files: ReadonlyMap<string, string>, start: string): readonly string[] {
  const found = new Set([start]);
  // A walk through a set reaches what is added on the way.
  for (const file of found) for (const path of importsOf(file, files.get(file) ?? "")) found.add(path);
  return [...found];
}

/** Whether a file is a part that needs only such parts, so that joining them makes no circle. */
function partsOf(files: ReadonlyMap<string, string>): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const isPart = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const text = files.get(file);
    const is = text !== undefined && /^parts\/(?:chunk|joined)-/.test(file) && importsOf(file, text).every(isPart);
    known.set(file, is);
    return is;
  };
  return isPart;
}
