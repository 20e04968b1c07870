import { readFileSync } from "node:fs";
import { join } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { sobre } from "./calls.support.ts";
import { broken, check, contractFolders, hashIn, newer, older } from "./contract-folders.support.ts";

const { scratch, file, folderOf } = contractFolders();
const proto = (field: string): string => `syntax = "proto3"; package a; message M { ${field} }`;

describe("commands inside sobre contract import and export", () => {
  it.each([
    ["a missing file", ["contract", "import", "asyncapi"], "missing required argument"],
    ["an unknown option", ["contract", "import", "pact", "a.json", "--odd"], "unknown option"],
    ["an unknown format", ["contract", "export", "asyncapi", "--format", "xml"], "Allowed choices are json, yaml"],
  ])("end with 2 and one line for %s", async (_, args, message) => {
    const { code, terminal } = await sobre(...args);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(message);
    expect(terminal.errors().trimEnd()).not.toContain("\n");
  });

  it("show their help", async () => {
    const { code, terminal } = await sobre("contract", "import", "pact", "--help");

    expect(code).toBe(0);
    expect(terminal.text()).toContain("--subject <NAME>");
    expect(terminal.text()).toContain("show this");
  });
});

describe("sobre contract check", () => {
  const safe = { "order/1.0.schema.json": newer, "order/1.1.schema.json": older };
  const unproven = {
    "order/1.0.schema.json": { type: "string" },
    "order/1.1.schema.json": { type: "string", format: "date" },
  };

  it("exits with 0 when every pair is proven", async () => {
    expect((await check(folderOf(safe), "--strict")).code).toBe(0);
  });

  it("exits with 1 when a pair breaks", async () => {
    expect((await check(folderOf(broken))).code).toBe(1);
  });

  it("exits with 2 when --against names nothing", async () => {
    expect((await check(folderOf(broken), "--against", "no-such-package")).code).toBe(2);
  });

  it("exits with 2 when no subject has a version", async () => {
    expect((await check(folderOf({ "none.txt": "" }))).code).toBe(2);
  });

  it("exits with 0 when every subject has one version, and says so", async () => {
    const { code, terminal } = await check(folderOf({ "order/1.0.schema.json": older }), "--strict");

    expect(code).toBe(0);
    expect(terminal.errors()).toContain("no two versions of a subject meet yet");
  });

  it("exits with 3 for what is unproven with --strict, and with 0 without it", async () => {
    expect((await check(folderOf(unproven), "--strict")).code).toBe(3);
    expect((await check(folderOf(unproven))).code).toBe(0);
  });

  it("compares within --budget, which are steps and no time", async () => {
    const { code, terminal } = await check(folderOf(broken), "--strict", "--budget", "20");

    expect(code).toBe(3);
    expect(terminal.text()).toContain("used up its budget of 20 steps");
  });

  it("exits with 4 when a schema is not JSON", async () => {
    expect((await check(folderOf({ ...broken, "order/1.1.schema.json": "{" }))).code).toBe(4);
  });

  it("exits with 4 when the folder does not exist", async () => {
    expect((await check(join(scratch, "nowhere"))).code).toBe(4);
  });

  it("shows the line and column of the change, one sentence, the witness with its bytes, and a repair", async () => {
    const { terminal } = await check(folderOf(broken));

    const lines = terminal.text().split("\n");
    expect(lines).toContainEqual(expect.stringMatching(/order\/1\.1\.schema\.json:\d+:\d+ member-required$/));
    expect(lines).toContain('    witness {"id":""}');
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}as amqp c1[0-9a-f]+$/));
    expect(lines).toContainEqual(expect.stringContaining('Make "note" optional for readers'));
    const [, line = "", column = ""] = /:(\d+):(\d+) member-required/.exec(terminal.text()) ?? [];
    const text = JSON.stringify(newer, undefined, 2).split("\n");
    expect(text[Number(line) - 1]?.slice(Number(column) - 1)).toMatch(/^"required"/);
  });

  it("writes JUnit that is well-formed, with the witness in the failure", async () => {
    const { terminal } = await check(
      folderOf({ ...broken, 'a&<"/1.0.schema.json': older, 'a&<"/1.1.schema.json': older }),
      "-f",
      "junit",
    );

    expect(XMLValidator.validate(terminal.text())).toBe(true);
    const { testsuite } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" }).parse(terminal.text());
    expect(testsuite).toMatchObject({ tests: "2", failures: "1" });
    expect(testsuite.testcase.map(({ classname }: { classname: string }) => classname)).toContain('a&<"');
    expect(JSON.stringify(testsuite)).toContain('Witness: {\\"id\\":\\"\\"}; the reader /: must have');
  });

  it("writes SARIF 2.1.0 with the members that its schema requires", async () => {
    const folder = folderOf(broken);

    const { terminal } = await check(folder, "-f", "sarif");

    const sarif = JSON.parse(terminal.text());
    expect(sarif).toMatchObject({ version: "2.1.0", runs: [{ tool: { driver: { name: "sobre contract" } } }] });
    const [{ results, tool }] = sarif.runs;
    expect(results).toHaveLength(1);
    for (const { ruleId, level, message, locations } of results) {
      expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toContain(ruleId);
      expect(["none", "note", "warning", "error"]).toContain(level);
      expect(message.text).toContain("requires");
      const { artifactLocation, region } = locations[0].physicalLocation;
      // A URI, in which a path has slashes and no blanks.
      expect(artifactLocation.uri).toMatch(/^[^\s\\]+1\.1\.schema\.json$/);
      expect(region.startLine).toBeGreaterThan(0);
      expect(region.startColumn).toBeGreaterThan(0);
    }
  });

  it("writes GitHub's commands, one line each and escaped, and Markdown as one table", async () => {
    const folder = folderOf(broken);

    const github = (await check(folder, "-f", "github")).terminal.text().trimEnd().split("\n");
    const markdown = (await check(folder, "-f", "markdown")).terminal.text();

    expect(github[0]).toMatch(
      /^::error file=[^,]+,line=\d+,col=\d+,title=member-required%3A [^:]*::[^\n]*%0AWitness: /,
    );
    expect(github[1]).toBe("::notice title=next version::order 1.0 → 1.1, next version: major");
    expect(github).toHaveLength(3);
    expect(markdown).toMatch(
      /^\| pair \| verdict \| why \| witness \| repair \| where \|\n(\| --- ){6}\|\n\| order 1\.0 → 1\.1 \| breaking \|/,
    );
  });

  it("shows in every format what is unproven or wrong outside the pairs, as a failure where it is one", async () => {
    const folder = folderOf({
      ...unproven,
      "lock.json": { schemas: { "order/0.9.schema.json": "00" } },
    });
    const shown = async (...args: readonly string[]): Promise<string> => (await check(folder, ...args)).terminal.text();

    const [junit, strict] = [await shown("-f", "junit"), await shown("-f", "junit", "--strict")];
    const [github, sarif] = [await shown("-f", "github"), await shown("-f", "sarif", "--strict")];
    const markdown = await shown("-f", "markdown");

    expect([junit.match(/<skipped /g)?.length, junit.match(/<failure /g)?.length]).toEqual([1, 1]);
    expect([strict.match(/<skipped /g)?.length, strict.match(/<failure /g)?.length]).toEqual([undefined, 2]);
    expect(github).toMatch(/^::warning file=[^,]+1\.1\.schema\.json,line=1,title=unproven%3A order/m);
    const { runs } = JSON.parse(sarif);
    expect(runs[0].results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])).toEqual([
      ["unproven", "error"],
      ["problem", "error"],
    ]);
    expect(markdown).toMatch(/\| unproven \| \S[^|]+ \|/);
    expect(markdown).toContain("- order/0.9.schema.json was released and is gone");
  });

  it("names no witness where a rule has none", async () => {
    const folder = folderOf({
      "order/1.0.proto": proto("reserved 2; int32 n = 1;"),
      "order/1.1.proto": proto("int32 n = 1;"),
    });

    for (const format of ["text", "junit", "github", "sarif", "markdown"]) {
      const { code, terminal } = await check(folder, "-f", format);

      expect(code).toBe(1);
      expect(terminal.text()).toContain("no longer reserves 2");
      expect(terminal.text()).not.toMatch(/undefined|null/);
    }
  });

  it("refuses to compare two formats, and names the file that is not JSON", async () => {
    const [schema, text] = [file("one.json", "{}"), file("two.proto", proto("int32 n = 1;"))];

    const [formats, unreadable] = [
      await sobre("contract", "compat", schema, text),
      await sobre("contract", "compat", schema, file("three.json", "{")),
    ];

    expect([formats.code, unreadable.code]).toEqual([2, 4]);
    expect(formats.terminal.errors()).toContain("have different formats");
    expect(unreadable.terminal.errors()).toContain("three.json is not JSON");
  });

  it.each(["backward", "forward", "full"])(
    "names the first file whose schema is invalid, and what is wrong there, %s",
    async (direction) => {
      const schemas = [file("nope.json", '{ "type": "nope" }'), file("limit.json", '{ "minimum": "x" }')];

      const { terminal } = await sobre("contract", "compat", ...schemas, "--direction", direction);

      expect(terminal.errors()).toContain("nope.json: ");
      expect(terminal.errors()).not.toContain("minimum");
    },
  );
});

