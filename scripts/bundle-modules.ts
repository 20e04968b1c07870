import { readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build, type Plugin, transform } from "esbuild";
import { joinedFiles, joinFiles } from "./join-files.ts";
import { withPureCalls } from "./pure-calls.ts";

/** Modules are named by their paths below {@link Bundling.compiled}. */
export interface Bundling {
  /** The folder of the compiled modules. */
  readonly compiled: string;
  /** The modules that people import. */
  readonly doors: readonly string[];
  /** `start` is the file that people run, which loads `out`. */
  readonly command: { readonly in: string; readonly out: string; readonly start: string };
  /** Threads run these; the modules that start them look for them in their own folder. */
  readonly workers: readonly string[];
  /** Modules that stay files of their own at their own paths, since bundlers swap them. */
  readonly apart: readonly string[];
  /** Modules that should load quickly: the parts of the first are joined, then the further parts of the next, and so on. */
  readonly quick: readonly string[];
  /** The classes that keep their names. */
  readonly namedClasses: ReadonlySet<string>;
}

/** In the place of the path to a module {@link Bundling.apart}, until the files are known that import it. */
const mark = "apart:";

/**
 * Makes a few files of the modules, which the library and the command share; finding hundreds of modules would be most of
 * the time that a command takes to start. Modules come together only where the same exports need them, so that users'
 * bundles leave out what they would leave out of single modules. Gives the text of each file by its path.
 */
export async function bundleModules(bundling: Bundling): Promise<ReadonlyMap<string, string>> {
  const { compiled, doors, command, workers, apart } = bundling;
  const entries = [
    command,
    ...[...doors, ...apart].map((module) => ({ in: module, out: module })),
    ...workers.map((module) => ({ in: module, out: `parts/${basename(module)}` })),
  ];
  const exporting = new Set(doors.flatMap((door) => importsOf(compiled, door)));
  const splitting = [...exporting].filter((module) => ![...doors, ...apart].includes(module));
  const { outputFiles, metafile } = await build({
    absWorkingDir: compiled,
    entryPoints: [...entries, ...splitting.map((module) => ({ in: module, out: `parts/${module}` }))].map(
      ({ in: module, out }) => ({ in: module, out: out.replace(/\.js$/, "") }),
    ),
    outdir: ".",
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minifyWhitespace: true,
    charset: "utf8",
    format: "esm",
    platform: "node",
    target: "es2023",
    packages: "external",
    plugins: [marking(compiled, apart), naming(bundling.namedClasses)],
    logLevel: "warning",
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(compiled, path), text]));
  const needed = new Map<string, string>();
  const waiting = entries.map(({ out }) => out);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (needed.has(file)) continue;
    needed.set(file, withPathsFrom(file, withoutBareImports(texts.get(file) ?? "")));
    const imports = metafile.outputs[file]?.imports ?? [];
    waiting.push(...imports.filter(({ external }) => external !== true).map(({ path }) => path));
  }
  let joined: ReadonlyMap<string, string> = needed;
  for (const [index, module] of bundling.quick.entries()) {
    const [start] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === module) ?? [""];
    joined = await joinFiles(joined, start, `${joinedFiles}${index}.js`);
  }
  const files = new Map(Array.from(joined, ([file, text]) => [file, withPureCalls(text)]));
  files.set(command.out, withRequire(files.get(command.out) ?? ""));
  const readable = new Map<string, string>();
  for (const [file, text] of files) readable.set(file, await withLines(text));
  readable.set(command.start, starter(`./${basename(command.out)}`));
  return readable;
}

/** One statement a line: Node prints the line of an error that nobody catches, and debuggers stop at lines. */
async function withLines(text: string): Promise<string> {
  const { code } = await transform(text, { target: "es2023", charset: "utf8" });
  return code;
}

/**
 * Runs the command. Its files are loaded by `require`, which reads them without waiting for the event loop between them:
 * it takes half the time of `import`. Compiled code is cached in the folder for temporary files, if it can be written.
 */
const starter = (command: string): string =>
  `#!/usr/bin/env node
import module from"node:module";module.enableCompileCache?.();module.createRequire(import.meta.url)("${command}");
`;

/** Loads the modules of single commands by `require`, too. */
function withRequire(text: string): string {
  const required = text.replace(/^#!.*\n/, "").replaceAll(/\bimport\((?="\.)/g, "require(");
  return `import module from"node:module";const require=module.createRequire(import.meta.url);${required}`;
}

/** The modules that a compiled one imports or exports from. */
function importsOf(compiled: string, module: string): readonly string[] {
  const text = readFileSync(join(compiled, module), "utf8");
  return Array.from(text.matchAll(/from "(\.[^"]+)"/g), ([, path = ""]) => join(dirname(module), path));
}

/** Leaves modules out of the files that import them. */
function marking(compiled: string, apart: readonly string[]): Plugin {
  return {
    name: "modules apart",
    setup(bundler) {
      bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const module = relative(compiled, join(resolveDir, path));
        return kind !== "entry-point" && apart.includes(module) ? { path: mark + module, external: true } : undefined;
      });
    },
  };
}

/** The bundler keeps modules in their order by them, which matters to none. */
function withoutBareImports(text: string): string {
  return text.replace(/^(?:import[^;]+;)+/m, (imports) => imports.replaceAll(/import"\.[^"]+";/g, ""));
}

function withPathsFrom(file: string, text: string): string {
  return text.replaceAll(new RegExp(`"${mark}([^"]+)"`, "g"), (_, module: string) => {
    const path = relative(dirname(file), module);
    return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
  });
}

/**
 * Gives the classes that entries export their names back, where the bundler changes a name that two modules have: people meet
 * them when they look at an object. One static member each is shorter than esbuild's own way to keep all names.
 */
function naming(namedClasses: ReadonlySet<string>): Plugin {
  return {
    name: "names of classes",
    setup(bundler) {
      bundler.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const contents = readFileSync(path, "utf8").replaceAll(/^export class (\w+)[^{]*\{/gm, (head, name: string) =>
          namedClasses.has(name) ? `${head} static name = "${name}";` : head,
        );
        return { contents };
      });
    },
  };
}
