import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The packages that a bundle of everything in an entry contains; entries that are not listed need none. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  sobre: ["content-type", "msgpackr", "protobufjs"],
  "sobre/interop": ["content-type"],
  "sobre/cloud-events": ["content-type"],
  "sobre/codec": ["content-type"],
  "sobre/codecs/amqp": ["content-type"],
  "sobre/codecs/msgpack": ["content-type", "msgpackr"],
  "sobre/codecs/protobuf": ["content-type", "protobufjs"],
  "sobre/conformance": ["content-type"],
  "sobre/content-type": ["content-type"],
  "sobre/contract": ["ajv", "content-type", "protobufjs", "yaml"],
  "sobre/engines/emulator-config": ["ajv"],
  "sobre/http": ["content-type"],
  "sobre/inspector": ["content-type"],
  "sobre/json-schema": ["ajv"],
  "sobre/message": ["ajv", "content-type"],
  "sobre/migration": ["ajv", "content-type", "msgpackr", "protobufjs"],
  "sobre/server": ["ajv", "content-type", "ws"],
  "sobre/testing": ["content-type"],
};

type Conditions = Readonly<Record<string, string>>;
interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Conditions>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

let work = "";
/** Where the tarball was unpacked. */
let folder = "";
let packedBytes = 0;
let files: readonly string[] = [];
let manifest: Manifest;
/** Every path that can be imported, with what it leads to; `*` stands for each name that there is. */
let entries: readonly (readonly [path: string, target: string | Conditions])[] = [];

beforeAll(() => {
  // Inside the repository, whose dependencies a project would have installed.
  work = mkdtempSync(join(root, "node_modules/.package-test-"));
  execFileSync(process.execPath, ["scripts/build.ts", `${work.slice(root.length)}/built`], { cwd: root });
  execFileSync("npm", ["pack", join(work, "built"), "--silent", "--pack-destination", work], { cwd: work });
  const [tarball = ""] = globSync("*.tgz", { cwd: work });
  packedBytes = statSync(join(work, tarball)).size;
  // A project of another name, which finds the package as any user's does.
  writeFileSync(join(work, "package.json"), '{ "name": "user", "private": true, "type": "module" }');
  mkdirSync(join(work, "node_modules"));
  execFileSync("tar", ["-xzf", tarball, "-C", "node_modules"], { cwd: work });
  folder = join(work, "node_modules/package");
  symlinkSync(folder, join(work, "node_modules/sobre"));
  files = globSync("**/*", { cwd: folder, exclude: ["node_modules"] }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  entries = Object.entries(manifest.exports).flatMap(([path, target]) => expanded(path, target));
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** A path with a star as the paths of all files that its default leads to. */
function expanded(path: string, target: string | Conditions): readonly (readonly [string, string | Conditions])[] {
  const file = typeof target === "string" ? target : (target["default"] ?? "");
  if (!path.includes("*")) return [[path, target]];
  const [before = "", after = ""] = file.slice(2).split("*");
  return globSync(`${before}*${after}`, { cwd: folder }).map((found) => {
    const name = found.slice(before.length, found.length - after.length);
    const named = (text: string): string => text.replace("*", name);
    return [
      named(path),
      typeof target === "string"
        ? named(target)
        : Object.fromEntries(Object.entries(target).map(([condition, to]) => [condition, named(to)])),
    ];
  });
}

function textOf(below: string, file: string): string {
  return readFileSync(join(below, file), "utf8");
}

function holding(texts: readonly string[], sentence: string): number {
  return texts.filter((text) => text.includes(sentence)).length;
}

interface Bundle {
  readonly text: string;
  /** Packages of others that it contains. */
  readonly packages: readonly string[];
  /** Modules of Node that it imports. */
  readonly builtins: readonly string[];
}

async function bundle(code: string, platform: "node" | "browser" = "node"): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: work },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
    target: "es2023",
    external: ["node:*"],
  });
  const [output] = Object.values(metafile.outputs);
  const names = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "")
    .filter((name) => name in manifest.dependencies);
  return {
    text: outputFiles[0]?.text ?? "",
    packages: [...new Set(names)].toSorted(),
    builtins: (output?.imports ?? []).map(({ path }) => path),
  };
}

/** Runs a module in its own process, as a project that installed the package would. */
function runModule(code: string): string {
  writeFileSync(join(work, "main.js"), code);
  return execFileSync(process.execPath, ["main.js"], { cwd: work, encoding: "utf8" });
}

