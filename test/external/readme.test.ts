import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The parts of the README's program, each with the text block after it that shows what is printed from the start. */
const parts = Array.from(readme.matchAll(/```ts\n([^]*?)```\s*```text\n([^]*?)```/g), ([, code = "", output = ""]) => ({
  code,
  output,
}));

const linesOf = (code: string): readonly string[] =>
  code.split("\n").filter((line) => line !== "" && !line.startsWith("import"));

function run(code: string): string {
  const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
  return execFileSync(process.execPath, options, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
}

describe("the README", () => {
  it("has at most 1,000 words", () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_000);
  });

  it("shows a typed and a broken message, each in at most twelve lines besides the imports", () => {
    expect(parts).toHaveLength(2);
    for (const { code } of parts) expect(linesOf(code).length).toBeLessThanOrEqual(12);
  });

  it("shows no code without its output", () => {
    expect(readme.match(/```ts\n/g)).toHaveLength(parts.length);
  });

  it.each(parts.map((_, index) => index))("prints what it shows after part %i of its program", (index) => {
    const program = parts.slice(0, index + 1);

    const printed = run(program.map(({ code }) => code).join("\n"));

    expect(printed).toBe(program.map(({ output }) => output).join(""));
  });
});
