import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { emulatorConfig } from "../../src/broker/emulator-config/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = readdirSync(`${root}/docs`).filter((name) => name.endsWith(".md"));
const textOf = (page: string): string => readFileSync(`${root}/docs/${page}`, "utf8");
const run = promisify(execFile);

/** The code of a page that says what it prints, under the heading above it; that of `postgres.md` needs a database. */
const examples = pages
  .filter((page) => page !== "postgres.md")
  .flatMap((page) =>
    Array.from(
      textOf(page).matchAll(/^## ([^\n]*)\n(?:(?!^## )[^])*?```ts\n([^]*?)```\s*```text\n([^]*?)```/gm),
      ([, title = "", code = "", output = ""]) => ({ page, title, code, output }),
    ),
  );

const configurations = pages.flatMap((page) =>
  Array.from(textOf(page).matchAll(/```json\n([^]*?)```/g), ([, text = ""]) => ({ page, text })).filter(({ text }) =>
    text.includes('"UserConfig"'),
  ),
);

describe("a page of the documentation", () => {
  it.concurrent.each(examples)("prints what it says: $page, $title", async ({ code, output }) => {
    const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
    const { stdout } = await run(process.execPath, options, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
    });

    expect(stdout).toBe(output);
  });

  it.each(configurations)("shows a Config.json that is read: $page", ({ text }) => {
    expect(Object.keys(emulatorConfig(text).entities.queues)).toEqual(["orders"]);
  });

  it.each([
    [
      "service.md",
      [
        "The service",
        "Its tests",
        "A handler for each type",
        "All or nothing",
        "Protobuf with message types",
        "Administration in code",
      ],
    ],
    [
      "production.md",
      ["Retries", "Pausing", "Requests that fail", "Shutting down", "Inbox", "Outbox", "Signals", "Metrics"],
    ],
  ])("has code of every kind that a new service needs, in %s", (name, titles) => {
    expect(examples.filter(({ page }) => page === name).map(({ title }) => title)).toEqual(titles);
  });

  it("is in the index, and the index leads to pages only", () => {
    const listed = Array.from(textOf("README.md").matchAll(/\]\(([^)]+)\)/g), ([, name = ""]) => name);

    expect(listed.toSorted()).toEqual(pages.filter((name) => name !== "README.md").toSorted());
  });

  it.each(pages)("leads to files that are there: %s", (page) => {
    const links = Array.from(textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g), ([, path = ""]) => path);

    expect(links.filter((path) => !existsSync(`${root}/docs/${path}`))).toEqual([]);
  });
});