describe("the published package", () => {
  it("has at most 1.6 MB packed and 7 MB unpacked", () => {
    const unpackedBytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

    expect(packedBytes).toBeLessThanOrEqual(1_600_000);
    expect(unpackedBytes).toBeLessThanOrEqual(7_000_000);
  });

  it("has no sources, maps, tests or subjects of tests", () => {
    const unwanted = files.filter(
      (file) =>
        /\.map$|\.(?:test|proof|bench|support)\.|^schemas\/.*\//.test(file) ||
        (file.endsWith(".ts") && !/\.d\.ts$|^examples\//.test(file)),
    );

    expect(unwanted).toEqual([]);
  });

  it("shows the line that throws, and functions by their names, in an error that nobody catches", () => {
    writeFileSync(join(work, "main.js"), `import { createClient } from "sobre"; createClient({ engin: {} });`);
    const { status, stderr } = spawnSync(process.execPath, ["main.js"], { cwd: work, encoding: "utf8" });

    expect(status).toBe(1);
    expect(stderr).toMatch(/Unknown option `engin`/);
    expect(stderr).toMatch(/at \w*[cC]heck\w* \(/);
    expect(stderr).toMatch(/at createClient \(/);
    expect(stderr.length).toBeLessThan(2500);
  });

  it("leads nowhere into the sources of the repository, and has no scripts", () => {
    expect(readFileSync(join(folder, "package.json"), "utf8")).not.toMatch(/sobre-source|: "\.\/(?:src|codecs)\//);
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["scripts"]));
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["devDependencies"]));
  });

  it("resolves every export, and its types", async () => {
    expect(entries.length).toBeGreaterThan(25);
    for (const [path, target] of entries) {
      if (typeof target === "string") {
        expect(files, path).toContain(target.slice(2));
        continue;
      }
      for (const file of Object.values(target)) expect(files, path).toContain(file.slice(2));
      const url = pathToFileURL(join(folder, target["default"] ?? ""));
      const module: object = await import(/* @vite-ignore */ url.href);
      expect(Object.keys(module).length, path).toBeGreaterThan(0);
    }
  });

  it("loads SQLite with no entry, only when a store is opened", () => {
    const urls = entries.flatMap(([, target]) =>
      typeof target === "string" ? [] : [pathToFileURL(join(folder, target["default"] ?? "")).href],
    );
    const loaded = runModule(`
      const hasSqlite = () => process.moduleLoadList.some((name) => name.endsWith(" sqlite"));
      for (const url of ${JSON.stringify(urls)}) await import(url);
      console.log(hasSqlite());
      await import("node:sqlite");
      console.log(hasSqlite());`);

    expect(loaded.trim().split("\n")).toEqual(["false", "true"]);
  });

  it("has declarations whose imports are all there", () => {
    const missing = files
      .filter((file) => file.endsWith(".d.ts"))
      .flatMap((file) =>
        Array.from(
          readFileSync(join(folder, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g),
          ([, to = ""]) => `${join(dirname(file), to)}.d.ts`,
        ),
      )
      .filter((file) => !files.includes(file));

    expect(missing).toEqual([]);
  });

  it("has every page, image and example that its pages link", () => {
    const pages = files.filter((file) => file.endsWith(".md"));
    const broken = pages.flatMap((page) =>
      Array.from(readFileSync(join(folder, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)
        .filter((link) => link !== "" && !/^(?:https?:|#)/.test(link))
        .map((link) => join(dirname(page), link.replace(/#.*/, "")))
        .filter((path) => !files.includes(path) && !files.some((file) => file.startsWith(`${path}/`))),
    );

    expect(broken).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["README.md", "docs/serve.md", "examples/request-reply.ts"]));
  });

  it("has the inspector's page, of at most 45 KB gzipped, and no image", () => {
    const output = runModule(`
      import { gzipSync } from "node:zlib";
      import { createInspector } from "sobre/inspector";
      import { createSerializer, json, memoryEngine } from "sobre";
      const engine = memoryEngine();
      const { answer } = createInspector({ engine, serializer: createSerializer({ codecs: [json()] }) });
      console.log(typeof answer);`);
    const page = files.filter((file) => file.endsWith(".js")).map((file) => textOf(folder, file));
    const bundled = page.find((text) => /pageFiles = async/.test(text)) ?? "";

    expect(output).toBe("function\n");
    expect(bundled).not.toBe("");
    expect(gzipSync(bundled, { level: 9 }).byteLength).toBeLessThanOrEqual(45 * 1024);
    expect(files.filter((file) => /\.(?:png|jpe?g|webp)$/.test(file))).toEqual([]);
  });

  it("has the command, whose exit codes distinguish usage errors from other outcomes", () => {
    const [command = ""] = Object.values(manifest.bin);
    const run = (...args: string[]): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, [join(folder, command), ...args], { cwd: work, encoding: "utf8" });

    const misuse = run("contract", "compat", "missing.json", "missing.json");

    expect(run("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(misuse).toMatchObject({ status: 2, stderr: expect.stringMatching(/^sobre: .*missing\.json.*\n$/) });
    expect(run("migrate").stderr).toMatch(/^sobre: give a SOURCE/);
  });

  it("starts the command where its compiled code cannot be kept", () => {
    const [command = ""] = Object.values(manifest.bin);
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;

    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, command), "--version"], {
      env: { ...env, TMPDIR: "/dev/null/none" },
      encoding: "utf8",
    });

    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("starts the command, and looks for what to do, with one package and few files", () => {
    const [command = ""] = Object.values(manifest.bin);
    const loaded = runModule(`
      import { registerHooks } from "node:module";
      registerHooks({
        load(url, context, next) {
          console.log(url);
          return next(url, context);
        },
      });
      process.argv = [process.execPath, "sobre", "serve", "--help"];
      await import(${JSON.stringify(pathToFileURL(join(folder, command)).href)});`)
      .split("\n")
      .filter((line) => line.startsWith("file:"));

    const others = loaded.filter((url) => !url.includes("/node_modules/package/"));

    expect(others.filter((url) => !url.includes("/node_modules/commander/"))).toEqual([]);
    expect(loaded.length - others.length).toBeLessThan(20);
  });

  it("ships no code twice: the library and the command share it", () => {
    const sources = globSync(["src/**/*.ts", "codecs/**/*.ts"], { cwd: root }).map((file) => textOf(root, file));
    const shipped = files.filter((file) => file.endsWith(".js")).map((file) => textOf(folder, file));
    // Sentences of messages stand for the code around them.
    const sentences = new Set(shipped.flatMap((text) => text.match(/[A-Za-z]\w*(?: [\w,;:-]+){7,}/g) ?? []));

    const repeated = [...sentences].filter(
      (sentence) => holding(shipped, sentence) > Math.max(1, holding(sources, sentence)),
    );

    expect(sentences.size).toBeGreaterThan(300);
    expect(repeated).toEqual([]);
  });

  it("finds the code of its threads", () => {
    const output = runModule(`
      import { checkCompatibility } from "sobre/contract";
      import { durableEngine } from "sobre/engines/durable";
      const older = { type: "string", pattern: "^(?=a)ab$", maxLength: 4 };
      const { verdict } = await checkCompatibility({ format: "json-schema", older, newer: { type: "string", maxLength: 1 } });
      const engine = await durableEngine({ directory: "store", queues: ["orders"] });
      const queues = await engine.admin.listQueues();
      await engine.close();
      console.log(verdict, queues.length);`);

    expect(output).toBe("breaking 1\n");
  });

  it("keeps the names of its classes", async () => {
    const unnamed: string[] = [];
    for (const [path, target] of entries) {
      if (typeof target === "string") continue;
      const module: object = await import(/* @vite-ignore */ pathToFileURL(join(folder, target["default"] ?? "")).href);
      for (const [name, value] of Object.entries(module)) {
        if (typeof value === "function" && String(value).startsWith("class") && value.name !== name)
          unnamed.push(`${path}: ${name} is ${value.name}`);
      }
    }

    expect(unnamed).toEqual([]);
  });

  it("bundles with an entry only the packages that are listed for it, and those of the command with none", async () => {
    const bundled: Record<string, readonly string[]> = {};
    for (const [path, target] of entries) {
      if (typeof target === "string") continue;
      const name = path.replace(/^\./, "sobre");
      const { packages } = await bundle(`import * as all from "${name}"; console.log(all);`);
      if (packages.length > 0) bundled[name] = packages;
    }

    expect(bundled).toEqual(packagesOf);
    for (const name of ["commander", "cli-table3", "cli-progress"]) {
      expect(Object.keys(manifest.dependencies)).toContain(name);
      expect(Object.values(bundled).flat()).not.toContain(name);
    }
  });

  it("bundles envelopes and JSON with one small package", async () => {
    const code =
      'import { createEnvelope, createSerializer, json } from "sobre"; console.log(createEnvelope, createSerializer, json);';

    expect((await bundle(code)).packages).toEqual(["content-type"]);
  });

  it("makes a browser bundle of envelopes and JSON of at most 7 KB gzipped, without Node's modules", async () => {
    const { text, builtins } = await bundle(
      'import { createEnvelope } from "sobre"; import { json } from "sobre/codecs/json"; console.log(createEnvelope, json);',
      "browser",
    );

    expect(gzipSync(text, { level: 9 }).byteLength).toBeLessThanOrEqual(7 * 1024);
    expect(builtins).toEqual([]);
    expect(text).not.toMatch(/\bBuffer\b|x-opt-/);
  });

  it("makes a browser bundle of a message type of zod and a client without ajv and without the client of the cloud", async () => {
    const code = `
      import { createClient, createSerializer, defineMessage, json, memoryEngine } from "sobre";
      console.log(createClient, createSerializer, defineMessage, json, memoryEngine);`;

    const { packages, builtins, text } = await bundle(code, "browser");

    expect(packages).toEqual(["content-type"]);
    expect(builtins).toEqual([]);
    expect(text).not.toContain("$cbs");
  });
});
