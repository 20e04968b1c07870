import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { broken, deadLettered, ended, failsOnce, idsIn, inspected, jobId, order } from "./inspected.support.ts";

const from = "orders/$DeadLetterQueue";

describe("a repair", () => {
  it("shows what the chain would say of another content type, a new body or a new text, and changes nothing", async () => {
    const { engine, serializer, post } = inspected();
    const { payload } = serializer.serialize({ body: { id: 7 }, contentType: "application/msgpack" });
    await deadLettered(engine, "orders", [
      { payload, brokerProperties: { contentType: "application/json", messageId: "m", subject: "old" } },
    ]);
    const ask = (repair: object): Promise<{ readonly body: unknown }> =>
      post("api/verdict", { entity: from, sequence: "1", repair });

    const asMsgpack = await ask({ brokerProperties: { contentType: "application/msgpack", subject: null } });
    const asText = await ask({ text: '{"id":8}' });
    const asBody = await ask({ body: { id: { $int64: "9007199254740993" } } });
    const untouched = await ask({});

    expect(asMsgpack.body).toMatchObject({ verdict: { ok: true, codec: "msgpack", body: { id: 7 } } });
    expect(asMsgpack.body).not.toHaveProperty("brokerProperties.subject");
    expect(asText.body).toMatchObject({ verdict: { ok: true, codec: "json", body: { id: 8 } } });
    expect(asBody.body).toMatchObject({ verdict: { ok: true, body: { id: { $int64: "9007199254740993" } } } });
    expect(untouched.body).toMatchObject({ verdict: { ok: false, attempts: [{ codec: "json" }] } });
    expect((await engine.peek(from, { maxMessages: 1 }))[0]?.envelope.payload).toEqual(new Uint8Array(payload));
  });

  it("refuses a property that a sender cannot set, by its name", async () => {
    const { engine, post } = inspected();
    await deadLettered(engine, "orders", [order(1)]);

    const { status, body } = await post("api/verdict", {
      entity: from,
      sequence: "1",
      repair: { brokerProperties: { lockToken: "a" } },
    });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "InvalidArgument", path: "$.brokerProperties.lockToken" } });
  });
});

describe("a re-drive from the page", () => {
  it("only lists what it would send by default", async () => {
    const all = inspected();
    await deadLettered(all.engine, "orders", [order(1), { ...order(2), reason: "Late" }]);

    const { body } = await all.post("api/redrives", { from, selection: { reason: "Late" } });

    expect(await ended(all, body)).toMatchObject({
      state: "done",
      dryRun: true,
      sent: 1,
      outcomes: [{ sequenceNumber: "2", messageId: "order-2", outcome: "sent" }],
    });
    expect(await idsIn(all, "orders")).toEqual([]);
    expect(await idsIn(all, from)).toHaveLength(2);
  });

  it("sends what is selected, repaired, in one transaction each, without marks of a dead letter, and is audited", async () => {
    const all = inspected();
    await deadLettered(all.engine, "orders", [{ ...broken("b1"), reason: "Unreadable" }, broken("b2")]);

    const { body } = await all.post("api/redrives", {
      from,
      dryRun: false,
      selection: { sequenceNumbers: ["1"] },
      repair: { text: '{"id":1}' },
    });

    expect(await ended(all, body)).toMatchObject({ state: "done", sent: 1, guarantee: "transaction" });
    const [sent] = await all.engine.peek("orders", { maxMessages: 1 });
    expect(sent?.deadLetterReason).toBeUndefined();
    expect(Buffer.from(sent?.envelope.payload ?? []).toString()).toBe('{"id":1}');
    expect(await idsIn(all, from)).toEqual(["b2"]);
    expect(all.audit.map(({ action, entity, detail }) => [action, entity, detail])).toEqual([
      ["re-drive", from, "to orders"],
      ["re-drive ended", from, "done: 1 sent, 0 failed, 0 doubled"],
    ]);
  });

  it("stops at the first failure, and goes on when it is resumed without sending one twice", async () => {
    const all = inspected({ queues: ["orders", "other"] });
    await deadLettered(all.engine, "orders", [order(1), order(2), order(3)]);
    failsOnce(all.engine, "order-2");

    const { body } = await all.post("api/redrives", { from, to: "other", dryRun: false });
    const stopped = await ended(all, body);
    const id = jobId(body);
    const resumed = await all.post(`api/redrives/${id}/resume`, {});
    const done = await ended(all, resumed.body);

    expect(stopped).toMatchObject({ state: "stopped", sent: 1, failed: 1, why: "The queue is full." });
    expect(done).toMatchObject({ state: "done", sent: 3, failed: 1 });
    expect(await idsIn(all, "other")).toEqual(["order-1", "order-2", "order-3"]);
    expect(await idsIn(all, from)).toEqual([]);
  });

  it.each(["keep", "renew"])(
    "sends growing batches, and stops when the first one comes back: %s ids",
    async (messageIds) => {
      const all = inspected();
      await deadLettered(
        all.engine,
        "orders",
        Array.from({ length: 5 }, (_, index) => broken(`b${index}`)),
      );
      const processor = all.client.startProcessor("orders", {
        processMessage: () => undefined,
        processError: () => undefined,
      });

      const { body } = await all.post("api/redrives", {
        from,
        dryRun: false,
        firstBatch: 1,
        settleTime: 1000,
        messageIds,
      });
      const result = await ended(all, body);
      await processor.close();

      expect(result).toMatchObject({ state: "stopped", sent: 1, why: expect.stringContaining("come back") });
      expect(await idsIn(all, from)).toHaveLength(5);
    },
  );

  it("keeps to a rate, and ends when it is cancelled", async () => {
    const all = inspected();
    await deadLettered(
      all.engine,
      "orders",
      Array.from({ length: 5 }, (_, index) => order(index)),
    );

    const { body } = await all.post("api/redrives", { from, dryRun: false, rate: 1 });
    const id = jobId(body);
    const sent = async (): Promise<number> => (await idsIn(all, "orders")).length;
    while ((await sent()) < 2) {
      await all.clock.advance(100);
      await setImmediate();
    }
    await all.post(`api/redrives/${id}/cancel`, {});

    expect(await ended(all, body)).toMatchObject({ state: "cancelled" });
    expect(await sent()).toBeLessThan(5);
    expect((await all.get("api/redrives")).body).toMatchObject({ jobs: [{ id, state: "cancelled" }] });
  });

  it.each([
    ["a queue that is not one of dead letters", { from: "orders" }, "$.from"],
    ["an unknown member", { from, everything: true }, "$.everything"],
    ["an unknown member of the selection", { from, selection: { reasons: "a" } }, "$.selection.reasons"],
    ["a filter that is none", { from, selection: { path: "id = 7" } }, "$.path"],
    ["a rate of nothing", { from, rate: 0 }, "$.rate"],
  ])("refuses %s", async (_what, init, path) => {
    const { status, body } = await inspected().post("api/redrives", init);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "InvalidArgument", path } });
  });
});

