import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { peers } from "../external/peers.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = globSync("test/**/*.ts", { cwd: root, exclude: ["**/node_modules/**", "**/.python/**"] });

/** Folders that look at the whole rather than at one part. */
const acrossParts = /^test\/(?:architecture|bench|docs|examples|proof|external|types)(?:\/|$)/;
/** Programs, which are run by their names. */
const programs = new Set(["main.ts", "walk.ts", "walk-in-process.ts", "vitest.config.ts"]);

describe("the files of tests", () => {
  it("have names that show what they are", () => {
    const others = files.filter(
      (file) =>
        !/\.(?:test|test-d|support|proof|bench)\.ts$/.test(file) &&
        !/^test\/(?:bench|proof)\/./.test(file) &&
        !programs.has(file.split("/").at(-1) ?? ""),
    );

    expect(others).toEqual([]);
  });

  it("lie in folders as the sources do", () => {
    const folders = new Set(files.map((file) => dirname(file)));
    const strays = [...folders].filter(
      (folder) =>
        folder !== "test" &&
        !acrossParts.test(folder) &&
        !existsSync(join(root, "src", folder.slice("test/".length))) &&
        !existsSync(join(root, folder.slice("test/".length))),
    );

    expect(strays).toEqual([]);
  });

  it("count among those of PostgreSQL when they start one, so that they run where it is installed", () => {
    const startsOne = (file: string): boolean => {
      const imported = readFileSync(join(root, file), "utf8").matchAll(/ from "(\.\/[\w-]+\.support\.ts)"/g);
      return [...imported].some(
        ([, support = ""]) =>
          support.endsWith("/postgres-server.support.ts") || startsOne(join(dirname(file), support)),
      );
    };
    const starting = files.filter((file) => /^test\/external\/[\w-]+\.test\.ts$/.test(file) && startsOne(file));
    const installed = new Set(
      peers.filter(({ name }) => /PostgreSQL|PgBouncer/.test(name)).flatMap(({ tests = [] }) => tests),
    );

    expect(starting.length).toBeGreaterThan(0);
    expect(starting.filter((file) => !installed.has(basename(file)))).toEqual([]);
  });
});
