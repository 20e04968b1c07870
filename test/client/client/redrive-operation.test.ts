import { describe, expect, it } from "vitest";
import {
  redriveCountProperty,
  redriveIdProperty,
  type RedriveLog,
  type RedriveOptions,
} from "../../../src/client/client/index.ts";
import { amend, createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, noting, setup, type Setup } from "./setup.support.ts";

const deadLetterQueue = "orders/$DeadLetterQueue";

const order = (id: number, sessionId?: string): Envelope =>
  createEnvelope({
    payload: new TextEncoder().encode(String(id)),
    brokerProperties: { contentType: "application/json", messageId: `order-${id}`, sessionId },
  });

/** Dead letters of "orders", which have these ids. */
async function deadLettered(envelopes: readonly Envelope[]): Promise<Setup> {
  const all = setup({ queues: ["orders", "other"] });
  await all.client.createSender("orders").sendEnvelopes(envelopes);
  const receiver = all.client.createReceiver("orders");
  for (const message of await receiver.receiveMessages(envelopes.length)) await receiver.deadLetterMessage(message);
  return all;
}

const orders = (count: number): readonly Envelope[] => Array.from({ length: count }, (_, id) => order(id));

/** A log in memory. */
function memoryLog(lines: string[] = []): RedriveLog & { readonly lines: string[] } {
  return {
    lines,
    read: async () => lines,
    async append(line) {
      lines.push(line);
    },
  };
}

async function idsIn({ engine }: Setup, entity: string): Promise<readonly unknown[]> {
  const found = await engine.peek(entity, { maxMessages: 1_000 });
  return found.map(({ envelope }) => envelope.brokerProperties.messageId);
}

const failing = noting(() => {
  throw Object.assign(new Error("still broken"), { retryable: false });
}).handlers;

describe("a re-drive comes to an end", () => {
  it("with a consumer that returns every message, without any limit", async () => {
    const all = await deadLettered(orders(3));
    const processor = all.client.startProcessor("orders", failing, { retries: {} });

    const report = await advancedUntil(
      all.clock,
      1_000,
      all.client.redrive(deadLetterQueue, {
        repair: async (envelope) => {
          await all.clock.advance(0);
          return envelope;
        },
      }),
    );
    await processor.close();

    expect(report).toMatchObject({ state: "done", seen: 3, sent: 3 });
    expect(await idsIn(all, deadLetterQueue)).toHaveLength(3);
  });

  it("with messages of others that are dead-lettered meanwhile", async () => {
    const all = await deadLettered(orders(2));
    const receiver = all.client.createReceiver("other");
    let next = 100;

    const report = await all.client.redrive(deadLetterQueue, {
      to: "other",
      async repair(envelope) {
        // One more dead letter for each message that is sent.
        await all.client.createSender("orders").sendEnvelopes(order(next++));
        const own = all.client.createReceiver("orders");
        for (const message of await own.receiveMessages(5)) await own.deadLetterMessage(message);
        return envelope;
      },
    });

    expect(report).toMatchObject({ state: "done", sent: 2 });
    expect(await receiver.peekMessages(9)).toHaveLength(2);
  });
});

describe("a re-drive in batches", () => {
  it("grows them while no message comes back, and counts none as returned", async () => {
    const all = await deadLettered(orders(50));
    const sentAt: number[] = [];
    const start = all.clock.now();
    const driving = all.client.redrive(deadLetterQueue, {
      firstBatch: 2,
      batchGrowth: 4,
      settleTime: "1000s",
      onProgress: () => void sentAt.push((all.clock.now() - start) / 1_000),
    });

    const report = await advancedUntil(all.clock, 10_000, driving);

    expect(report).toMatchObject({ state: "done", sent: 50, returned: 0 });
    const borders = sentAt.flatMap((at, index) => (at - (sentAt[index - 1] ?? at) >= 900 ? [index] : []));
    const sizes = [...borders, 50].map((border, index, ends) => border - (ends[index - 1] ?? 0));
    expect(sizes).toEqual([2, 8, 32, 8]);
  });

  it("stops when messages of a batch come back, and says how many", async () => {
    const all = await deadLettered(orders(20));
    const processor = all.client.startProcessor("orders", failing, { retries: {} });
    const driving = all.client.redrive(deadLetterQueue, { firstBatch: 3 });

    const report = await advancedUntil(all.clock, 1_000, driving);
    await processor.close();

    expect(report).toMatchObject({
      state: "stopped",
      sent: 3,
      returned: 3,
      why: "3 of the messages sent have come back as dead letters.",
    });
    expect(await idsIn(all, deadLetterQueue)).toHaveLength(20);
  });

  it("looks for returned messages after the last batch, too", async () => {
    const all = await deadLettered(orders(1));
    const processor = all.client.startProcessor("orders", failing, { retries: {} });

    const report = await advancedUntil(all.clock, 1_000, all.client.redrive(deadLetterQueue, { firstBatch: 3 }));
    await processor.close();

    expect(report).toMatchObject({ state: "stopped", sent: 1, returned: 1 });
    const [back] = await all.engine.peek(deadLetterQueue, { maxMessages: 1 });
    expect(back?.envelope.applicationProperties[redriveIdProperty]).toBe(report.id);
  });

  it("keeps to a rate", async () => {
    const all = await deadLettered(orders(5));
    const start = all.clock.now();
    const sentAt: number[] = [];

    await advancedUntil(
      all.clock,
      100,
      all.client.redrive(deadLetterQueue, { rate: 2, onProgress: () => void sentAt.push(all.clock.now() - start) }),
    );

    expect(sentAt.map((at) => at - (sentAt[0] ?? 0))).toEqual([0, 500, 1_000, 1_500, 2_000]);
  });
});

