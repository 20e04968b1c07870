import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = globSync("test/**/*.ts", { cwd: root, exclude: ["**/node_modules/**", "**/.python/**"] });

/** Folders that look at the whole rather than at one part. */
const acrossParts = /^test\/(?:architecture|bench|docs|examples|proof|servers|types)(?:\/|$)/;
/** Programs, which are run by their names. */
const programs = new Set(["main.ts", "walk.ts", "vitest.config.ts"]);

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
});
