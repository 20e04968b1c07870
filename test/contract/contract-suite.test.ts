import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { goldenCommand, type GoldenCommand } from "../../src/cli/contract/golden.ts";
import { reportingUnreadable } from "../../src/cli/contract/outcome.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { contractSuite } from "../../src/contract/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";

function golden(command: GoldenCommand, terminal: Terminal): Promise<number> {
  return reportingUnreadable(terminal, () => goldenCommand(command, terminal));
}

const root = mkdtempSync(join(tmpdir(), "suite-"));
afterAll(() => rmSync(root, { recursive: true }));

const serializer = createSerializer({ codecs: [json()] });
const schemas = folder("schemas", { "order/1.0.schema.json": "{}", "order/1.1.schema.json": '{ "title": "order" }' });

function folder(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, name, file, ".."), { recursive: true });
    writeFileSync(join(root, name, file), text);
  }
  return join(root, name);
}

describe("contractSuite", () => {
  it("makes a test of each pair", async () => {
    const tests = contractSuite({ schemas, serializer });

    expect(tests.map(({ name }) => name)).toEqual(["order 1.1 can read all that 1.0 sends"]);
    await expect(tests[0]?.run()).resolves.toBeUndefined();
  });

  it("reads the schema of a subject that has one version", async () => {
    const [first, ...others] = contractSuite({ schemas: folder("one", { "order/1.0.schema.json": "{}" }), serializer });

    expect(first?.name).toBe("order has one version in flight, 1.0");
    expect(others).toEqual([]);
    await expect(first?.run()).resolves.toBeUndefined();
  });

  it("compares the message types of the code with the files, and reads golden messages by them", async () => {
    const files = { "order/1.0.schema.json": '{ "type": "object", "required": ["id"] }' };
    const options = { schemas: folder("code", files), serializer };
    const same = defineMessage("order", {
      1: jsonSchema({ type: "object", required: ["id"], description: "An order." }),
    });
    const other = defineMessage("order", { 1: jsonSchema({ type: "object", required: ["id", "note"] }) });

    const runs = [same, other].map((type) =>
      contractSuite({ ...options, types: [type] }).find(({ name }) => name === "order is in the code as in its files"),
    );

    await expect(runs[0]?.run()).resolves.toBeUndefined();
    await expect(runs[1]?.run()).rejects.toThrow('the file accepts {"id":null}, and the code does not');
  });

  it.each([
    [{ schemas, serializer, fixture: root }, "Unknown option `fixture`"],
    [{ schemas }, "serializer must be a serializer"],
    [{ serializer }, "schemas must be a non-empty string"],
    [{ schemas, serializer, codecs: ["json"] }, "codecs must be a list of codecs"],
    [{ schemas, serializer, fixtures: join(root, "nowhere") }, "Cannot read the folder of golden messages"],
    [{ schemas: folder("none", { "order/subject.json": "{}" }), serializer }, "has no version of a subject"],
  ])("refuses what would test less than was meant: %#", (options, said) => {
    expect(() => Reflect.apply(contractSuite, undefined, [options])).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining(said) }),
    );
  });
});

describe("golden messages", () => {
  it("are not recorded for a Protobuf message that requires itself, and are recorded for the others", async () => {
    const text = 'syntax = "proto2"; package a; message M { required M m = 1; } message N { optional int32 n = 1; }';
    const hostile = folder("hostile", { "loop/1.0.proto": text });
    const fixtures = join(root, "fixtures");

    const code = await golden({ name: "record", schemas: hostile, fixtures }, captureTerminal());

    expect(code).toBe(0);
    const names = readdirSync(join(fixtures, "loop/1.0/protobuf"));
    expect(names).toEqual(expect.arrayContaining(["a.N.bin", "a.N.json", "a.N-empty.bin"]));
    expect(names.filter((name) => name.startsWith("a.M"))).toEqual([]);
  });

  it("are broken where a payload has lost its description", async () => {
    const fixtures = folder("halves", { "order/1.0/json/least.bin": "{}" });
    const terminal = captureTerminal();

    const code = await golden({ name: "verify", schemas, fixtures }, terminal);

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("order/1.0/json/least.json");
  });
});
