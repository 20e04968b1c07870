import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { durableEngine, type DurableEngineOptions } from "../../src/broker/durable/index.ts";
import { SqliteStore } from "../../src/broker/durable/sqlite-store.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/envelope.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import type { RuleProperties } from "../../src/core/engine/rules.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";

/** The version that this release writes; a file of each is in the fixtures. */
const newest = 3;
const fixture = (version: number): URL => new URL(`../../fixtures/store/version-${version}.sqlite`, import.meta.url);

let directory = "";
const open = new Set<Engine>();

beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(async () => {
  for (const engine of open) await engine.close();
  open.clear();
  rmSync(directory, { recursive: true });
});

async function opened(options: Partial<DurableEngineOptions> = {}): ReturnType<typeof durableEngine> {
  const engine = await durableEngine({ directory, ...options });
  open.add(engine);
  return engine;
}

async function reopened(engine: Engine): ReturnType<typeof durableEngine> {
  await engine.close();
  open.delete(engine);
  return opened();
}

async function send(engine: Engine, queue: string, ...envelopes: readonly Envelope[]): Promise<void> {
  const sender = await engine.openSender(queue);
  await sender.send(envelopes);
}

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: new TextEncoder().encode(messageId), brokerProperties: { messageId } });

const payloadOf = (number: number): Uint8Array => new Uint8Array((number * 397) % 9000).fill(number);

