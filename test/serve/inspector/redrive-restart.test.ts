import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Engine } from "../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { lineOf, type Note, pastOf } from "../../../src/serve/inspector/job-record.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { storeDirectory } from "../../broker/durable/store-directory.support.ts";
import {
  deadLettered,
  ended,
  idsIn,
  type Inspected,
  inspected,
  inspectedOn,
  jobId,
  order,
} from "./inspected.support.ts";

const from = "orders/$DeadLetterQueue";

/** Another broker with these queues. */
function another(queues: Parameters<typeof memoryEngine>[0] = { queues: ["orders"] }): Engine {
  const engine = memoryEngine(queues);
  onTestFinished(() => engine.close());
  return engine;
}

/** Lets work follow the sending of one message, before it is confirmed. */
function afterSending(engine: Engine, index: number, work: () => Promise<void>): void {
  let count = 0;
  const connect = engine.connect.bind(engine);
  const connecting = vi.spyOn(engine, "connect").mockImplementation(async () => {
    const connection = await connect();
    const openSender = connection.openSender.bind(connection);
    vi.spyOn(connection, "openSender").mockImplementation(async (entity) => {
      const sender = await openSender(entity);
      const send = sender.send.bind(sender);
      vi.spyOn(sender, "send").mockImplementation(async (envelopes, options) => {
        await send(envelopes, options);
        if (count++ !== index) return;
        connecting.mockRestore();
        await work();
      });
      return sender;
    });
    return connection;
  });
}

/** Lets the sending of a message never end, and its confirmation be lost; resolves when it was sent. */
const loses = (engine: Engine, index: number): Promise<void> =>
  new Promise((sent) => {
    afterSending(engine, index, () => {
      sent();
      return new Promise<never>(() => {});
    });
  });

/** A process that cannot be there. */
const noPid = 2 ** 30;

interface Interrupted {
  readonly next: Inspected;
  readonly id: string;
  /** Its file. */
  readonly record: string;
}

/** Starts a re-drive whose process ends while it sends the second message, and the inspector of the next process. */
async function interrupted(target: Engine, init: object): Promise<Interrupted> {
  const directory = await storeDirectory();
  const options = { directory, brokers: { other: target } };
  // For a process that has ended, no time passes.
  const first = inspected({ queues: ["orders"] }, { ...options, clock: new ManualClock() });
  await deadLettered(first.engine, "orders", [order(1), order(2), order(3)]);
  const connections: Engine[] = [];
  const connect = first.engine.connect.bind(first.engine);
  const connecting = vi.spyOn(first.engine, "connect").mockImplementation(async (given) => {
    const connection = await connect(given);
    connections.push(connection);
    return connection;
  });
  const lost = loses(target, 1);
  // Nobody waits for the re-drive of a process that has ended.
  vi.spyOn(first.inspector, "close").mockResolvedValue();

  const { body } = await first.post("api/redrives", { from, dryRun: false, broker: "other", ...init });
  await lost;
  connecting.mockRestore();
  for (const connection of connections) await connection.close();
  const id = jobId(body);
  return {
    next: inspectedOn(first.engine, first.clock, options),
    id,
    record: join(directory, `${id}.redrive.jsonl`),
  };
}