describe("deleting", () => {
  it("asks for the name again, and then deletes every message of that entity alone", async () => {
    const all = inspected({ queues: ["orders", "other"] });
    await deadLettered(all.engine, "orders", [order(1), order(2)]);
    await deadLettered(all.engine, "other", [order(3)]);

    const refused = await all.post("api/purge", { entity: from, name: "orders" });
    const { body } = await all.post("api/purge", { entity: from, name: from });

    expect(refused.body).toMatchObject({ error: { path: "$.name" } });
    expect(await ended(all, body, "purges")).toMatchObject({ entity: from, state: "done", deleted: 2 });
    expect(await idsIn(all, from)).toEqual([]);
    expect(await idsIn(all, "other/$DeadLetterQueue")).toEqual(["order-3"]);
  });

  it.each([
    ["by number", { sequenceNumbers: ["1", "3"] }],
    ["by reason", { reason: "Late" }],
  ])(
    "deletes only the dead letters that are selected %s, and releases the others uncounted",
    async (_how, selection) => {
      const all = inspected();
      const late = { reason: "Late" };
      await deadLettered(all.engine, "orders", [
        { ...order(1), ...late },
        order(2),
        { ...order(3), ...late },
        order(4),
      ]);

      const { body } = await all.post("api/purge", { entity: from, name: from, selection });

      expect(await ended(all, body, "purges")).toMatchObject({ state: "done", deleted: 2 });
      expect(await all.engine.peek(from, { maxMessages: 9 })).toMatchObject([
        { envelope: { brokerProperties: { messageId: "order-2" } }, deliveryCount: 0 },
        { envelope: { brokerProperties: { messageId: "order-4" } }, deliveryCount: 0 },
      ]);
      expect(all.audit.map(({ action, detail }) => [action, detail])).toEqual([
        ["purge", "of a selection"],
        ["purge ended", "done: 2 deleted"],
      ]);
    },
  );

  it("refuses to select in a queue whose consumers would wait", async () => {
    const { post } = inspected();

    const { body } = await post("api/purge", { entity: "orders", name: "orders", selection: { reason: "Late" } });

    expect(body).toMatchObject({ error: { code: "InvalidArgument", path: "$.selection" } });
  });
});
