import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, afterEach, describe, expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { captureTerminal } from "./captured-terminal.support.ts";

const product = { version: "0.0.0", mailbox: "" };
const fixture = new URL("../../fixtures/store/version-1.sqlite", import.meta.url);

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sobre-store-"));
  copyFileSync(fixture, join(directory, "store.sqlite"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function damage(): void {
  const file = join(directory, "store.sqlite");
  const bytes = readFileSync(file);
  bytes.writeUInt8(0x58, bytes.lastIndexOf("It was wrong."));
  writeFileSync(file, bytes);
}

describe("sobre store", () => {
  it("checks every row and counts the messages of each queue", async () => {
    const terminal = captureTerminal();

    expect(await run(["store", "check", directory], product, terminal)).toBe(0);

    expect(terminal.text()).toContain("is intact.");
    expect(terminal.text()).toMatch(/orders +3 +1 +1 +\d+ {2}2026-11-22T00:00:00.000Z/);
    expect(terminal.text()).toMatch(/orders\/\$DeadLetterQueue +1 /);
  });

  it("ends with 1 and names the row that is damaged", async () => {
    damage();
    const terminal = captureTerminal();

    expect(await run(["store", "check", directory], product, terminal)).toBe(1);

    expect(terminal.errors()).toMatch(/the row \d+ of the table message differs from its checksum/);
  });

  it("exports one file a queue, without the rows that are damaged", async () => {
    damage();
    const terminal = captureTerminal();
    const folder = join(directory, "out");

    expect(await run(["store", "export", directory, folder], product, terminal)).toBe(1);

    expect(readdirSync(folder).toSorted()).toEqual([
      "orders.ndjson",
      "prices%2FSubscriptions%2Feu.ndjson",
      "work.ndjson",
    ]);
    expect(readFileSync(join(folder, "orders.ndjson"), "utf8").split("\n")).toHaveLength(4);
    expect(terminal.errors()).toContain("checksum");
    expect(await run(["store", "export", directory, folder], product, terminal)).toBe(2);
  });

  it("does not make a store where none is", async () => {
    const terminal = captureTerminal();

    expect(await run(["store", "check", tmpdir()], product, terminal)).toBe(2);
    expect(terminal.errors()).toContain("has no store");
  });
});
