import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { amqp } from "../../codecs/amqp/index.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { checkContracts, type CheckCommand } from "../../src/cli/contract/check.ts";
import { type Terminal } from "../../src/cli/terminal.ts";
import { reportingUnreadable } from "../../src/cli/contract/contract-command.ts";
import { goldenCommand } from "../../src/cli/contract/golden.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { contractMatchers, contractSuite } from "../../src/contract/index.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";

function check(command: CheckCommand, terminal: Terminal): Promise<number> {
  return reportingUnreadable(terminal, () => checkContracts(command, terminal));
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const copies: string[] = [];

function copy(...parts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "contracts-"));
  copies.push(folder);
  for (const part of ["schemas", ...parts]) cpSync(join(root, part), join(folder, part), { recursive: true });
  return folder;
}

afterAll(() => {
  for (const folder of copies) rmSync(folder, { recursive: true });
});

function makeRequired(folder: string): void {
  const file = join(folder, "schemas/orders.placed/1.1.schema.json");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(
      /"required": \[\s*"id",\s*"lines"\s*\]/,
      '"required": ["id", "lines", "customer"]',
    ),
  );
}

describe("our own subjects", () => {
  const suite = contractSuite({
    schemas: join(root, "schemas"),
    fixtures: join(root, "fixtures/contracts"),
    serializer: (_, { format, text }) =>
      createSerializer({
        codecs: [json(), msgpack(), amqp(), ...(format === "protobuf" ? [protobuf({ protos: text })] : [])],
      }),
  });

  it.each(suite)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("sobre contract", () => {
  it("fails with the witness, its place and a repair when a release breaks readers", async () => {
    const folder = copy();
    makeRequired(folder);
    const terminal = captureTerminal();

    const code = await check({ schemas: join(folder, "schemas"), format: "text", strict: true }, terminal);

    expect(code).toBe(1);
    expect(terminal.text()).toMatch(/1\.1\.schema\.json:\d+:\d+ member-required/);
    expect(terminal.text()).toContain("was released and has been edited");
    expect(terminal.text()).toMatch(/as msgpack [0-9a-f]{2,}/);
  });

  it.each(["json", "junit", "github", "sarif", "markdown"] as const)("reports as %s", async (format) => {
    const folder = copy();
    makeRequired(folder);
    const terminal = captureTerminal();

    await check({ schemas: join(folder, "schemas"), format, strict: false }, terminal);

    expect(terminal.text()).toContain("member-required".slice(0, format === "junit" || format === "markdown" ? 6 : 15));
    if (format === "json" || format === "sarif") expect(() => JSON.parse(terminal.text())).not.toThrow();
  });

  it("fails when there is nothing to check", async () => {
    const folder = mkdtempSync(join(tmpdir(), "contracts-"));
    copies.push(folder);

    const code = await check({ schemas: folder, format: "text", strict: false }, captureTerminal());

    expect(code).toBe(2);
  });

  it.each([
    ["orders.placed/v1.2.schema.json", "beside versions"],
    ["orders.shipped/2.schema.json", "alone"],
    ["orders.placed/1.1.avsc", "a schema of Avro"],
    ["orders.placed/1.1.jsonschema", "another ending"],
    ["orders.placed/1.1.json5", "JSON for people"],
    ["orders.placed/order.json", "no version in its name"],
    ["orders.shipped/1.0.avsc", "a schema of Avro, alone"],
  ])("never leaves a schema out silently: %s, %s", async (file) => {
    const folder = copy();
    mkdirSync(dirname(join(folder, "schemas", file)), { recursive: true });
    writeFileSync(join(folder, "schemas", file), "{}");
    const terminal = captureTerminal();

    const code = await check({ schemas: join(folder, "schemas"), format: "text", strict: false }, terminal);

    expect(code).toBe(4);
    expect(terminal.errors()).toContain(`${file} is not named like a version`);
  });

  it("accepts code and texts for people next to versions", async () => {
    const folder = copy();
    for (const name of ["README.md", "LICENSE", ".editorconfig", "notes.txt", "order.ts"])
      writeFileSync(join(folder, "schemas/orders.placed", name), "");

    expect(await check({ schemas: join(folder, "schemas"), format: "text", strict: false }, captureTerminal())).toBe(0);
  });

  it("compares with a release that left a schema out by its name", async () => {
    const folder = copy();
    const released = join(copy(), "schemas");
    writeFileSync(join(released, "orders.placed/v1.2.schema.json"), "{}");

    const code = await check(
      { schemas: join(folder, "schemas"), against: released, format: "text", strict: false },
      captureTerminal(),
    );

    expect(code).toBe(0);
  });

  it("fails with its own code when a schema cannot be read", async () => {
    const folder = copy();
    writeFileSync(join(folder, "schemas/orders.placed/1.1.schema.json"), '{"type":"text"}');

    const code = await check({ schemas: join(folder, "schemas"), format: "text", strict: false }, captureTerminal());

    expect(code).toBe(4);
  });

  it("takes a waiver with the hash of the witness, and fails once it is stale", async () => {
    const folder = copy();
    const waivers = join(folder, "schemas/waivers.json");
    writeFileSync(
      waivers,
      JSON.stringify([
        { subject: "orders.placed", code: "member-required", witness: "00", reason: "none", expires: "2999-01-01" },
      ]),
    );
    const terminal = captureTerminal();

    const code = await check({ schemas: join(folder, "schemas"), format: "text", strict: false }, terminal);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("is stale");
  });

  it("never writes over a golden message, and notices one that was changed", async () => {
    const folder = copy("fixtures/contracts");
    const command = { schemas: join(folder, "schemas"), fixtures: join(folder, "fixtures/contracts") };
    const bytes = join(command.fixtures, "orders.placed/1.0/json/least.bin");
    const before = readFileSync(bytes, "utf8");

    const recorded = await goldenCommand({ ...command, name: "record" }, captureTerminal());
    const kept = readFileSync(bytes, "utf8");
    writeFileSync(bytes, "{}");
    const terminal = captureTerminal();
    const verified = await reportingUnreadable(terminal, () => goldenCommand({ ...command, name: "verify" }, terminal));

    expect([recorded, kept, verified]).toEqual([0, before, 4]);
  });

  it("shows the matrix as text and as one page", async () => {
    const folder = copy("fixtures/contracts");
    const html = join(folder, "matrix.html");
    const terminal = captureTerminal();

    const code = await goldenCommand(
      { name: "matrix", schemas: join(folder, "schemas"), fixtures: join(folder, "fixtures/contracts"), html },
      terminal,
    );

    expect(code).toBe(0);
    expect(terminal.text()).toContain("orders.placed, msgpack");
    expect(readFileSync(html, "utf8")).toMatch(/^<!doctype html>[\s\S]*<td class="read"/);
    expect(readFileSync(html, "utf8")).not.toMatch(/<script|src=|href=/);
  });
});

describe("toBeCompatibleWith", () => {
  it("prints the witness", async () => {
    const result = await contractMatchers.toBeCompatibleWith({ type: "integer" }, { type: "number" });

    expect(result.pass).toBe(false);
    expect(result.message()).toContain("Witness:");
  });

  it("fails on what is unproven, with .not too", async () => {
    const [older, newer] = [{ type: "string" }, { type: "string", format: "date" }];

    const plain = await contractMatchers.toBeCompatibleWith(newer, older);
    const negated = await contractMatchers.toBeCompatibleWith.call({ isNot: true }, newer, older);

    expect([plain.pass, negated.pass]).toEqual([false, true]);
    expect(plain.message()).toMatch(/^unproven: \S/);
  });

  it("says that a pair is proven where the test expected otherwise", async () => {
    const { message } = await contractMatchers.toBeCompatibleWith.call({ isNot: true }, {}, {});

    expect(message()).toMatch(/^safe: .*proven/);
  });
});