describe("sobre contract replay", () => {
  it("shows the witness of a check failing again, from the report alone, and not once the schema is mended", async () => {
    const folder = folderOf(broken);
    const report = file("check.json", (await check(folder, "-f", "json")).terminal.text());
    const hash = hashIn(readFileSync(report, "utf8"));
    const mended = folderOf({ ...broken, "order/1.1.schema.json": older });

    const again = await sobre("contract", "replay", report, hash.slice(0, 8));
    const today = await sobre("contract", "replay", report, hash, "-s", mended);

    expect([again.code, today.code]).toEqual([1, 0]);
    expect(again.terminal.text()).toContain('sent {"id":""}');
    expect(again.terminal.text()).toContain("must have required property 'note'");
    expect(today.terminal.text()).toContain("no longer fails");
  });

  it("names the version that sends first, in the direction of the check", async () => {
    const policy = { policy: { direction: "forward" } };
    const folder = folderOf({
      "order/1.0.schema.json": newer,
      "order/1.1.schema.json": older,
      "order/subject.json": policy,
    });
    const report = file("forward.json", (await check(folder, "-f", "json")).terminal.text());

    const { terminal } = await sobre("contract", "replay", report, hashIn(readFileSync(report, "utf8")));

    expect(terminal.text()).toMatch(/^order 1\.1 → 1\.0\n/);
  });

  it("does so for compat, of Protobuf too", async () => {
    const [before, after] = [file("old.proto", proto("int64 n = 1;")), file("new.proto", proto("int32 n = 1;"))];
    const { terminal } = await sobre("contract", "compat", before, after, "-f", "json");
    const report = file("compat.json", terminal.text());

    const { code, terminal: shown } = await sobre("contract", "replay", report, hashIn(terminal.text()));

    expect(code).toBe(1);
    expect(shown.text()).toMatch(/as protobuf 08[0-9a-f]+/);
  });

  it("refuses a file that is not a report, and a hash that none contains", async () => {
    const folder = folderOf(broken);
    const report = file("other.json", (await check(folder, "-f", "json")).terminal.text());

    const codes = [
      (await sobre("contract", "replay", file("no.json", "[]"), "ab")).code,
      (await sobre("contract", "replay", report, "no-such")).code,
    ];

    expect(codes).toEqual([2, 2]);
  });
});