describe("a re-drive with failures", () => {
  it("stops at the first one when asked to, and says why", async () => {
    const all = await deadLettered(orders(3));
    all.faults.refuse("send", "QuotaExceeded");

    const report = await all.client.redrive(deadLetterQueue, { stopOnFailure: true });

    expect(report).toMatchObject({
      state: "stopped",
      seen: 1,
      failed: 1,
      why: expect.stringContaining("made to fail"),
    });
    expect(await idsIn(all, deadLetterQueue)).toHaveLength(3);
  });

  it("sends no message of a session before an earlier one that is left", async () => {
    const all = await deadLettered([order(1, "a"), order(2, "b"), order(3, "a"), order(4, "b"), order(5)]);
    all.faults.refuse("send", "QuotaExceeded");

    const report = await all.client.redrive(deadLetterQueue, { to: "other" });
    const outcomes = report.entries.map(({ messageId, outcome }) => [messageId, outcome]);
    const again = await all.client.redrive(deadLetterQueue, { to: "other" });

    expect(outcomes).toEqual([
      ["order-1", "failed"],
      ["order-2", "sent"],
      ["order-3", "blocked"],
      ["order-4", "sent"],
      ["order-5", "sent"],
    ]);
    expect(again).toMatchObject({ sent: 2, blocked: 0 });
    expect(await idsIn(all, "other")).toEqual(["order-2", "order-4", "order-5", "order-1", "order-3"]);
  });

  it("sends no message of a session before an earlier one that maxRedrives skips", async () => {
    const spent = amend(order(1, "a"), { applicationProperties: { [redriveCountProperty]: 2 } });
    const all = await deadLettered([spent, order(2, "b"), order(3, "a"), order(4)]);

    const { entries } = await all.client.redrive(deadLetterQueue, { to: "other", maxRedrives: 2 });

    expect(entries.map(({ outcome }) => outcome)).toEqual(["skipped", "sent", "blocked", "sent"]);
    expect(await idsIn(all, "other")).toEqual(["order-2", "order-4"]);
  });

  it("is resumed by its log: a message that was sent and not completed is not sent again", async () => {
    const all = await deadLettered(orders(3));
    const log = memoryLog();
    all.faults.refuse("settle", "MessageLockLost");

    const first = await all.client.redrive(deadLetterQueue, { to: "other", stopOnFailure: true, log });
    const second = await all.client.redrive(deadLetterQueue, { to: "other", stopOnFailure: true, log });

    expect(first).toMatchObject({ state: "stopped", doubled: 1, sent: 0 });
    expect(second).toMatchObject({ id: first.id, state: "done", sent: 3 });
    expect(await idsIn(all, "other")).toEqual(["order-0", "order-1", "order-2"]);
    expect(await idsIn(all, deadLetterQueue)).toEqual([]);
  });

  it("resumed, leaves what was dead-lettered after it first began", async () => {
    const all = await deadLettered(orders(2));
    const log = memoryLog();
    await all.client.redrive(deadLetterQueue, { maxMessages: 1, log });
    const receiver = all.client.createReceiver("orders");
    for (const message of await receiver.receiveMessages(5)) await receiver.deadLetterMessage(message);

    const resumed = await all.client.redrive(deadLetterQueue, { log });

    expect(resumed.entries).toMatchObject([{ messageId: "order-1", outcome: "sent" }]);
    expect(await idsIn(all, deadLetterQueue)).toEqual(["order-0"]);
  });

  it("records each outcome with its time, and reads a log whose last line was cut short", async () => {
    const all = await deadLettered(orders(3));
    const log = memoryLog();
    all.faults.refuse("send", "QuotaExceeded");
    const first = await all.client.redrive(deadLetterQueue, { log, maxMessages: 2 });

    const [head, ...entries] = log.lines.map((line): unknown => JSON.parse(line));
    log.lines.push('{"sequenceNumber":"7","outc', "");
    const resumed = await all.client.redrive(deadLetterQueue, { log });

    expect(head).toMatchObject({ redrive: first.id, from: deadLetterQueue, end: "3" });
    expect(entries).toMatchObject([
      { sequenceNumber: "1", messageId: "order-0", outcome: "failed", error: { code: "QuotaExceeded" } },
      { sequenceNumber: "2", messageId: "order-1", outcome: "sent", at: expect.stringMatching(/Z$/) },
    ]);
    expect(resumed).toMatchObject({ id: first.id, sent: 2 });
  });

  it("ends before the next message when it is aborted during a wait", async () => {
    const all = await deadLettered(orders(3));
    const abort = new AbortController();
    const driving = all.client.redrive(deadLetterQueue, { rate: 1, abortSignal: abort.signal });
    for (let step = 0; step < 5; step++) await all.clock.advance(100);

    abort.abort();

    expect(await driving).toMatchObject({ state: "aborted", seen: 1, sent: 1 });
    expect(await idsIn(all, deadLetterQueue)).toHaveLength(2);
  });
});

describe("a re-drive refuses", () => {
  it.each<readonly [string, RedriveOptions]>([
    ["rate", { rate: 0 }],
    ["firstBatch", { firstBatch: 0 }],
    ["batchGrowth", { firstBatch: 1, batchGrowth: 0.5 }],
    ["settleTime", { firstBatch: 1, settleTime: "soon" }],
    ["log", { log: memoryLog(['{"redrive":"1","from":"other/$DeadLetterQueue"}']) }],
    ["log", { log: memoryLog(['{"outcome":"sent"}']) }],
    ["log", { log: memoryLog(), dryRun: true }],
  ])("an unusable %s", async (option, options) => {
    const { client } = await deadLettered(orders(1));

    const error = await rejection(client.redrive(deadLetterQueue, options));

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain(option);
  });
});
