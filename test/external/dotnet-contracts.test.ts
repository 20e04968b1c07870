import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fixtures = join(root, "fixtures/legacy/contracts");
const work = mkdtempSync(join(tmpdir(), "sobre-mono-"));
afterAll(() => rmSync(work, { recursive: true }));

const run = (program: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(program, args, { cwd: work, env: { ...process.env, TZ: "Europe/Madrid" }, maxBuffer: 2 ** 24 });
const compile = (source: string, ...options: readonly string[]): Promise<unknown> =>
  run("mcs", "-r:System.Runtime.Serialization", "-r:System.Xml", ...options, source);
const fixture = (name: string): string => readFileSync(join(fixtures, name), "utf8");

describe("the program that prints contracts by reflection", () => {
  beforeAll(async () => {
    await compile(join(fixtures, "Shop.cs"), "-target:library", "-out:Shop.dll");
    await Promise.all([
      // The language of the oldest compilers that may have to compile it.
      compile(join(root, "examples/dotnet/PrintContracts.cs"), "-langversion:5", "-out:PrintContracts.exe"),
      compile(join(fixtures, "Schemas.cs"), "-out:Schemas.exe"),
      compile(join(fixtures, "Payloads.cs"), "-r:Shop.dll", "-out:Payloads.exe"),
    ]);
  });

  it("prints the committed contract of the compiled types", async () => {
    const { stdout, stderr } = await run("mono", "PrintContracts.exe", "Shop.dll");

    expect(JSON.parse(stdout)).toEqual(JSON.parse(fixture("Shop.json")));
    expect(stderr).toBe("");
  });

  it("prints that of one type with what it needs", async () => {
    const { stdout } = await run("mono", "PrintContracts.exe", "Shop.dll", "Acme.Legacy.Savings");

    const { $ref, $defs } = JSON.parse(stdout);
    expect($ref).toBe("#/$defs/Savings");
    expect(Object.keys($defs).toSorted()).toEqual(["Account", "Mode", "Savings"]);
  });

  it("belongs to the schemas and payloads that the same types write", async () => {
    const schemas = join(work, "xsd");
    mkdirSync(schemas);
    await run("mono", "Schemas.exe", "Shop.dll", schemas);
    const { stdout } = await run("mono", "Payloads.exe");

    const written = readdirSync(schemas).map((name) => [name, readFileSync(join(schemas, name), "utf8")]);
    expect(written).toEqual(readdirSync(join(fixtures, "xsd")).map((name) => [name, fixture(`xsd/${name}`)]));
    expect(JSON.parse(stdout)).toEqual(JSON.parse(fixture("payloads.json")));
  });
});
