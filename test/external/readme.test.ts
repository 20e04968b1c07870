import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { capabilityTable } from "../broker/conformance/capability-table.support.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Every TypeScript block, with the text block behind it that says what is seen, if there is one. */
const examples = Array.from(
  readme.matchAll(/```ts\n([\s\S]*?)```(?:\s*```text\n([\s\S]*?)```)?/g),
  ([, code = "", output]) => ({
    title: code.trim().split("\n").at(-1) ?? "",
    code,
    output,
  }),
);

function run(code: string): string {
  const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
  return execFileSync(process.execPath, options, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
}

describe("the README", () => {
  it("has a first example of at most 15 lines behind its import that says what is seen", () => {
    const lines = examples[0]?.code.split("\n").filter((line) => line !== "" && !line.startsWith("import")) ?? [];

    expect(lines.length).toBeLessThanOrEqual(15);
    expect(examples[0]?.output).toBeDefined();
  });

  it.each(examples)("shows code that runs: $title", ({ code, output }) => {
    const printed = run(code);

    if (output !== undefined) expect(printed).toBe(output);
  });

  it("shows the capability table of a run of the suite; `npm run readme` writes it", async () => {
    expect(readme).toContain(await capabilityTable());
  });
});
