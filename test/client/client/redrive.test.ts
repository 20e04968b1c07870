import { describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { text } from "../../../codecs/text/index.ts";
import { type RedriveEntry, type RedriveOptions, redriveCountProperty } from "../../../src/client/client/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { amend, createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, setup, type Setup } from "./setup.support.ts";

const garbage = (messageId: string, payload: readonly number[] = [0xff]): Envelope =>
  createEnvelope({
    payload: new Uint8Array(payload),
    brokerProperties: { contentType: "application/json", messageId, subject: "new" },
    applicationProperties: { tenant: "a" },
  });

/** Dead letters of "orders": unreadable ones with these ids. */
async function deadLettered(ids: readonly string[], queue: object = {}): Promise<Setup> {
  const all = setup({ queues: { orders: queue, other: {} } });
  await all.client.createSender("orders").sendEnvelopes(ids.map((id) => garbage(id)));
  await all.client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(ids.length);
  return all;
}

const repairOfA = (envelope: Envelope): Envelope | undefined =>
  envelope.brokerProperties.messageId === "a" ? amend(envelope, { payload: new Uint8Array([0x37]) }) : undefined;

function breakingForA(envelope: Envelope): Envelope {
  if (envelope.brokerProperties.messageId === "a") throw new TypeError("secret");
  return envelope;
}

const deadLetterQueue = "orders/$DeadLetterQueue";

describe("a re-drive", () => {
  it("sends back the original bytes and properties, without marks, and counts", async () => {
    const { client } = await deadLettered(["a"]);

    const report = await client.redrive(deadLetterQueue);
    const [again] = await client.createReceiver("orders").receiveMessages(1);

    expect(report).toMatchObject({
      seen: 1,
      sent: 1,
      failed: 0,
      entries: [{ messageId: "a", deadLetterReason: "Unreadable", outcome: "sent" }],
    });
    expect(again?.envelope.payload).toEqual(new Uint8Array([0xff]));
    expect(again).toMatchObject({ messageId: "a", subject: "new", deadLetterReason: undefined });
    expect(again?.applicationProperties).toEqual({ tenant: "a", [redriveCountProperty]: 1 });
    expect(await client.createReceiver(deadLetterQueue).peekMessages(1)).toEqual([]);
  });

  it("moves each in one transaction when it is asked to: one that cannot be completed is not sent", async () => {
    const { client, engine } = await deadLettered(["a", "b"]);
    const connect = engine.connect.bind(engine);
    vi.spyOn(engine, "connect").mockImplementation(async (options) => {
      const connection = await connect(options);
      const settle = connection.settle.bind(connection);
      vi.spyOn(connection, "settle")
        .mockRejectedValueOnce(new SobreError("MessageLockLost", "gone"))
        .mockImplementation(settle);
      return connection;
    });

    const report = await client.redrive(deadLetterQueue, { atomic: true });

    expect(report).toMatchObject({ sent: 1, failed: 1, doubled: 0 });
    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([{ messageId: "b" }]);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(5)).toMatchObject([{ messageId: "a" }]);
  });

  it("sends to another broker, then completes here", async () => {
    const { client } = await deadLettered(["a", "b"]);
    await using toEngine = memoryEngine({ queues: { orders: {}, unique: { requiresDuplicateDetection: true } } });

    const refused = await client.redrive(deadLetterQueue, { toEngine, to: "unique" });
    const report = await client.redrive(deadLetterQueue, { toEngine });

    expect(refused).toMatchObject({ failed: 2, entries: [{ error: { code: "InvalidOperation" } }, {}] });
    expect(report).toMatchObject({ sent: 2, failed: 0 });
    expect(await toEngine.peek("orders", { maxMessages: 5 })).toHaveLength(2);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(5)).toEqual([]);
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("refuses to send to another broker in one transaction", async () => {
    const { client, engine } = await deadLettered(["a"]);

    const refusal = await rejection(client.redrive(deadLetterQueue, { toEngine: engine, atomic: true }));

    expect(refusal).toMatchObject({ code: "InvalidArgument", path: "$.atomic" });
  });

  it("looks only, in a dry run", async () => {
    const { client } = await deadLettered(["a", "b"]);
    const progress = vi.fn();

    const report = await client.redrive(deadLetterQueue, {
      dryRun: true,
      where: ({ envelope }) => envelope.brokerProperties.messageId !== "b",
      onProgress: progress,
    });

    expect(report).toMatchObject({ dryRun: true, seen: 2, sent: 1, skipped: 1 });
    expect(progress).toHaveBeenCalledTimes(2);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(5)).toHaveLength(2);
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("repairs with a function, and leaves uncounted what is not for it", async () => {
    const { client } = await deadLettered(["a", "b"]);
    const report = await client.redrive(deadLetterQueue, { repair: repairOfA, to: "other" });
    const left = await client.createReceiver(deadLetterQueue).receiveMessages(5, { maxWaitTimeInMs: 0 });

    expect(report).toMatchObject({ sent: 1, skipped: 1 });
    expect(await client.createReceiver("other").peekMessages(5)).toMatchObject([{ body: 7, messageId: "a" }]);
    expect(left).toMatchObject([{ messageId: "b", deliveryCount: 0, deadLetterReason: "Unreadable" }]);
  });

  it("repairs with another chain: what that reads is sent, as it was or rewritten", async () => {
    const { client } = setup({ queues: ["orders", "other"] });
    const latin = (id: string): Envelope =>
      amend(garbage(id, [0xe9]), { brokerProperties: { contentType: "text/plain; charset=iso-8859-1" } });
    await client.createSender("orders").sendEnvelopes([latin("a"), garbage("b")]);
    await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(2);
    const readableBy = createSerializer({ codecs: [json(), text()] });

    const looked = await client.redrive(deadLetterQueue, { readableBy, dryRun: true });
    const report = await client.redrive(deadLetterQueue, { readableBy, rewriteAs: "application/json", to: "other" });

    expect(looked).toMatchObject({ sent: 1, unreadable: 1 });
    expect(report.entries.map(({ outcome }) => outcome)).toEqual(["sent", "unreadable"]);
    expect(await client.createReceiver("other").peekMessages(5)).toMatchObject([
      { body: "é", contentType: "application/json", applicationProperties: { tenant: "a" } },
    ]);
  });

  it("sends before it completes: a failure in between leaves the message, or reports that it is in both places", async () => {
    const { client, clock, faults } = await deadLettered(["a", "b", "c"]);
    faults.refuse("send", "QuotaExceeded");
    faults.refuse("settle", "MessageLockLost");

    const driving = client.redrive(deadLetterQueue);
    await clock.advance(0);
    const report = await driving;

    expect(report.entries).toMatchObject([
      { messageId: "a", outcome: "failed", error: { code: "QuotaExceeded" } },
      { messageId: "b", outcome: "doubled", error: { code: "MessageLockLost" } },
      { messageId: "c", outcome: "sent" },
    ]);
    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([
      { messageId: "b" },
      { messageId: "c" },
    ]);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(5)).toMatchObject([
      { messageId: "a" },
      { messageId: "b" },
    ]);
  });

  it("leaves what was sent back too often", async () => {
    const { client } = await deadLettered(["a"]);

    for (let round = 0; round < 3; round++) {
      await client.redrive(deadLetterQueue, { maxRedrives: 2 });
      await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(1, { maxWaitTimeInMs: 0 });
    }

    expect(await client.createReceiver(deadLetterQueue).peekMessages(1)).toMatchObject([
      { applicationProperties: { [redriveCountProperty]: 2 } },
    ]);
  });

  it("loses nothing to duplicate detection: it requires messageIds there", async () => {
    const { client } = await deadLettered(["a"], { requiresDuplicateDetection: true });

    const refused = await client.redrive(deadLetterQueue);
    const kept = await client.createReceiver(deadLetterQueue).peekMessages(5);
    const renewed = await client.redrive(deadLetterQueue, { messageIds: "renew" });

    expect(refused.entries).toMatchObject([{ outcome: "failed", error: { code: "InvalidOperation" } }]);
    expect(kept).toHaveLength(1);
    expect(renewed.sent).toBe(1);
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(1);
  });

  it("holds what it leaves alone, however long it takes, and comes to the end", async () => {
    const { client, clock, engine } = await deadLettered(["a", "b", "c", "d"], { lockDuration: 10_000 });

    const report = await client.redrive(deadLetterQueue, {
      where: ({ envelope }) => envelope.brokerProperties.messageId !== "a",
      async repair(envelope) {
        for (let second = 0; second < 20; second++) await clock.advance(1_000);
        return envelope;
      },
    });

    expect(report.entries.map(({ messageId, outcome }) => [messageId, outcome])).toEqual([
      ["a", "skipped"],
      ["b", "sent"],
      ["c", "sent"],
      ["d", "sent"],
    ]);
    expect(await engine.peek(deadLetterQueue, { maxMessages: 5 })).toMatchObject([{ deliveryCount: 0 }]);
  });

  it("goes on when its connection was cut, and loses nothing", async () => {
    const ids = ["a", "b", "c", "d"];
    const { client, clock, engine, faults } = await deadLettered(ids);
    let count = 0;
    const redriving = client.redrive(deadLetterQueue, {
      async repair(envelope) {
        if (++count === 2) await faults.cut();
        return envelope;
      },
    });

    const report = await advancedUntil(clock, 1_000, redriving);

    expect(report.entries.map(({ messageId, outcome }) => [messageId, outcome])).toEqual(ids.map((id) => [id, "sent"]));
    const back = await engine.peek("orders", { maxMessages: 9 });
    expect(back.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(ids);
    expect(await engine.peek(deadLetterQueue, { maxMessages: 9 })).toEqual([]);
  });

  it("ends after maxMessages, and with the signal", async () => {
    const { client } = await deadLettered(["a", "b", "c"]);
    const abort = new AbortController();
    const onProgress = (_entry: RedriveEntry): void => abort.abort();

    expect((await client.redrive(deadLetterQueue, { maxMessages: 1 })).sent).toBe(1);
    expect((await client.redrive(deadLetterQueue, { onProgress, abortSignal: abort.signal })).sent).toBe(1);
  });

  it("does nothing on an aborted signal", async () => {
    const { client } = await deadLettered(["a", "b"]);

    expect((await client.redrive(deadLetterQueue, { abortSignal: AbortSignal.abort() })).seen).toBe(0);
  });

  it("reports a repair that throws, and goes on", async () => {
    const { client } = await deadLettered(["a", "b"]);
    const { entries } = await client.redrive(deadLetterQueue, { repair: breakingForA });

    expect(entries).toMatchObject([
      { outcome: "failed", error: { code: "GeneralError", message: "A TypeError was thrown." } },
      { outcome: "sent" },
    ]);
  });

  it.each<readonly [string, object]>([
    ["a repair that gives no envelope", { repair: () => ({ body: 1 }) }],
    ["a repair that gives null", { repair: () => null }],
    ["a where that gives a promise, which would be true", { where: async () => false }],
    ["a where that gives nothing", { where: () => undefined }],
  ])("sends nothing for %s, and reports it", async (_what, options) => {
    const { client } = await deadLettered(["a"]);

    const { sent, entries } = await Reflect.apply(Reflect.get(client, "redrive"), client, [deadLetterQueue, options]);

    expect(sent).toBe(0);
    expect(entries).toMatchObject([{ outcome: "failed", error: { code: "InvalidArgument" } }]);
    expect(entries[0].error.message).toMatch(/^(repair|where) must return /);
  });

  it("requires a target for what a subscription dead-lettered", async () => {
    const { client } = setup({ topics: { prices: { subscriptions: ["eu"] } }, queues: ["orders"] });
    await client.createSender("prices").sendEnvelopes(garbage("a"));
    await client.createReceiver("prices/Subscriptions/eu", { onUnreadable: "dead-letter" }).receiveMessages(1);
    const from = "prices/Subscriptions/eu/$DeadLetterQueue";

    expect(await client.redrive(from)).toMatchObject({ failed: 1, entries: [{ error: { code: "InvalidArgument" } }] });
    expect(await client.redrive(from, { to: "orders" })).toMatchObject({ sent: 1 });
  });

  it.each<readonly [string, string, RedriveOptions]>([
    ["from", "orders", {}],
    ["maxMessages", deadLetterQueue, { maxMessages: 0 }],
    ["maxRedrives", deadLetterQueue, { maxRedrives: -1 }],
    ["rewriteAs", deadLetterQueue, { rewriteAs: "application/json" }],
  ])("refuses a wrong %s and names it", async (option, from, options) => {
    const { client } = setup({ queues: ["orders"] });

    expect((await rejection(client.redrive(from, options))).path).toBe(`$.${option}`);
  });
});
