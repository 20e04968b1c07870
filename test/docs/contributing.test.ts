import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const [, table = ""] = /### Where is it\?\n([^]*?)\n###/.exec(page) ?? [];
const rows = Array.from(table.matchAll(/^\| ([a-z][^|]*?) +\| ([^|]*`src[^|]*)\|$/gm), ([, what = "", where = ""]) => ({
  what,
  marked: Array.from(where.matchAll(/`([^`]+)`/g), ([, text = ""]) => text),
}));

describe('"Where is it?" of CONTRIBUTING.md', () => {
  it("answers the questions of newcomers", () => {
    expect(rows.length).toBeGreaterThanOrEqual(10);
  });

  it.each(rows)("names files and functions that exist: $what", ({ marked }) => {
    let folder = root;
    const files: string[] = [];
    const functions: string[] = [];
    for (const text of marked) {
      if (!text.endsWith(".ts")) {
        functions.push(text);
        continue;
      }
      const file = text.startsWith("src/") ? join(root, text) : join(folder, text);
      folder = dirname(file);
      files.push(file);
    }
    const sources = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));

    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(functions.filter((name) => !sources.some((source) => source.includes(`${name}(`)))).toEqual([]);
  });
});
