import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { linesOf, sobre } from "./calls.support.ts";
import { bury, idsIn, type Place, put, queuePlaces } from "./queue-place.support.ts";

const place = queuePlaces();
const dead = "orders/$DeadLetterQueue";
const dotnet = fileURLToPath(new URL("../../fixtures/legacy/dotnet", import.meta.url));
const order = new Uint8Array(readFileSync(join(dotnet, "nbfx-dcs-order.bin")));

const message = (messageId: string, payload = order, sessionId?: string): Envelope =>
  createEnvelope({ payload, brokerProperties: { messageId, sessionId } });
const noise = (messageId: string): Envelope => message(messageId, Uint8Array.of(0xc1, 0xff, 0xff));

/** A line of the record of what was sent, as if it was sent to another broker. */
const rehearsed = (line: string): string => line.replace(/ [^ /]+\//, " rehearsal.example/");

async function buried({ engine }: Place, ...envelopes: readonly Envelope[]): Promise<void> {
  for (const envelope of envelopes) {
    await put(engine, "orders", envelope);
    await bury(engine, "orders", "Bad");
  }
}

/** Captures and migrates the dead letters; the new messages are in `new.ndjson`. */
async function migrated({ run, path }: Place, entity = dead): Promise<string> {
  await run("capture", entity, path("old.ndjson"));
  await sobre("migrate", path("old.ndjson"), "--out", path("new.ndjson"), "--quarantine", path("unread"));
  return path("new.ndjson.journal");
}

describe("sobre dlq complete", () => {
  it("removes exactly what was migrated and sent, and leaves what is new or failed as it was", async () => {
    const at = place();
    await buried(at, message("a"), noise("bad"), message("b"));
    const journal = await migrated(at);
    await at.run("send", "orders", at.path("new.ndjson"));
    await at.run("receive", "orders", "--max", "2");
    await buried(at, message("late"));

    const dry = await at.run("dlq", "complete", "orders", "--journal", journal, "--dry-run");
    const there = await idsIn(at.engine, dead);
    const { code, terminal } = await at.run("dlq", "complete", "orders", "--journal", journal);

    expect([dry.code, dry.terminal.text().split("\n")[0]]).toEqual([0, `2 messages would be completed in ${dead}`]);
    expect(there).toEqual(["a", "bad", "b", "late"]);
    expect([code, terminal.text()]).toEqual([
      0,
      `2 messages completed in ${dead}\n` +
        "  1 left: were not migrated; --quarantine DIR also removes those that it has copies of\n    #2\n" +
        "  1 left: arrived after the migration\n    #4\n",
    ]);
    const left = await at.engine.peek(dead, { maxMessages: 9 });
    expect(left.map(({ envelope, deliveryCount }) => [envelope.brokerProperties.messageId, deliveryCount])).toEqual([
      ["bad", 0],
      ["late", 0],
    ]);
  });

  it("says again what it did when it is repeated, and removes what failed once its copy is kept", async () => {
    const at = place();
    await buried(at, message("a"), noise("bad"));
    const journal = await migrated(at);
    await at.run("send", "orders", at.path("new.ndjson"));
    await at.run("dlq", "complete", "orders", "--journal", journal);

    const args = ["dlq", "complete", "orders", "--journal", journal, "--quarantine", at.path("unread")];
    const { code, terminal } = await at.run(...args);

    expect([code, terminal.text()]).toEqual([
      0,
      `1 message completed in ${dead}, 1 had left before\n  the source is empty\n`,
    ]);
    expect(await idsIn(at.engine, dead)).toEqual([]);
  });

  it("leaves a message whose sequence number was migrated with other bytes", async () => {
    const at = place();
    await buried(at, message("a"), message("b"));
    const journal = await migrated(at);
    await at.run("send", "orders", at.path("new.ndjson"));
    // Another broker, where other messages have these numbers.
    const other = place();
    await buried(other, message("a"), message("x", new Uint8Array(readFileSync(join(dotnet, "xml-xs-order.bin")))));

    const { code, terminal } = await other.run(
      "dlq",
      "complete",
      "orders",
      "--journal",
      journal,
      "--sent-elsewhere",
      "--json",
    );

    expect(code).toBe(1);
    expect(linesOf(terminal)).toMatchObject([
      { completed: 1, gone: 0, left: [{ sequenceNumber: "2", messageId: "x", reason: "changed" }] },
    ]);
    expect(await idsIn(other.engine, dead)).toEqual(["x"]);
  });

  it("leaves a message without a body whose sequence number was migrated with another id", async () => {
    const at = place();
    const empty = new Uint8Array(0);
    await buried(at, message("a", empty), message("b", empty));
    const journal = await migrated(at);
    // The queue was made again: other messages without a body have these numbers.
    const other = place();
    await buried(other, message("a", empty), message("x", empty));

    const args = ["--journal", journal, "--sent-elsewhere", "--quarantine", at.path("unread")];
    const { code, terminal } = await other.run("dlq", "complete", "orders", ...args);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("1 left: have another id or other bytes than those that were migrated\n    #2\n");
    expect(await idsIn(other.engine, dead)).toEqual(["x"]);
  });

  it("leaves what has not been sent, and sends the rest first", async () => {
    const at = place();
    await buried(at, message("a"), message("b"));
    const journal = await migrated(at);
    await at.run("send", "orders", at.path("new.ndjson"));
    const sent = `${at.path("new.ndjson")}.sent`;
    writeFileSync(sent, readFileSync(sent, "utf8").split("\n").slice(0, 1).join("\n").concat("\n"));

    const half = await at.run("dlq", "complete", "orders", "--journal", journal);
    rmSync(sent);
    const none = await at.run("dlq", "complete", "orders", "--journal", journal);
    const elsewhere = await at.run("dlq", "complete", "orders", "--journal", journal, "--sent-elsewhere");

    expect([half.code, none.code, elsewhere.code]).toEqual([1, 2, 0]);
    expect(half.terminal.text()).toContain("1 left: were migrated, but not sent yet\n    #2\n");
    expect(none.terminal.errors()).toContain("nothing of");
    expect(await idsIn(at.engine, dead)).toEqual([]);
  });

  it("does not count what was sent to another broker unless --sent-elsewhere is given", async () => {
    const at = place();
    await buried(at, message("a"), message("b"));
    const journal = await migrated(at);
    await at.run("send", "orders", at.path("new.ndjson"));
    const sent = `${at.path("new.ndjson")}.sent`;
    const [first = "", second = ""] = readFileSync(sent, "utf8").split("\n");

    writeFileSync(sent, `${rehearsed(first)}\n${rehearsed(second)}\n`);
    const only = await at.run("dlq", "complete", "orders", "--journal", journal);
    writeFileSync(sent, `${first}\n${rehearsed(second)}\n`);
    const half = await at.run("dlq", "complete", "orders", "--journal", journal);
    const left = await idsIn(at.engine, dead);
    const all = await at.run("dlq", "complete", "orders", "--journal", journal, "--sent-elsewhere");

    expect([only.code, half.code, all.code]).toEqual([2, 1, 0]);
    expect(only.terminal.errors()).toMatch(/nothing of .* has been sent to \S+:\d+: .*--sent-elsewhere/);
    expect(left).toEqual(["b"]);
    expect(await idsIn(at.engine, dead)).toEqual([]);
  });

  it("leaves a message that another receiver holds, and completes it later", async () => {
    const at = place();
    await buried(at, message("a"), message("b"));
    const journal = await migrated(at);
    const other = await at.engine.connect();
    const held = await other.openReceiver(dead, { receiveMode: "peekLock" });
    await held.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

    const first = await at.run("dlq", "complete", "orders", "--journal", journal, "--sent-elsewhere");
    await other.close();
    const second = await at.run("dlq", "complete", "orders", "--journal", journal, "--sent-elsewhere");

    expect([first.code, second.code]).toEqual([1, 0]);
    expect(first.terminal.text()).toContain("1 left: are held by another receiver; run this again later\n    #1\n");
    expect(await idsIn(at.engine, dead)).toEqual([]);
  });

  it("completes active, deferred and scheduled messages of a queue with --active", async () => {
    const at = place();
    const later = new Date(Date.now() + 3_600_000);
    await put(at.engine, "orders", message("a"), message("b"));
    await at.engine.schedule("orders", [
      createEnvelope({ payload: order, brokerProperties: { messageId: "c", scheduledEnqueueTimeUtc: later } }),
    ]);
    const receiver = await at.engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken !== undefined) await at.engine.settle("orders", delivery.lockToken, { kind: "defer" });
    const journal = await migrated(at, "orders");

    const { code, terminal } = await at.run(
      "dlq",
      "complete",
      "orders",
      "--active",
      "--journal",
      journal,
      "--sent-elsewhere",
    );

    expect([code, terminal.text()]).toEqual([0, "3 messages completed in orders\n  the source is empty\n"]);
    expect(await idsIn(at.engine, "orders")).toEqual([]);
  });

  it("completes the sessions of a queue one by one", async () => {
    const at = place();
    await put(at.engine, "groups", message("a", order, "s"), message("b", order, "t"), message("c", order, "s"));
    const journal = await migrated(at, "groups");
    await put(at.engine, "groups", message("late", order, "t"));

    const { code } = await at.run("dlq", "complete", "groups", "--active", "--journal", journal, "--sent-elsewhere");

    expect(code).toBe(0);
    expect(await idsIn(at.engine, "groups")).toEqual(["late"]);
  });

  it("leaves messages that lost information when asked to", async () => {
    const at = place();
    const longs = new Uint8Array(readFileSync(join(dotnet, "nbfx-dcs-long-array.bin")));
    await buried(at, message("a"), message("big", longs));
    await at.run("capture", dead, at.path("old.ndjson"));
    await sobre("migrate", at.path("old.ndjson"), "--out", at.path("new.ndjson"), "--int64", "number");
    const args = ["--journal", at.path("new.ndjson.journal"), "--sent-elsewhere"];

    const { code, terminal } = await at.run("dlq", "complete", "orders", ...args, "--leave-lossy");

    expect([code, terminal.text()]).toEqual([
      0,
      `1 message completed in ${dead}\n  1 left: lost information\n    #2\n`,
    ]);
  });

  it("refuses a file that is not a journal, a journal of another entity, and one without sequence numbers", async () => {
    const at = place();
    await buried(at, message("a"));
    const journal = await migrated(at);
    writeFileSync(at.path("no.ndjson.journal"), "nonsense\n");
    await sobre("migrate", join(dotnet, "nbfx-dcs-order.bin"), "--out", at.path("file.ndjson"));
    const complete = async (...args: readonly string[]): Promise<readonly [number, string]> => {
      const { code, terminal } = await at.run("dlq", "complete", ...args);
      return [code, terminal.errors()];
    };

    expect(await complete("orders")).toEqual([2, expect.stringContaining("--journal")]);
    expect(await complete("orders", "--journal", at.path("new.ndjson"))).toEqual([
      2,
      expect.stringContaining("named after its output"),
    ]);
    expect(await complete("orders", "--journal", at.path("x.journal"))).toEqual([
      2,
      expect.stringContaining("no such file"),
    ]);
    expect(await complete("orders", "--journal", at.path("no.ndjson.journal"))).toEqual([
      2,
      expect.stringContaining("is not the journal of a migration"),
    ]);
    expect(await complete("once", "--journal", journal)).toEqual([
      2,
      expect.stringMatching(/migrated from orders\/\$deadletterqueue, not from once\/.*: name orders\n/),
    ]);
    expect(await complete("orders", "--active", "--journal", journal)).toEqual([
      2,
      expect.stringContaining("name orders"),
    ]);
    expect(await complete("orders", "--quarantine", at.path("none"), "--journal", journal)).toEqual([
      2,
      expect.stringContaining("no such folder"),
    ]);
    expect(await complete("orders", "--sent-elsewhere", "--journal", at.path("file.ndjson.journal"))).toEqual([
      1,
      expect.stringContaining("has no sequence numbers"),
    ]);
    expect(await idsIn(at.engine, dead)).toEqual(["a"]);
  });
});