let types = 0;

describe("upcasters", () => {
  const subject = { codecs: ["json"], policy: { contentModel: "upcast" }, inFlight: [] };
  const versions = {
    "order/subject.json": subject,
    "order/1.0.schema.json": {
      type: "object",
      properties: { total: { type: ["number", "null"] } },
      required: ["total"],
    },
    "order/2.0.schema.json": { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
  };
  const module = (step: string): string =>
    file(
      `types-${types++}.mjs`,
      `import { defineMessage } from ${JSON.stringify(import.meta.resolve("../../src/index.ts"))};
       import { jsonSchema } from ${JSON.stringify(import.meta.resolve("../../src/core/json-schema/index.ts"))};
       export const order = defineMessage("order", {
         1: jsonSchema(${JSON.stringify(versions["order/1.0.schema.json"])}),
         2: jsonSchema(${JSON.stringify(versions["order/2.0.schema.json"])}),
       }, { upcast: { 1: ${step} } });`,
    );

  it("are searched for a valid body that they make invalid", async () => {
    const folder = folderOf(versions);

    const wrong = await check(folder, "--types", module("({ total }) => ({ cents: total === null ? null : 1 })"));
    const right = await check(
      folder,
      "--types",
      module("({ total }) => ({ cents: Math.round((total ?? 0) * 100) })"),
      "--strict",
    );
    const none = await check(folder, "--strict");

    expect([wrong.code, right.code, none.code]).toEqual([1, 0, 3]);
    expect(wrong.terminal.text()).toContain('witness {"total":null}');
    // Never shown as safe: no number of samples proves a function.
    expect(right.terminal.text()).toContain("tested    order 1.0 → 2.0");
    expect(none.terminal.text()).toContain("no upcaster was given");
  });
});
