import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineSuite } from "../../src/conformance/index.ts";
import { PostgresServer } from "./postgres-server.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(`${root}/docs/postgres.md`, "utf8");

/** The code of the page that says what it prints, under the heading above it. */
const examples = Array.from(
  page.matchAll(/^## ([^\n]*)\n(?:(?!^## )[^])*?```ts\n([^]*?)```\s*```text\n([^]*?)```/gm),
  ([, title = "", code = "", output = ""]) => ({ title, code, output }),
);

const cases = `${engineSuite.length} of ${engineSuite.length}`;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.create(18);
});
afterAll(() => server[Symbol.asyncDispose]());

it("has its line in the README, with the count of the suite", () => {
  const readme = readFileSync(`${root}/README.md`, "utf8");

  expect(readme).toMatch(new RegExp(`^\\| \\[.postgresEngine\\(\\).*\\| ${cases} +\\|$`, "m"));
});

describe("the page about PostgreSQL", () => {
  it("has code that prints what it says", () => {
    expect(examples.map(({ title }) => title)).toEqual(["One service", "Your own transaction"]);
  });

  it.each(examples)("prints what it says: $title", async ({ code, output }) => {
    const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
    const { stdout } = await promisify(execFile)(process.execPath, options, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", DATABASE_URL: server.connectionString },
    });

    expect(stdout).toBe(output);
  });
});
