import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const page = textOf("CONTRIBUTING.md");
const designs = globSync("docs/design/*.md", { cwd: root }).toSorted();
const [, table = ""] = /### Where is it\?\n([^]*?)\n###/.exec(page) ?? [];
const questions = Array.from(table.matchAll(/^\| ([a-z][^|]*?) +\| [^|]*`src/gm), ([, question = ""]) => question);

/** A path with `<name>` in it is a pattern. */
const isPath = (text: string): boolean =>
  !text.includes("<") && /^(?:src|codecs|test|scripts|docs|fixtures|schemas|examples)\//.test(text);
const marked = (text: string): readonly string[] => Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code);

/** Names and files that a text gives together: "`name` in `file`", "`name` and `other` in `file`". */
const declarations = (text: string): readonly { readonly name: string; readonly file: string }[] =>
  Array.from(text.matchAll(/((?:`\w+`(?:,| and)? )+)(?:in|of) `([\w/.-]+\.tsx?)`/g), ([, names = "", file = ""]) =>
    marked(names).map((name) => ({ name, file })),
  ).flat();

const declares = ({ name, file }: { readonly name: string; readonly file: string }): boolean =>
  new RegExp(String.raw`\b${name}\b ?[(=<:]`).test(textOf(file));

describe('"Where is it?" of CONTRIBUTING.md', () => {
  it.each([
    "a frame is parsed",
    "a lock expires: memory, durable",
    "a lock expires: PostgreSQL",
    "a content type selects a codec",
    "a token is checked",
    "a verdict is made",
    "a message is routed: memory, durable",
    "a message is routed: PostgreSQL",
    "a message is routed: Azure",
  ])("answers where %s", (question) => {
    expect(questions).toContain(question);
  });
});

it("finds the functions that CONTRIBUTING.md names in files", () => {
  expect(declarations(page).length).toBeGreaterThan(10);
});

describe.each(["CONTRIBUTING.md", ...designs])("%s", (file) => {
  it("names paths that exist", () => {
    const paths = marked(textOf(file)).filter(isPath);

    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(join(root, path.replace(/\/\*.*$/, ""))))).toEqual([]);
  });

  it("names functions where they are", () => {
    expect(declarations(textOf(file)).filter((declaration) => !declares(declaration))).toEqual([]);
  });
});

describe("the design pages", () => {
  it("are linked from CONTRIBUTING.md, one for each part", () => {
    const linked = Array.from(page.matchAll(/\]\((docs\/design\/[^)]+)\)/g), ([, path = ""]) => path);

    expect(linked.toSorted()).toEqual(designs);
    expect(designs).toHaveLength(7);
  });

  it.each(designs)("has an idea, a picture and reasons: %s", (file) => {
    const text = textOf(file);

    expect(text).toMatch(/^## The idea\n[^]*```text\n/m);
    expect(text).toMatch(/^(?:## Why it is so|\*\*Everything is synchronous)/m);
  });

  it.each(designs)("lists its decisions by date: %s", (file) => {
    const [, decisions = ""] = textOf(file).split(/^## Decisions$/m);
    const groups = decisions.split(/^(?!- |\s)/m);
    const dates = groups.map((group) =>
      Array.from(group.matchAll(/^- \*\*(\d{4}-\d\d-\d\d)\.\*\*/gm), ([, date = ""]) => date),
    );

    expect(decisions.match(/^- /gm)).toHaveLength(dates.flat().length);
    expect(dates.flat().length).toBeGreaterThan(0);
    for (const group of dates) expect(group).toEqual(group.toSorted());
  });
});
