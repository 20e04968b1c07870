/**
 * Builds the package that is published: JavaScript in a few files, which the library and the command share, the
 * declarations that a user can reach, the pages and examples. Nothing in it leads back into the sources.
 *
 *     node scripts/build.ts [FOLDER]          # `package` by default; then: npm publish ./package
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { pageFiles } from "../src/serve/inspector/page-files.ts";
import { bundleModules } from "./bundle-modules.ts";
import { publishedDeclarations } from "./published-declarations.ts";
import { publishedManifest, publishedModules, swappedModules } from "./published-manifest.ts";

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

rmSync(folder, { recursive: true, force: true });
// Design pages are about the sources, which are not shipped either.
const isShipped = (path: string): boolean => !path.endsWith(".png") && path !== join(root, "docs/design");
for (const path of shipped) cpSync(join(root, path), join(folder, path), { recursive: true, filter: isShipped });
// Pictures are not shipped, and the columns of tables are padded for those who edit them.
for (const file of globSync(["*.md", "*/*.md"], { cwd: folder })) {
  const text = readFileSync(join(folder, file), "utf8").replaceAll(/^!\[.*\n\n/gm, "");
  const rows = text.replaceAll(/^\|.*/gm, (row) => row.replaceAll(/ {2,}\|/g, " |").replaceAll(/-{3,}/g, "---"));
  writeFileSync(join(folder, file), rows);
}
for (const file of globSync(["schemas/*.json", "docs/*.json", "fixtures/mailbox/manifest.json"], { cwd: folder })) {
  const json: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
  writeFileSync(join(folder, file), JSON.stringify(json));
}
const manifest = publishedManifest(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);

const compiled = mkdtempSync(join(root, "node_modules/.sobre-build-"));
try {
  const tsc = fileURLToPath(import.meta.resolve("typescript/package.json")).replace(/package\.json$/, "bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", compiled], {
    cwd: root,
    stdio: "inherit",
  });
  const doors = globSync(publishedModules(manifest), { cwd: compiled });
  const declaring = doors.map((door) => door.replace(/js$/, "d.ts"));
  const declarations = publishedDeclarations(compiled, declaring);
  await writePage();
  // The bundler takes from it that the modules have no side effects.
  writeFileSync(join(compiled, "package.json"), JSON.stringify(manifest));
  const files = await bundleModules({
    compiled,
    doors,
    command: { in: "src/cli/main.js", out: "cli/command.js", start: "cli/main.js" },
    workers: [
      "src/broker/durable/store-worker.js",
      "src/contract/json-schema/comparison-worker.js",
      "src/migration/threads/migration-worker.js",
      "src/cli/migrate/migrate-reading.js",
    ],
    quick: [
      "codecs/json/index.js",
      "src/core/codec/index.js",
      "src/core/values/index.js",
      "src/client/client/index.js",
      "src/index.js",
      "src/serve/server/index.js",
      "src/broker/azure/index.js",
      "src/cli/serve/serve.js",
      "src/cli/main.js",
    ],
    apart: swappedModules(manifest).map((path) => relative("dist", path)),
    namedClasses: new Set(declaring.flatMap((file) => declarations.get(file)?.match(/[A-Za-z]\w*/g) ?? [])),
  });
  for (const [file, text] of [...files, ...declarations]) write(file, text);
} finally {
  rmSync(compiled, { recursive: true });
}
chmodSync(join(folder, "dist/cli/main.js"), 0o755);

/** The inspector's page is bundled once, here. */
async function writePage(): Promise<void> {
  const files = JSON.stringify(await pageFiles());
  writeFileSync(
    join(compiled, "src/serve/inspector/page-files.js"),
    `export const pageFiles = async () => (${files});\n`,
  );
}

function write(file: string, text: string): void {
  const path = join(folder, "dist", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
