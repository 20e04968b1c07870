import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { broken, deadLettered, ended, failsOnce, idsIn, inspected, jobId, order } from "./inspected.support.ts";

const from = "orders/$DeadLetterQueue";

describe("a re-drive loses no message and sends none twice", () => {
  it("goes on with every message of a selection that has no outcome yet", async () => {
    const all = inspected();
    await deadLettered(all.engine, "orders", [order(1), order(2), order(3)]);
    failsOnce(all.engine, "order-2");

    const selection = { sequenceNumbers: ["1", "2", "3"] };
    const { body } = await all.post("api/redrives", { from, selection, dryRun: false });
    await ended(all, body);
    const resumed = await all.post(`api/redrives/${jobId(body)}/resume`, {});

    expect(await ended(all, resumed.body)).toMatchObject({ state: "done", sent: 3, failed: 1 });
    expect(await idsIn(all, from)).toEqual([]);
  });

  it("sends each once though a consumer dead-letters them again meanwhile", async () => {
    const all = inspected();
    await deadLettered(all.engine, "orders", [broken("b1"), broken("b2"), broken("b3")]);
    const processor = all.client.startProcessor("orders", {
      processMessage: () => undefined,
      processError: () => undefined,
    });

    const { body } = await all.post("api/redrives", { from, dryRun: false, rate: 1 });
    const result = await ended(all, body);
    await processor.close();

    expect(result).toMatchObject({ state: "done", sent: 3 });
  });

  it("sends nothing to a target that may drop it as a duplicate, unless messageIds says what to do", async () => {
    const all = inspected({ queues: { orders: { requiresDuplicateDetection: true } } });
    await deadLettered(all.engine, "orders", [order(1)]);

    const undecided = await all.post("api/redrives", { from, dryRun: false });
    const refused = await ended(all, undecided.body);
    const left = await idsIn(all, from);
    const decided = await all.post("api/redrives", { from, dryRun: false, messageIds: "renew" });

    expect(refused).toMatchObject({
      state: "stopped",
      sent: 0,
      outcomes: [
        { outcome: "failed", code: "InvalidOperation", message: expect.stringContaining("detects duplicates") },
      ],
    });
    expect(left).toEqual(["order-1"]);
    expect(await ended(all, decided.body)).toMatchObject({ state: "done", sent: 1 });
    expect(await idsIn(all, "orders")).toHaveLength(1);
  });

  it("sends only the messages of the session that is selected", async () => {
    const all = inspected({ queues: ["orders", "other"] });
    await deadLettered(all.engine, "orders", [order(1, { sessionId: "a" }), order(2, { sessionId: "b" })]);

    const { body } = await all.post("api/redrives", { from, to: "other", selection: { session: "b" }, dryRun: false });
    await ended(all, body);

    expect(await idsIn(all, "other")).toEqual(["order-2"]);
    expect(await idsIn(all, from)).toEqual(["order-1"]);
  });

  it("is running until its current message has an outcome: only then can it be resumed", async () => {
    const all = inspected();
    await deadLettered(all.engine, "orders", [order(1), order(2), order(3)]);
    const { body } = await all.post("api/redrives", { from, dryRun: false, rate: 1 });
    const at = `api/redrives/${jobId(body)}`;
    while ((await idsIn(all, "orders")).length === 0) {
      await all.clock.advance(100);
      await setImmediate();
    }

    const [, atOnce] = await Promise.all([all.post(`${at}/cancel`, {}), all.post(`${at}/resume`, {})]);
    const cancelled = await ended(all, body);
    const later = await all.post(`${at}/resume`, {});

    expect(atOnce.body).toMatchObject({ error: { code: "InvalidOperation" } });
    expect(cancelled).toMatchObject({ state: "cancelled" });
    expect(await ended(all, later.body)).toMatchObject({ state: "done", sent: 3 });
    expect(await idsIn(all, from)).toEqual([]);
  });

  it("is resumed with the rights of whoever resumes it", async () => {
    const all = inspected({ queues: ["orders", "other"] });
    await deadLettered(all.engine, "orders", [order(1), order(2)]);
    failsOnce(all.engine, "order-2");
    const { body } = await all.post("api/redrives", { from, to: "other", dryRun: false });
    await ended(all, body);

    const { status } = await all.post(`api/redrives/${jobId(body)}/resume`, {}, { rights: ["Listen"] });

    expect(status).toBe(401);
    expect(await idsIn(all, "other")).toEqual(["order-1"]);
  });

  it("keeps the first outcomes of a dry run alone, and counts all", async () => {
    const all = inspected();
    const many = Array.from({ length: 1001 }, (_, index) => order(index));
    await deadLettered(all.engine, "orders", many);

    const { body } = await all.post("api/redrives", { from });
    const result = await ended(all, body);

    expect(result).toMatchObject({ state: "done", sent: 1001, next: null });
    expect(result).toHaveProperty("outcomes.length", 1000);
  });
});

describe("an import that fails", () => {
  it("says how many messages were sent before, and is audited", async () => {
    const all = inspected({ queues: ["orders", "copies"] });
    await deadLettered(all.engine, "orders", [order(1), order(2)]);
    const { text: lines } = await all.get(`api/export?entity=${from}`);
    failsOnce(all.engine, "order-2");

    const { body } = await all.post("api/import", { entity: "copies", lines });

    expect(body).toMatchObject({
      error: { code: "QuotaExceeded", message: expect.stringContaining("1 of 2 messages") },
    });
    expect(all.audit.at(-1)).toMatchObject({ action: "sent a capture", detail: "1 sent" });
  });
});