const sleep = (milliseconds: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the store of the durable engine", () => {
  it.each(Array.from({ length: newest }, (_, index) => index + 1))(
    "keeps what format version %i has kept",
    async (version) => {
      copyFileSync(fixture(version), join(directory, "store.sqlite"));

      const engine = await opened({ clock: new ManualClock(Date.UTC(2026, 10, 23)) });

      const peek = async (queue: string): Promise<readonly unknown[]> =>
        (await engine.peek(queue, { maxMessages: 10 })).map(({ envelope, state, sequenceNumber, deliveryCount }) => [
          envelope.brokerProperties.messageId,
          state,
          sequenceNumber,
          deliveryCount,
        ]);
      expect(await peek("orders")).toEqual([
        ["b", "deferred", 2n, 1],
        ["c", "active", 3n, 0],
        ["later", "scheduled", 4n, 0],
      ]);
      expect(await peek("orders/$DeadLetterQueue")).toEqual([["a", "active", 1n, 0]]);
      expect(await peek("prices/Subscriptions/eu")).toEqual([["p", "active", 1n, 0]]);
      const session = await engine.acceptSession("work", {
        receiveMode: "peekLock",
        sessionId: "s",
        maxWaitTimeInMs: 0,
      });
      expect(await session.getSessionState()).toEqual(new Uint8Array([9]));
      const [dead] = await engine.peek("orders/$DeadLetterQueue", { maxMessages: 1 });
      expect(dead).toMatchObject({ deadLetterReason: "Wrong", deadLetterErrorDescription: "It was wrong." });
      expect(dead?.envelope.applicationProperties["when"]).toEqual(new Date(0));
      expect(await engine.admin.getSubscription("prices", "eu")).toMatchObject({
        rules: [{ name: "eu", filter: { kind: "sql", expression: "region = 'eu'" } }],
      });
    },
  );

  it("refuses a newer format version, and a file of something else", async () => {
    const file = join(directory, "store.sqlite");
    copyFileSync(fixture(newest), file);
    let database = new DatabaseSync(file);
    database.exec(`PRAGMA user_version = ${newest + 1}`);
    database.close();
    expect(await refusal(opened())).toMatchObject({ code: "InvalidOperation", message: /format version 4/ });

    rmSync(file);
    database = new DatabaseSync(file);
    database.exec("CREATE TABLE cats (name TEXT)");
    database.close();
    expect(await refusal(opened())).toMatchObject({ code: "InvalidOperation", message: /not a store of sobre/ });

    writeFileSync(file, "This is not a database, however long it is.".repeat(100));
    expect(await refusal(opened())).toMatchObject({ code: "DecodeFailed", message: /is damaged/ });
  });

  it("names the row that is damaged", async () => {
    const engine = await opened({ queues: ["orders"] });
    await send(engine, "orders", message("one"), message("two"));
    await engine.close();
    open.delete(engine);
    const file = join(directory, "store.sqlite");
    const bytes = readFileSync(file);
    bytes.writeUInt8(0x58, bytes.lastIndexOf("two"));
    writeFileSync(file, bytes);

    expect(await refusal(opened())).toMatchObject({
      code: "DecodeFailed",
      message: /the row \d+ of the table message differs from its checksum/,
    });
  });

  it("writes the format version of the newest file that is kept", async () => {
    const engine = await opened();
    await engine.close();
    open.delete(engine);

    const database = new DatabaseSync(join(directory, "store.sqlite"), { readOnly: true });
    const version = database.prepare("PRAGMA user_version").get();
    database.close();
    expect(version).toEqual({ user_version: newest });
  });

  it("misses a status without its message", async () => {
    copyFileSync(fixture(newest), join(directory, "store.sqlite"));
    const database = new DatabaseSync(join(directory, "store.sqlite"));
    database.exec("DELETE FROM message WHERE record = (SELECT max(record) FROM status)");
    database.close();

    expect(await refusal(opened())).toMatchObject({ code: "DecodeFailed", message: /the row \d+ of the table status/ });
  });

  it("misses a synced commit that is gone", async () => {
    const engine = await opened({ queues: ["orders"] });
    await send(engine, "orders", message("one"));
    const copy = `${directory}/copy`;
    mkdirSync(copy);
    for (const name of readdirSync(directory))
      if (name !== "copy") copyFileSync(join(directory, name), join(copy, name));
    rmSync(join(copy, "store.sqlite-wal"));

    expect(await refusal(durableEngine({ directory: copy }))).toMatchObject({ code: "DecodeFailed" });
  });

  it("belongs to one process at a time, and names its id", async () => {
    await opened();

    expect(await refusal(durableEngine({ directory }))).toMatchObject({
      code: "InvalidOperation",
      message: new RegExp(`in use by process ${process.pid}, which has had it open since`),
    });
  });

  it("ignores what a process that has ended wrote about itself", async () => {
    writeFileSync(join(directory, "holder.json"), JSON.stringify({ process: 1, since: "2020-01-01T00:00:00.000Z" }));

    expect(await opened()).toMatchObject({ name: "durable" });
  });

  it("counts a delivery after an end without close, and none after close", async () => {
    let engine = await opened({ queues: ["orders"] });
    await send(engine, "orders", message("one"));
    const receive = async (): Promise<number | undefined> => {
      const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
      const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
      return delivery?.deliveryCount;
    };
    expect(await receive()).toBe(0);
    engine = await reopened(engine);
    expect(await receive()).toBe(0);
    await engine.abort();
    open.delete(engine);
    engine = await opened();

    expect(await receive()).toBe(1);
  });

  it("leaves the entities in the directory as they are, and creates those that are missing", async () => {
    const engine = await opened({ queues: { orders: { maxDeliveryCount: 3 } } });
    await engine.close();
    open.delete(engine);

    const again = await opened({ queues: { orders: { maxDeliveryCount: 5 }, more: {} } });

    expect(await again.admin.getQueue("orders")).toMatchObject({ maxDeliveryCount: 3 });
    expect(await again.admin.listQueues()).toEqual(["more", "orders"]);
  });

  it("keeps times to live that no AMQP header holds", async () => {
    const timeToLive = 2 ** 40;
    const engine = await opened({ queues: ["orders"] });
    await send(engine, "orders", createEnvelope({ payload: new Uint8Array(), brokerProperties: { timeToLive } }));

    const [delivery] = await (await reopened(engine)).peek("orders", { maxMessages: 1 });

    expect(delivery?.envelope.brokerProperties.timeToLive).toBe(timeToLive);
  });

  it("keeps the types of the values in rules", async () => {
    const values = {
      int: typed.int(5),
      ulong: typed.ulong(5n),
      double: typed.double(3),
      float: typed.float(1.5),
      uuid: typed.uuid("6b1a3c5e-1111-2222-3333-444455556666"),
      char: typed.char("x"),
      timestamp: typed.timestamp(9_007_199_254_740_993n),
      number: 1,
      fraction: 1.5,
      bigint: 7n,
      date: new Date(5),
      bytes: Uint8Array.of(1),
      text: "x",
      flag: true,
    };
    const parameters = Object.fromEntries(Object.entries(values).map(([key, value]) => [`@${key}`, value]));
    const rules: readonly RuleProperties[] = [
      { name: "equal", filter: { kind: "correlation", applicationProperties: values } },
      {
        name: "sql",
        filter: { kind: "sql", expression: "n = @int", parameters },
        action: { kind: "sql", expression: "SET m = @double", parameters },
      },
    ];
    const engine = await opened({ topics: { prices: { subscriptions: { eu: { rules } } } } });

    const again = await reopened(engine);

    expect(await again.admin.getSubscription("prices", "eu")).toMatchObject({ rules });
    const sender = await again.openSender("prices");
    await sender.send([createEnvelope({ payload: new Uint8Array(), applicationProperties: { n: typed.int(5) } })]);
    const [delivery] = await again.peek("prices/Subscriptions/eu", { maxMessages: 1 });
    expect(delivery?.envelope.applicationProperties["m"]).toEqual(typed.double(3));
  });

  it("keeps every message whole when the buffers of earlier commits are written over", async () => {
    const engine = await opened({ queues: ["orders"] });
    const rounds = Array.from({ length: 20 }, (_, round) => Array.from({ length: 30 }, (_one, at) => round * 30 + at));

    for (const round of rounds) {
      const sends = round.map(async (number) =>
        send(
          engine,
          "orders",
          createEnvelope({ payload: payloadOf(number), brokerProperties: { messageId: `${number}` } }),
        ),
      );
      await Promise.all(sends);
    }

    const kept = await (await reopened(engine)).peek("orders", { maxMessages: 1000 });
    expect(kept).toHaveLength(600);
    for (const { envelope } of kept)
      expect(envelope.payload).toEqual(payloadOf(Number(envelope.brokerProperties.messageId)));
  });

  it.each([
    ["looked for", 0],
    ["messages", 10],
  ])("keeps every message in its order when the answers to its commits are %s", async (_how, step) => {
    const engine = await opened({ queues: ["orders"], memoryBudget: 0 });
    let time = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (time += step));
    let last = 0;
    const sendNext = (): Promise<void> => send(engine, "orders", message(String(++last)));

    for (let round = 0; round < 40; round++) {
      await sendNext();
      const first = sendNext();
      await new Promise(setImmediate);
      await Promise.all([first, sendNext(), engine.peek("orders", { maxMessages: 5 })]);
    }

    vi.restoreAllMocks();
    const kept = await (await reopened(engine)).peek("orders", { maxMessages: 1000 });
    expect(kept.map(({ envelope }) => Number(envelope.brokerProperties.messageId))).toEqual(
      Array.from({ length: 120 }, (_, index) => index + 1),
    );
  });

  it("never mistakes the answer to an earlier batch for that to the next one", async () => {
    const store = await SqliteStore.open(directory);
    let time = 0;
    vi.spyOn(performance, "now").mockImplementation(() => time);
    const used = (at: number): Promise<void> => store.commit([{ kind: "used", entity: 1, at }], false);
    for (let at = 1; at <= 9; at++) await used(at);
    // Behind the phase of the event loop that looks for answers, so that messages are received before the next one.
    await new Promise(setImmediate);
    const inSlot = used(10);
    sleep(200);
    const asMessage = used(11);
    time += 10;
    sleep(200);
    await asMessage;

    const refused = store.commit([{ kind: "removed", record: 999 }], false);

    await expect(refused).rejects.toMatchObject({ code: "Closed" });
    await inSlot;
    vi.restoreAllMocks();
    await store.close();
  });

  it("deletes no queue as idle for a clock that was set back while it was used, and then set right", async () => {
    const [start, day, minute] = [Date.UTC(2026, 10, 23), 86_400_000, 60_000];
    for (const time of [start, start - day]) {
      const engine = await opened({ clock: new ManualClock(time), queues: { orders: { autoDeleteOnIdle: "PT5M" } } });
      await send(engine, "orders", message("one"));
      await engine.close();
      open.delete(engine);
    }

    const engine = await opened({ clock: new ManualClock(start + minute) });

    expect(await engine.peek("orders", { maxMessages: 10 })).toHaveLength(2);
  });

  it("is backed up while it runs", async () => {
    const engine = await opened({ queues: ["orders"] });
    await send(engine, "orders", message("one"));
    const target = join(directory, "backup");

    await engine.backup(target);

    await send(engine, "orders", message("two"));
    const copy = await durableEngine({ directory: target });
    const deliveries = await copy.peek("orders", { maxMessages: 10 });
    await copy.close();
    expect(deliveries.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["one"]);
  });

  it("has in a backup that is made under load all that was acknowledged before it, and no message without those before", async () => {
    const engine = await opened({ queues: ["orders"], memoryBudget: 0 });
    const sender = await engine.openSender("orders");
    const target = join(directory, "backup");
    let sent = 0;
    let acknowledged = 0;
    const ending = new AbortController();
    const load = Array.from({ length: 8 }, async () => {
      while (!ending.signal.aborted) {
        await sender.send([message(String(++sent))]);
        acknowledged++;
      }
    });
    await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(100), { interval: 1, timeout: 20_000 });

    const before = acknowledged;
    await engine.backup(target);

    ending.abort();
    await Promise.all(load);
    const copy = await durableEngine({ directory: target });
    const kept = await copy.peek("orders", { maxMessages: 100_000 });
    await copy.close();
    expect(kept.length).toBeGreaterThanOrEqual(before);
    expect(kept.map(({ envelope }) => Number(envelope.brokerProperties.messageId))).toEqual(
      Array.from(kept, (_one, index) => index + 1),
    );
  });

  it("is not backed up over another store, nor where no directory can be, and goes on", async () => {
    const engine = await opened({ queues: ["orders"] });
    const target = join(directory, "backup");
    await engine.backup(target);

    expect(await refusal(engine.backup(target))).toMatchObject({ code: "InvalidOperation", message: /already exists/ });
    expect(await refusal(engine.backup(join(target, "store.sqlite")))).toMatchObject({ code: "InvalidOperation" });

    await send(engine, "orders", message("one"));
    expect(await engine.peek("orders", { maxMessages: 10 })).toHaveLength(1);
  });

  it("rejects a wrong budget and a missing directory", async () => {
    expect(await refusal(opened({ memoryBudget: -1 }))).toMatchObject({ code: "InvalidArgument" });
    // @ts-expect-error -- the directory is needed
    expect(await refusal(durableEngine({}))).toMatchObject({ code: "InvalidArgument" });
  });
});
