/**
 * Builds the package that is published: JavaScript modules, the declarations that a user can reach, the command in a few
 * files, the pages and examples of the README. Nothing in it leads back into the sources.
 *
 *     node scripts/build.ts [FOLDER]          # `package` by default; then: npm publish ./package
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, transform } from "esbuild";
import { publishedManifest } from "./published-manifest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, process.argv[2] ?? "package");
const shipped = [
  "README.md",
  "LICENSE",
  "docs",
  "examples",
  "fixtures/mailbox",
  "fixtures/legacy/migrate/dlq.ndjson",
  ...globSync("schemas/*.schema.json", { cwd: root }),
];

/**
 * Modules of the command that load the contracts and the migration of the library instead of a second copy in its bundle,
 * and the class by which the bundle recognizes their usage errors.
 */
const outsideTheBundle = /^\.\/(contract-[a-z-]+|migrate|misuse)\.ts$/;

/** Leaves imports of {@link outsideTheBundle} to the package's own `imports`. */
const modulesOutsideTheBundle: Plugin = {
  name: "modules outside the bundle",
  setup(bundler) {
    bundler.onResolve({ filter: outsideTheBundle }, ({ path }) => ({
      path: `#command/${basename(path, ".ts")}`,
      external: true,
    }));
  },
};

let published: ReadonlySet<string> = new Set();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const compiled = mkdtempSync(join(root, "node_modules/.sobre-build-"));
try {
  const tsc = fileURLToPath(import.meta.resolve("typescript/package.json")).replace(/package\.json$/, "bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", compiled], {
    cwd: root,
    stdio: "inherit",
  });
  published = publishedNames();
  await copyModules();
  copyDeclarations();
} finally {
  rmSync(compiled, { recursive: true });
}
await bundleCommand();
for (const path of shipped) cpSync(join(root, path), join(folder, path), { recursive: true });
for (const file of globSync(["schemas/*.json", "fixtures/mailbox/manifest.json"], { cwd: folder })) {
  const json: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
  writeFileSync(join(folder, file), JSON.stringify(json));
}
const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`);

/** Without comments and blanks: comments stay in the declarations, where editors look for them. */
async function copyModules(): Promise<void> {
  const modules = globSync("**/*.js", { cwd: compiled, exclude: ["src/cli/**"] }).concat(commandModules());
  for (const file of modules) {
    const source = readFileSync(join(compiled, file), "utf8");
    const { code } = await transform(withClassNames(source), {
      target: "es2023",
      charset: "utf8",
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: true,
    });
    // Modules of types alone.
    if (code.trim() !== "export{};") write(file, code);
  }
}

/**
 * The names of the classes that entries export: people meet them when they look at an object. It is shorter than what esbuild
 * adds to keep all names.
 */
function withClassNames(source: string): string {
  return source.replaceAll(/^export class (\w+)[^{]*\{/gm, (head: string, name: string) =>
    published.has(name) ? `${head} static name = "${name}";` : head,
  );
}

/** Every word that the declarations of entries hold. */
function publishedNames(): ReadonlySet<string> {
  const texts = entryDeclarations().map((file) => readFileSync(join(compiled, file), "utf8"));
  return new Set(texts.join("\n").match(/[A-Za-z]\w*/g));
}

/** The modules of the command outside its bundle, with those of the command that they import. */
function commandModules(): string[] {
  const commands = globSync("src/cli/*.js", { cwd: compiled });
  const reached = new Set(commands.filter((file) => outsideTheBundle.test(`./${basename(file, ".js")}.ts`)));
  for (const file of reached) {
    for (const [, name = ""] of readFileSync(join(compiled, file), "utf8").matchAll(/"\.\/([a-z-]+\.js)"/g))
      reached.add(join("src/cli", name));
  }
  return [...reached];
}

/** Only those that the declarations of an entry lead to. */
function copyDeclarations(): void {
  const waiting = entryDeclarations();
  const reached = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = readFileSync(join(compiled, file), "utf8");
    // Nobody reads their layout, and it is a hundredth of the package.
    write(file, text.replaceAll(/^ +/gm, ""));
    for (const [, target = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g)) {
      const next = relative(compiled, join(compiled, dirname(file), `${target}.d.ts`));
      if (!reached.has(next)) waiting.push(next);
      reached.add(next);
    }
  }
}

function entryDeclarations(): string[] {
  const doors = ["src/index.d.ts", "src/*/index.d.ts", "src/engines/*/index.d.ts", "codecs/*/index.d.ts"];
  return globSync(doors, { cwd: compiled, exclude: ["src/cli/**"] });
}

/** Finding hundreds of modules is most of the time that a command takes to start. */
async function bundleCommand(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/cli/main.ts", out: "main" },
      // It runs in a thread of its own; the module that starts it looks for it in its own folder.
      { in: "src/engines/durable/store-worker.ts", out: "parts/store-worker" },
    ],
    outdir: join(folder, "dist/cli"),
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    plugins: [modulesOutsideTheBundle],
    logLevel: "warning",
  });
}

function write(file: string, text: string): void {
  const path = join(folder, "dist", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
