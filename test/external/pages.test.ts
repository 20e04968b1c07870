import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { emulatorConfig } from "../../src/broker/emulator-config/index.ts";
import { capabilityTable } from "../broker/conformance/capability-table.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = globSync("*.md", { cwd: `${root}/docs` }).toSorted();
const designs = globSync("docs/design/*.md", { cwd: root }).toSorted();
const textOf = (page: string): string => readFileSync(`${root}/docs/${page}`, "utf8");
const run = promisify(execFile);

/** The pages whose code needs a database or a broker. */
const withServer: ReadonlySet<string> = new Set(["postgres.md", "rabbitmq.md"]);

/** The code of a page that says what it prints, under the heading above it. */
const examples = pages
  .filter((page) => !withServer.has(page))
  .flatMap((page) =>
    textOf(page)
      .split(/^#+ /m)
      .flatMap((section) =>
        Array.from(
          section.matchAll(/```ts\n((?:(?!```)[^])*)```\s*```text\n([^]*?)```/g),
          ([, code = "", output = ""]) => {
            return { page, title: section.slice(0, section.indexOf("\n")), code, output };
          },
        ),
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
    ["codecs.md", ["A wrong content type", "Payloads of .NET and Java"]],
    ["message-types.md", ["A new version, and messages of the old one"]],
    ["other-clients.md", ["@azure/service-bus", "amqplib"]],
    ["stages.md", ["The order of the stages"]],
  ])("has code of every kind that a new service needs, in %s", (name, titles) => {
    expect(examples.filter(({ page }) => page === name).map(({ title }) => title)).toEqual(titles);
  });

  it("of the engines shows the table of a run of the suite; `npm run engines` writes it", async () => {
    expect(textOf("engines.md")).toContain(await capabilityTable());
  });

  it("is in the index, and the index leads to pages only", () => {
    const listed = Array.from(textOf("README.md").matchAll(/\]\(([^)]+)\)/g), ([, name = ""]) => name);

    expect(listed.toSorted()).toEqual(pages.filter((name) => name !== "README.md").toSorted());
  });

  const everyPage = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...pages.map((page) => `docs/${page}`),
    ...designs,
  ];

  it.each(everyPage)("leads to files that are there: %s", (page) => {
    const links = readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g);
    const missing = Array.from(links, ([, path = ""]) => join(dirname(page), path)).filter(
      (path) => !existsSync(join(root, path)),
    );

    expect(missing).toEqual([]);
  });
});
