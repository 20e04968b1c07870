import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

const folder = new URL("../../examples/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".ts"));
const printed = new Map<string, string>();

/** The output that an example promises at its end. */
function promised(name: string): string {
  const [, comment = ""] = readFileSync(new URL(name, folder), "utf8").split("// prints:\n");
  return comment.replaceAll(/^\/\/ ?/gm, "");
}

// One process for all: otherwise each would load the library again.
beforeAll(() => {
  const code = `for (const name of ${JSON.stringify(names)}) { console.log("=== " + name); await import(${JSON.stringify(folder.href)} + name); }`;
  const output = execFileSync(process.execPath, ["--conditions=sobre-source", "--input-type=module", "--eval", code], {
    cwd: fileURLToPath(new URL("..", folder)),
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  for (const part of output.split("=== ").slice(1)) {
    const [name = "", ...lines] = part.split("\n");
    printed.set(name, lines.join("\n"));
  }
});

describe("an example", () => {
  it.each(names)("prints what it says: %s", (name) => {
    expect(printed.get(name)).toBe(promised(name));
    expect(promised(name)).not.toBe("");
  });

  it("exists for each pattern", () => {
    expect(names.length).toBeGreaterThanOrEqual(7);
  });
});