describe("a re-drive after a restart", () => {
  it("is still there, leaves the message whose sending was not confirmed, and sends none twice", async () => {
    const target = another();
    const { next, id } = await interrupted(target, {});

    const found = await next.get(`api/redrives/${id}`);
    const resumed = await next.post(`api/redrives/${id}/resume`, {});
    const done = await ended(next, resumed.body);

    expect(found.body).toMatchObject({
      state: "stopped",
      why: "The server ended while it ran.",
      guarantee: "sendThenComplete",
      sent: 1,
      inDoubt: 1,
      outcomes: [
        { sequenceNumber: "1", outcome: "sent" },
        { sequenceNumber: "2", outcome: "inDoubt" },
      ],
    });
    expect(done).toMatchObject({ state: "done", sent: 2, inDoubt: 1 });
    expect(await idsIn({ engine: target }, "orders")).toEqual(["order-1", "order-2", "order-3"]);
    expect(await idsIn(next, from)).toEqual(["order-2"]);
  });

  it("leaves that message to you also where the target detects duplicates, which it does only for a while", async () => {
    const target = another({ queues: { orders: { requiresDuplicateDetection: true } } });
    const { next, id } = await interrupted(target, { messageIds: "renew" });

    const resumed = await next.post(`api/redrives/${id}/resume`, {});
    const done = await ended(next, resumed.body);

    expect(done).toMatchObject({ state: "done", guarantee: "duplicateDetection", sent: 2, inDoubt: 1 });
    expect(await idsIn({ engine: target }, "orders")).toEqual([`${id}-1`, `${id}-2`, `${id}-3`]);
    expect(await idsIn(next, from)).toEqual(["order-2"]);
  });

  it("goes on by its record, though another process went on with it meanwhile and ended", async () => {
    const target = another();
    const { next, id, record } = await interrupted(target, {});
    await next.get(`api/redrives/${id}`);
    const other = { note: "running", pid: noPid, guarantee: "sendThenComplete", total: 3 } as const;
    const notes = [other, { note: "sending", sequenceNumber: "3" } as const];

    await appendFile(record, `\n${notes.map(lineOf).join("\n")}\n`);
    const resumed = await next.post(`api/redrives/${id}/resume`, {});
    const done = await ended(next, resumed.body);

    expect(done).toMatchObject({ state: "done", sent: 1, inDoubt: 2 });
    expect(await idsIn({ engine: target }, "orders")).toEqual(["order-1", "order-2"]);
    expect(await idsIn(next, from)).toEqual(["order-2", "order-3"]);
  });

  it("waits for another process that runs it, and for none that has the number of one that ended it", async () => {
    const { next, id, record } = await interrupted(another(), {});
    const running = { note: "running", pid: process.ppid, guarantee: "sendThenComplete", total: 3 } as const;

    await appendFile(record, `\n${lineOf(running)}\n`);
    const refused = await next.post(`api/redrives/${id}/resume`, {});
    const { body: left } = await next.get(`api/redrives/${id}`);
    await appendFile(record, `${lineOf({ note: "ended", state: "cancelled", why: "", seen: 3 })}\n`);
    const resumed = await next.post(`api/redrives/${id}/resume`, {});

    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining(`in process ${process.ppid}`) } });
    expect(left).toMatchObject({ state: "stopped", why: "The server ended while it ran." });
    expect(await ended(next, resumed.body)).toMatchObject({ state: "done", sent: 2, inDoubt: 1 });
  });

  it("leaves the message whose outcome could not be recorded, in the same process too", async () => {
    const directory = await storeDirectory();
    const target = another();
    const all = inspected({ queues: ["orders"] }, { directory, brokers: { other: target } });
    await deadLettered(all.engine, "orders", [order(1), order(2), order(3)]);
    const away = join(directory, "away");
    let record = "";
    // Without a turn in which the clock could move on: the client would take the sending for late, and repeat it.
    afterSending(target, 1, async () => {
      record = join(directory, readdirSync(directory)[0] ?? "");
      renameSync(record, away);
      mkdirSync(record);
    });

    const { body } = await all.post("api/redrives", { from, dryRun: false, broker: "other" });
    const failed = await ended(all, body);
    const unread = await all.post(`api/redrives/${jobId(body)}/resume`, {});
    await rmdir(record);
    await rename(away, record);
    const resumed = await all.post(`api/redrives/${jobId(body)}/resume`, {});
    const done = await ended(all, resumed.body);

    expect(failed).toMatchObject({ state: "failed", why: expect.stringContaining("cannot be recorded") });
    expect(unread.body).toMatchObject({ error: { message: expect.stringContaining("cannot be read") } });
    expect(done).toMatchObject({ state: "done", sent: 2, inDoubt: 1 });
    expect(await idsIn({ engine: target }, "orders")).toEqual(["order-1", "order-2", "order-3"]);
  });

  it.each([
    ["failed", ["2"]],
    ["stopped", []],
  ] as const)("knows what was being sent when it %s: in doubt %j", (state, inDoubt) => {
    const head = { id: "a", init: { from }, startedAt: "2026-01-01T00:00:00.000Z" };
    const notes: readonly Note[] = [
      { note: "begun", head },
      { note: "running", pid: noPid, guarantee: "sendThenComplete", total: 3 },
      { note: "sending", sequenceNumber: "2" },
      { note: "ended", state, why: "", seen: 2 },
    ];

    expect(pastOf(notes.map(lineOf))?.inDoubt.map(String)).toEqual(inDoubt);
  });

  it("is recorded in files that nobody else can read, and goes on where it was stopped when the server was closed", async () => {
    const directory = join(await storeDirectory(), "redrives");
    const first = inspected({ queues: ["orders"] }, { directory });
    await deadLettered(first.engine, "orders", [order(1), order(2), order(3)]);
    const { body } = await first.post("api/redrives", { from, dryRun: false, rate: 1 });
    while ((await idsIn(first, "orders")).length === 0) {
      await first.clock.advance(100);
      await setImmediate();
    }

    await first.inspector.close();
    const next = inspectedOn(first.engine, first.clock, { directory });
    const { body: listed } = await next.get("api/redrives");
    const resumed = await next.post(`api/redrives/${jobId(body)}/resume`, {});
    const done = await ended(next, resumed.body);

    const [file = ""] = await readdir(directory);
    expect((await stat(join(directory, file))).mode & 0o077).toBe(0);
    expect(listed).toMatchObject({
      jobs: [{ state: "stopped", why: "The server was closed.", guarantee: "transaction" }],
    });
    expect(done).toMatchObject({ state: "done", sent: 3, total: 3 });
    expect(await idsIn(next, "orders")).toEqual(["order-1", "order-2", "order-3"]);
    expect((await readFile(join(directory, file), "utf8")).match(/"outcome":"sent"/g)).toHaveLength(3);
  });

  it("is found, sent and closed in order though the record of another one is damaged", async () => {
    const { next, id, record } = await interrupted(another(), {});
    await mkdir(record.replace(id, "unreadable"));
    const ofTheRecord = await readFile(record, "utf8");
    await writeFile(record.replace(id, "b"), ofTheRecord.replaceAll(id, "b").replaceAll('"1"', '"one"'));
    await writeFile(record.replace(id, "c"), `#${JSON.stringify({ note: "begun", head: { id: "c" } })}\n`);

    const { body: listed } = await next.get("api/redrives");
    const resumed = await next.post(`api/redrives/${id}/resume`, {});
    const done = await ended(next, resumed.body);

    expect(listed).toMatchObject({ jobs: [{ id }] });
    expect(done).toMatchObject({ state: "done" });
    await expect(next.inspector.close()).resolves.toBeUndefined();
  });

  it("is not sent while the directory cannot be written", async () => {
    const directory = join(await storeDirectory(), "file");
    await writeFile(directory, "");
    const all = inspected({ queues: ["orders"] }, { directory });
    await deadLettered(all.engine, "orders", [order(1)]);

    const { status, body } = await all.post("api/redrives", { from, dryRun: false });

    expect(status).toBe(500);
    expect(body).toMatchObject({ error: { message: expect.stringContaining("cannot be recorded") } });
    expect(await idsIn(all, from)).toEqual(["order-1"]);
  });

  it("asks for the engine whose re-drives a directory holds", () => {
    expect(() => inspected(undefined, { directory: "a", engine: undefined })).toThrow("requires the option engine");
  });
});

