import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PostgresServer } from "./postgres-server.support.ts";
import { ServeNode } from "./serve-node.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(`${root}/docs/postgres.md`, "utf8");

/** The code of the page that says what it prints, under the heading above it. */
const examples = Array.from(
  page.matchAll(/^## ([^\n]*)\n(?:(?!^## )[^])*?```ts\n([^]*?)```\s*(?:```sh\n[^]*?```\s*)?```text\n([^]*?)```/gm),
  ([, title = "", code = "", output = ""]) => ({ title, code, output }),
);

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.create(18);
});
afterAll(() => server[Symbol.asyncDispose]());

describe("the page about PostgreSQL", () => {
  it("has code that prints what it says", () => {
    expect(examples.map(({ title }) => title)).toEqual([
      "One service",
      "Three processes",
      "Two nodes of `sobre serve`",
      "Your own transaction",
    ]);
  });

  it.each(["One service", "Your own transaction"])("prints what it says: %s", async (title) => {
    const { code, output } = example(title);
    expect(await printed(code)).toBe(output);
  });

  it("prints what it says: Three processes", async () => {
    const { code, output } = example("Three processes");
    const lines = await Promise.all(["red", "green", "blue"].map((team) => printed(code, { TEAM: team })));
    const all = lines.flatMap((text) => text.trimEnd().split("\n")).filter((line) => line !== "");
    expect(`${all.toSorted().join("\n")}\n`).toBe(output);
  });

  it("prints what it says: Two nodes of `sobre serve`", async () => {
    const { code, output } = example("Two nodes of `sobre serve`");
    const args = ["--postgres", server.connectionString, "--schema", "served", "--migrate", "--queue", "orders"];
    await using first = await ServeNode.start(args);
    await using second = await ServeNode.start(args);
    expect(await printed(code, { NODES: `${first.connectionString} ${second.connectionString}` })).toBe(output);
  });
});

function example(title: string): (typeof examples)[number] {
  const found = examples.find((one) => one.title === title);
  if (found === undefined) throw new Error(`The page has no example named ${title}.`);
  return found;
}

async function printed(code: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
  const { stdout } = await promisify(execFile)(process.execPath, options, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", DATABASE_URL: server.connectionString, ...env },
  });
  return stdout;
}
