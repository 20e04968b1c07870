import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { tokenOf } from "../../../../src/wire/amqp/message/lock-tag.ts";
import { accepted, type IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { type Engine, lockToken } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared, request } from "./broker-requests.support.ts";

const send = (messageId: string, number: number): { payload: Uint8Array; tag: Uint8Array; settled: boolean } => ({
  payload: writeMessage({ properties: { messageId }, body: { kind: "value", value: messageId } }),
  tag: Uint8Array.of(number),
  settled: false,
});
const idsOf = (got: readonly IncomingDelivery[]): unknown[] =>
  got.map(({ payload }) => parseMessage(payload).properties?.messageId);

describe("a request in a transaction", () => {
  it.each([
    ["happens", false, 0],
    ["does not happen", true, 1],
  ])("to settle %s with its end", async (_what, fail, left) => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const sender = pair.sender(session, "q");
    pair.receiver(session, "q", got).grant(1);
    await pair.run();
    sender.send(send("1", 1));
    await pair.run();
    const transaction = await declared(pair);
    const token = tokenOf(got[0]?.tag ?? new Uint8Array());

    const answer = await request(
      pair,
      "q",
      "update-disposition",
      { "disposition-status": "completed", "lock-tokens": typed.array("uuid", [lockToken(token)]) },
      transaction.id,
    );
    const { totalMessageCount: meanwhile } = await engine.admin.getQueueRuntimeProperties("q");
    await transaction.discharge(fail);

    expect(idsOf(got)).toEqual(["1"]);
    expect(answer.applicationProperties?.get("statusCode")).toBe(200);
    expect(meanwhile).toBe(1);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(left);
  });

  it.each([
    ["schedules at its commit", false, 2],
    ["schedules nothing when it is rolled back", true, 1],
  ])("%s", async (_, fail, left) => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    await later(engine);
    const transaction = await declared(pair);
    const scheduled = writeMessage({
      messageAnnotations: { "x-opt-scheduled-enqueue-time": new Date(Date.now() + 60_000) },
      body: { kind: "value", value: 1 },
    });

    const messages = [new AmqpMap([["message", scheduled]])];
    const answer = await request(pair, "q", "schedule-message", { messages }, transaction.id);
    const { scheduledMessageCount: meanwhile } = await engine.admin.getQueueRuntimeProperties("q");
    await transaction.discharge(fail);

    expect(answer.applicationProperties?.get("statusCode")).toBe(200);
    expect(meanwhile).toBe(1);
    expect((await engine.admin.getQueueRuntimeProperties("q")).scheduledMessageCount).toBe(left);
  });

  it("to cancel what is scheduled is refused, and nothing happens", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const numbers = await later(engine);
    const transaction = await declared(pair);

    const given = { "sequence-numbers": typed.array("long", numbers) };
    const answer = await request(pair, "q", "cancel-scheduled-message", given, transaction.id);
    await transaction.discharge(false);

    expect(answer.applicationProperties?.get("statusCode")).toBeGreaterThanOrEqual(400);
    expect((await engine.admin.getQueueRuntimeProperties("q")).scheduledMessageCount).toBe(1);
  });
});

describe("a transaction", () => {
  it("is rolled back when the link to its coordinator goes", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const told: unknown[] = [];
    const sender = pair.sender(session, "q", told);
    await pair.run();
    const transaction = await declared(pair);
    const state = { kind: "transactional", transactionId: transaction.id } as const;
    sender.send({ ...send("1", 1), state });
    await pair.run();

    await transaction.close();
    sender.send({ ...send("2", 2), state });
    await pair.run();

    expect(told).toMatchObject([
      { kind: "transactional" },
      { kind: "rejected", error: { condition: "amqp:transaction:unknown-id" } },
    ]);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("counts a delivery of what it has rolled back before an orderly close, until the message is dead-lettered", async () => {
    const engine = memoryEngine({ queues: { q: { maxDeliveryCount: 3 } } });
    await (await engine.openSender("q")).send([createEnvelope({ payload: Uint8Array.of(1) })]);
    const counts: unknown[] = [];
    for (let delivery = 0; delivery < 3; delivery++) {
      const pair = new BrokerPair(engine);
      const session = await pair.session();
      const got: IncomingDelivery[] = [];
      pair.receiver(session, "q", got).grant(1);
      const transaction = await declared(pair, session);
      for (const { id, payload } of got) {
        counts.push(parseMessage(payload).header?.deliveryCount ?? 0);
        session.settleIncoming(id, { ...transaction.state, outcome: accepted });
      }
      await transaction.discharge(true);
      pair.client.close();
      await pair.run();
    }

    expect(counts).toEqual([0, 1, 2]);
    const { activeMessageCount, deadLetterMessageCount } = await engine.admin.getQueueRuntimeProperties("q");
    expect([activeMessageCount, deadLetterMessageCount]).toEqual([0, 1]);
  });

  it("undoes what it has settled when the link to its coordinator ends", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    pair.receiver(session, "q", got).grant(1);
    const sender = pair.sender(session, "q");
    await pair.run();
    sender.send(send("1", 1));
    await pair.run();
    const token = tokenOf(got[0]?.tag ?? new Uint8Array());
    const given = { "disposition-status": "completed", "lock-tokens": typed.array("uuid", [token]) };
    const transaction = await declared(pair);
    await request(pair, "q", "update-disposition", given, transaction.id);

    await transaction.close();
    const answer = await request(pair, "q", "update-disposition", given);

    expect(answer.applicationProperties?.get("statusCode")).toBe(200);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });
});

/** Schedules a message in a minute. */
function later(engine: Engine): Promise<readonly bigint[]> {
  const brokerProperties = { scheduledEnqueueTimeUtc: new Date(Date.now() + 60_000) };
  return engine.schedule("q", [createEnvelope({ payload: Uint8Array.of(1), brokerProperties })]);
}
