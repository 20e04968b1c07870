import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { goldenCommand, type GoldenCommand } from "../../src/cli/contract/golden.ts";
import { reportingUnreadable } from "../../src/cli/contract/outcome.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";

function golden(command: GoldenCommand, terminal: Terminal): Promise<number> {
  return reportingUnreadable(terminal, () => goldenCommand(command, terminal));
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

/** A subject with one version and these settings. */
function project(settings: object): string {
  const folder = mkdtempSync(join(tmpdir(), "golden-"));
  folders.push(folder);
  mkdirSync(join(folder, "schemas/order"), { recursive: true });
  writeFileSync(join(folder, "schemas/order/1.0.schema.json"), JSON.stringify(schema));
  set(folder, settings);
  return folder;
}

function set(folder: string, settings: object): void {
  writeFileSync(join(folder, "schemas/order/subject.json"), JSON.stringify({ codecs: ["json"], ...settings }));
}

async function run(name: "record" | "verify" | "matrix", folder: string): Promise<readonly [number, string]> {
  const terminal = captureTerminal();
  const places = { schemas: join(folder, "schemas"), fixtures: join(folder, "golden") };
  const code = await golden({ name, ...places }, terminal);
  return [code, terminal.text() + terminal.errors()];
}

const said = {
  brokerProperties: { subject: "order", messageId: "golden", timeToLive: 60_000 },
  applicationProperties: { tenant: "a", since: { $dateTime: "2026-01-31T12:00:00.000Z" } },
};

const recordOf = (folder: string): string => join(folder, "golden/order/1.0/json/least.json");

describe("the envelope of a golden message", () => {
  it("has the broker and application properties that producers are said to set", async () => {
    const folder = project({ envelope: said });

    const [code] = await run("record", folder);

    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(recordOf(folder), "utf8"))).toMatchObject({
      bodyKind: "data",
      brokerProperties: { ...said.brokerProperties, contentType: "application/json" },
      applicationProperties: { "sobre-type": "order", "sobre-version": 1, tenant: "a" },
      expected: { id: expect.any(String) },
    });
    expect((await run("verify", folder))[0]).toBe(0);
    expect((await run("matrix", folder))[0]).toBe(0);
  });

  it.each([
    ["another", "subject", { ...said, brokerProperties: { ...said.brokerProperties, subject: "orders" } }],
    ["no", "sessionId", { ...said, brokerProperties: { ...said.brokerProperties, sessionId: "s" } }],
    ["another", "tenant", { ...said, applicationProperties: { ...said.applicationProperties, tenant: "b" } }],
  ])("fails the matrix with %s %s than producers are said to set now", async (_, name, envelope) => {
    const folder = project({ envelope: said });
    await run("record", folder);
    set(folder, { envelope });

    const [code, text] = await run("matrix", folder);

    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(`the envelope has (another|no) ${name} than subject.json says`));
  });

  it("cannot be edited once it is recorded", async () => {
    const folder = project({ envelope: said });
    await run("record", folder);
    writeFileSync(recordOf(folder), readFileSync(recordOf(folder), "utf8").replace('"golden"', '"other"'));

    const [code, text] = await run("verify", folder);

    expect(code).toBe(4);
    expect(text).toContain("was changed");
  });

  it("is read as it was where only the content type was recorded", async () => {
    const folder = project({ envelope: said });
    await run("record", folder);
    const { sha256, expected }: { sha256: string; expected: unknown } = JSON.parse(
      readFileSync(recordOf(folder), "utf8"),
    );
    const first = {
      contentType: "application/json",
      applicationProperties: { "sobre-type": "order" },
      expected,
      sha256,
    };
    writeFileSync(recordOf(folder), JSON.stringify(first));

    const codes = [(await run("verify", folder))[0], (await run("matrix", folder))[0]];

    expect(codes).toEqual([0, 0]);
  });

  it.each([
    ["a member that the form lacks", { envelope: { properties: {} } }, "envelope: unknown member `properties`"],
    ["a property no sender sets", { envelope: { brokerProperties: { lockToken: "a" } } }, "lockToken"],
    ["the content type", { envelope: { brokerProperties: { contentType: "a/b" } } }, "the content type is the codec's"],
    ["a version that is not there", { inFlight: [{ service: "a", produces: ["1.7"] }] }, "the version 1.7"],
    ["a misspelt setting", { inflight: [] }, "unknown member `inflight`"],
    ["codecs that are no list", { codecs: "json" }, "codecs must be a list"],
    ["a policy that is no object", { policy: "full" }, "policy must be an object"],
  ])("comes from subject.json, which is refused for %s", async (_, settings, why) => {
    const folder = project(settings);

    const [code, text] = await run("record", folder);

    expect(code).toBe(4);
    expect(text).toContain("order/subject.json");
    expect(text).toContain(why);
  });
});
