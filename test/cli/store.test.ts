import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { beforeEach, afterEach, describe, expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { type Delivery, deliveryFromJson, deliveryToJson, lockToken } from "../../src/core/engine/index.ts";
import { StoreDatabase } from "../../src/broker/durable/store-database.ts";
import { durableEngine } from "../../src/broker/durable/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { captureTerminal } from "./captured-terminal.support.ts";

const product = { version: "0.0.0", mailbox: "" };
const fixture = new URL("../../fixtures/store/version-1.sqlite", import.meta.url);

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sobre-store-"));
  copyFileSync(fixture, join(directory, "store.sqlite"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const tokenOf = (delivery: Delivery | undefined): ReturnType<typeof lockToken> => delivery?.lockToken ?? lockToken("");

const named = (messageId: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } });

const byNumber = (list: readonly Delivery[]): readonly Delivery[] =>
  list.toSorted((one, other) => (one.sequenceNumber < other.sequenceNumber ? -1 : 1));

function damage(): void {
  const file = join(directory, "store.sqlite");
  const bytes = readFileSync(file);
  bytes.writeUInt8(0x58, bytes.lastIndexOf("It was wrong."));
  writeFileSync(file, bytes);
}

const commands = [["check"], ["export"]] as const;
const commandOf = (name: string, data: string): readonly string[] =>
  name === "check" ? ["store", name, data] : ["store", name, data, join(directory, "out")];

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

  it("exports the messages before and after a page that cannot be read", async () => {
    const data = join(directory, "engine");
    const engine = await durableEngine({ directory: data, queues: ["orders"] });
    const ids = Array.from({ length: 300 }, (_, index) => `message-${index + 100}`);
    await (await engine.openSender("orders")).send(ids.map(named));
    await engine.close();
    const file = join(data, "store.sqlite");
    const bytes = readFileSync(file);
    const at = bytes.lastIndexOf("message-250");
    bytes.writeUInt8(0xff, at - (at % 4096));
    writeFileSync(file, bytes);
    const terminal = captureTerminal();
    const folder = join(directory, "out");

    expect(await run(["store", "export", data, folder], product, terminal)).toBe(1);

    const lines = readFileSync(join(folder, "orders.ndjson"), "utf8");
    expect(ids.filter((id) => !lines.includes(id)).length).toBeLessThan(100);
    expect(lines).toContain("message-399");
    expect(terminal.errors()).toContain("store.sqlite: database disk image is malformed");
  });

  it("exports the messages whose status or entity is damaged, each place said once", async () => {
    copyFileSync(new URL("version-2.sqlite", fixture), join(directory, "store.sqlite"));
    const database = new DatabaseSync(join(directory, "store.sqlite"));
    database.exec("UPDATE entity SET value = 'no JSON' WHERE entity = 1; UPDATE status SET status = 7");
    database.close();
    const terminal = captureTerminal();
    const folder = join(directory, "out");

    expect(await run(["store", "export", directory, folder], product, terminal)).toBe(1);

    expect(readFileSync(join(folder, "entity-1.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(3);
    expect(terminal.errors()).toContain("sobre: the row 1 of the table entity differs from its checksum\n");
    expect(terminal.errors()).toMatch(/^sobre: the row \d of the table status differs from its checksum$/m);
  });

  it("makes no folder of messages where it cannot open the store", async () => {
    const database = new StoreDatabase(directory);
    const terminal = captureTerminal();
    const folder = join(directory, "out");

    const code = await run(["store", "export", directory, folder], product, terminal);

    database.close();
    expect(code).toBe(1);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toContain("in use by process");
    expect(existsSync(folder)).toBe(false);
  });

  it("exports what the broker said of each message: numbers, times, counts and reasons", async () => {
    const data = join(directory, "engine");
    const engine = await durableEngine({
      directory: data,
      firstSequenceNumber: 500n,
      queues: { orders: { enablePartitioning: true } },
      topics: { prices: { subscriptions: ["eu"] } },
    });
    await (await engine.openSender("orders")).send(["a", "b", "c"].map(named));
    await (await engine.openSender("prices")).send([named("d")]);
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [first, second] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
    await engine.settle("orders", tokenOf(first), { kind: "deadLetter", deadLetterReason: "Wrong" });
    await engine.settle("orders", tokenOf(second), { kind: "abandon" });
    const seen = await Promise.all(
      ["orders/$DeadLetterQueue", "orders", "prices/Subscriptions/eu"].map((queue) =>
        engine.peek(queue, { maxMessages: 9 }),
      ),
    );
    await engine.close();
    const folder = join(directory, "out");

    expect(await run(["store", "export", data, folder], product, captureTerminal())).toBe(0);

    const exported = readdirSync(folder)
      .toSorted()
      .map((file) => readFileSync(join(folder, file), "utf8").trimEnd().split("\n"))
      .map((lines) => lines.map((line) => deliveryFromJson(JSON.parse(line))));
    expect(exported.map(byNumber)).toEqual(
      seen.map((list) => byNumber(list.map((one) => deliveryFromJson(deliveryToJson(one))))),
    );
    expect(exported.flat().filter(({ deliveryCount }) => deliveryCount === 1)).toHaveLength(1);
  });

  it.each(commands)("does not make a store where none is: %s", async (name) => {
    const [none, empty] = [join(directory, "none"), mkdtempSync(join(directory, "empty-"))];
    writeFileSync(join(empty, "store.sqlite"), "");

    for (const data of [none, empty, join(directory, "store.sqlite")]) {
      const terminal = captureTerminal();
      expect(await run(commandOf(name, data), product, terminal)).toBe(2);
      expect(terminal.errors()).toContain("has no store: store.sqlite is missing or empty");
    }
    expect([existsSync(none), readdirSync(empty), existsSync(join(directory, "out"))]).toEqual([
      false,
      ["store.sqlite"],
      false,
    ]);
  });

  it.each(commands)("misses the database of which the number of its last commit is left: %s", async (name) => {
    const data = mkdtempSync(join(directory, "lost-"));
    const synced = Buffer.alloc(12);
    synced.writeDoubleBE(7, 0);
    synced.writeUInt32BE(crc32(synced.subarray(0, 8)), 8);
    writeFileSync(join(data, "synced"), synced);
    const terminal = captureTerminal();

    expect(await run(commandOf(name, data), product, terminal)).toBe(1);

    expect(terminal.errors()).toContain("store.sqlite is missing or empty, and commit 7 was synced");
    expect(readdirSync(data)).toEqual(["synced"]);
  });

  it.each(commands)("refuses a newer format version, and leaves the file as it is: %s", async (name) => {
    const file = join(directory, "store.sqlite");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = readFileSync(file);
    const terminal = captureTerminal();

    expect(await run(commandOf(name, directory), product, terminal)).toBe(1);

    expect(terminal.errors()).toContain("has the format version 99");
    expect(terminal.text()).toBe("");
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("finds a store without messages intact, and exports none", async () => {
    const data = join(directory, "engine");
    await (await durableEngine({ directory: data, queues: ["orders"] })).close();
    const [checked, exported] = [captureTerminal(), captureTerminal()];

    expect(await run(commandOf("check", data), product, checked)).toBe(0);
    expect(await run(commandOf("export", data), product, exported)).toBe(0);

    expect(checked.text()).toContain("is intact.\nNo messages.");
    expect(exported.text()).toContain("0 messages of 0 queues");
    expect(readdirSync(join(directory, "out"))).toEqual([]);
  });

  it("exports to no place where a folder cannot be", async () => {
    const [file, refused] = [captureTerminal(), captureTerminal()];
    const [store, below] = [join(directory, "store.sqlite"), join(directory, "store.sqlite", "out")];

    expect(await run(["store", "export", directory, store], product, file)).toBe(2);
    expect(await run(["store", "export", directory, below], product, refused)).toBe(1);

    expect(file.errors()).toContain("store.sqlite is a file. Choose a new folder");
    expect(refused.errors()).toContain("store.sqlite cannot be created: a file has its name");
  });
});
