import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { dotnetEnvironment, dotnetProjectFiles, goFolder, javaPeer, python } from "./installed.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The languages of the pages' programs, as their fences name them. */
export type PageLanguage = "js" | "ts" | "python" | "java" | "go" | "csharp" | "sh";

/** The programs of a language under a heading of a page, as they are printed there. */
export function programsOf(page: string, heading: string, language: PageLanguage): readonly string[] {
  const text = readFileSync(join(root, "docs", page), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no heading "${heading}".`);
  return Array.from(section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g")), ([, code = ""]) => code);
}

/** The only program of a language under a heading. */
export function programOf(page: string, heading: string, language: PageLanguage): string {
  const [program, ...others] = programsOf(page, heading, language);
  if (program === undefined || others.length > 0)
    throw new Error(`${page} has not one program of ${language} under "${heading}".`);
  return program;
}

const node = (type: string): readonly [string, ...string[]] => [
  process.execPath,
  "--conditions=sobre-source",
  `--input-type=${type}`,
  "--eval",
];

/** Runs a program, and returns what it prints. Java's statements get the class around them that they need. */
export async function runProgram(
  language: PageLanguage,
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sobre-page-"));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const commands = {
    js: () => [...node("module"), code],
    ts: () => [...node("module-typescript"), code],
    python: () => [python, "-c", code],
    go: () => ["go", "run", "-buildvcs=false", file("main.go", code)],
    java: () => ["java", ...javaPeer().slice(0, 2), file("Page.java", javaClass(code))],
    csharp: () => {
      file("Program.cs", code);
      // A project of xunit starts its own tests.
      const project = /^using Xunit;$/m.test(code) ? "xunit" : "service-bus";
      for (const from of dotnetProjectFiles(project)) copyFileSync(from, join(folder, basename(from)));
      return ["dotnet", "run", "--project", folder];
    },
    sh: () => ["sh", "-ec", code],
  } as const satisfies Readonly<Record<PageLanguage, () => readonly [string, ...string[]]>>;
  const [program, ...args] = commands[language]();
  // Modules are looked up from the directory in which a program starts.
  const cwd = language === "go" ? goFolder : language === "sh" ? (env["HOME"] ?? folder) : root;
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", ...dotnetEnvironment, ...env },
      timeout: 120_000,
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const isImport = (line: string): boolean => line.startsWith("import ");

function javaClass(code: string): string {
  const lines = code.split("\n");
  const statements = lines.filter((line) => !isImport(line)).join("\n");
  const main = `public static void main(String[] args) throws Exception {\n${statements}\n}`;
  return `${lines.filter(isImport).join("\n")}\npublic final class Page {\n${main}\n}\n`;
}
