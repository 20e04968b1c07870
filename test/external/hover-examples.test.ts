import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { hoverExamples, programOf } from "../docs/hover-examples.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = hoverExamples();

/** A separate project with sobre installed, and the examples as its only program. */
const project = mkdtempSync(join(tmpdir(), "sobre-hover-"));
mkdirSync(join(project, "node_modules"));
symlinkSync(root, join(project, "node_modules/sobre"), "dir");
for (const name of ["@types", "zod"])
  symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "dir");
writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
writeFileSync(join(project, "main.ts"), programOf(examples));
writeFileSync(
  join(project, "tsconfig.json"),
  JSON.stringify({
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: true,
      noUnusedLocals: false,
      isolatedDeclarations: false,
      declaration: false,
      rootDir: "/",
      skipLibCheck: true,
    },
    files: ["main.ts"],
    include: [],
  }),
);

afterAll(() => rmSync(project, { recursive: true }));

describe("the examples of hover help", () => {
  it("are at least 60", () => {
    expect(examples.length).toBeGreaterThanOrEqual(60);
  });

  it("pass the type checker", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    let problems = "";
    try {
      execFileSync(process.execPath, [tsc, "-p", project, "--pretty", "false"], { encoding: "utf8" });
    } catch (error) {
      problems = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    }

    expect(problems).toBe("");
  });

  it("run, and print what they say", () => {
    const printed = execFileSync(process.execPath, ["--conditions=sobre-source", "main.ts"], {
      cwd: project,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
    });
    const outputs = printed.split(/^# \d+\n/m).slice(1);
    const unlike = examples
      .map(({ title, printed: said }, index) => ({
        title,
        said,
        seen: outputs[index] ?? "nothing, since it did not run",
      }))
      .filter(({ said, seen }) => said.some((line) => !seen.includes(line)));

    expect(unlike).toEqual([]);
    expect(outputs.length).toBe(examples.length);
  });
});