describe("another broker", () => {
  it("gets the messages that are chosen; they leave the dead-letter queue after that", async () => {
    const target = another();
    const all = inspected({ queues: ["orders"] }, { brokers: { staging: target } });
    await deadLettered(all.engine, "orders", [order(1), order(2)]);

    const session = await all.get("api/session");
    const { body } = await all.post("api/redrives", {
      from,
      dryRun: false,
      broker: "staging",
      selection: { sequenceNumbers: ["2"] },
    });
    const done = await ended(all, body);

    expect(session.body).toMatchObject({ brokers: ["staging"] });
    expect(done).toMatchObject({ state: "done", sent: 1, broker: "staging", guarantee: "sendThenComplete" });
    expect(await idsIn({ engine: target }, "orders")).toEqual(["order-2"]);
    expect(await idsIn(all, "orders")).toEqual([]);
    expect(await idsIn(all, from)).toEqual(["order-1"]);
    expect(all.audit[0]).toMatchObject({ action: "re-drive", detail: "to orders on staging" });
  });

  it("is not lent to the other namespaces of a server, nor named there", async () => {
    const target = another();
    const all = inspected({ queues: ["orders"] }, { brokers: { staging: target } });
    await deadLettered(all.engine, "orders", [order(1)]);
    const asTenant = { namespace: "tenant" };
    const init = { from, dryRun: false, broker: "staging", to: "missing" };

    const session = await all.get("api/session", asTenant);
    const started = await all.post("api/redrives", init, asTenant);
    const own = await all.post("api/redrives", init);
    await ended(all, own.body);
    const resumed = await all.post(`api/redrives/${jobId(own.body)}/resume`, {}, asTenant);

    expect(session.body).toMatchObject({ brokers: [] });
    expect([started.status, own.status, resumed.status]).toEqual([401, 200, 401]);
    expect(await idsIn({ engine: target }, "orders")).toEqual([]);
  });

  it("is only for those who manage the entity, and only one that is known", async () => {
    const all = inspected({ queues: ["orders"] }, { brokers: { staging: another() } });
    await deadLettered(all.engine, "orders", [order(1)]);

    const init = { from, dryRun: false, broker: "staging" };
    const refused = await all.post("api/redrives", init, { rights: ["Listen", "Send"] });
    const { body } = await all.post("api/redrives", { ...init, broker: "elsewhere" });

    expect(refused.status).toBe(401);
    expect(await ended(all, body)).toMatchObject({ state: "failed", why: expect.stringContaining("elsewhere") });
    expect(await idsIn(all, from)).toEqual(["order-1"]);
  });
});
