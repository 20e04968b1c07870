import { afterEach, describe, expect, it, vi } from "vitest";
import { openMessage, writeMessage } from "../../../src/amqp/index.ts";
import type { IncomingDelivery } from "../../../src/amqp/wire/index.ts";
import { type Engine, lockToken } from "../../../src/engine/index.ts";
import { memoryEngine } from "../../../src/engines/memory/index.ts";
import { typed, AmqpMap, type AmqpValue, createEnvelope } from "../../../src/envelope/index.ts";
import { tokenOf } from "../../../src/amqp/wire/broker/lock-tag.ts";
import { BrokerPair } from "./broker-pair.ts";

const message = (messageId: string): Uint8Array =>
  writeMessage({ properties: { messageId }, body: { kind: "value", value: messageId } });
const tag = (number: number): Uint8Array => Uint8Array.of(number);
const send = (messageId: string, number = 0): { payload: Uint8Array; tag: Uint8Array; settled: boolean } => ({
  payload: message(messageId),
  tag: tag(number),
  settled: false,
});
const idsOf = (got: readonly IncomingDelivery[]): unknown[] =>
  got.map(({ payload }) => openMessage(payload).properties?.messageId);

/** A message of a transaction's coordinator. */
const described = (descriptor: number, ...fields: AmqpValue[]): Uint8Array =>
  writeMessage({ body: { kind: "value", value: typed.described(typed.ulong(descriptor), fields) } });

describe("messages that come in one read", () => {
  it("each get their own outcome when one of them is refused", async () => {
    const engine = memoryEngine({ queues: { q: { maxMessageSizeInBytes: 1000 }, s: { requiresSession: true } } });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const told: unknown[] = [];
    const sender = pair.sender(session, "s", told);
    await pair.run();
    const withSession = writeMessage({ properties: { groupId: "a" }, body: { kind: "value", value: 1 } });

    sender.send({ ...send("1", 1), payload: withSession });
    sender.send(send("2", 2));
    sender.send({ ...send("3", 3), payload: withSession });
    await pair.run();

    expect(told).toMatchObject([{ kind: "accepted" }, { kind: "rejected" }, { kind: "accepted" }]);
    expect((await engine.admin.getQueueRuntimeProperties("s")).totalMessageCount).toBe(2);
  });

  it("keep their order among settled ones and batches", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "q");
    await pair.run();

    for (let index = 0; index < 20; index++) sender.send({ ...send(`${index}`, index), settled: index % 5 === 4 });
    await pair.run();

    const peeked = await engine.peek("q", { maxMessages: 100 });
    expect(peeked.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index}`),
    );
  });

  it("are sent although the link is detached behind them", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "q");
    await pair.run();

    for (let index = 0; index < 5; index++) sender.send(send(`${index}`, index));
    sender.detach();
    await pair.run();

    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(5);
  });
});

describe("a link that receives and deletes", () => {
  it("loses nothing when it is detached in the read that brought its credit", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const sender = await engine.openSender("q");
    await sender.send(Array.from({ length: 10 }, (_, payload) => createEnvelope({ payload: Uint8Array.of(payload) })));
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(session, "q", got, { sndSettleMode: 1 });
    await pair.run();

    receiver.grant(5);
    receiver.detach();
    await pair.run();

    const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("q");
    expect(got.length + totalMessageCount).toBe(10);
    expect(totalMessageCount).toBe(10);
  });

  it("takes no more than the session has room for", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const sender = await engine.openSender("q");
    await sender.send(Array.from({ length: 300 }, () => createEnvelope({ payload: Uint8Array.of(1) })));
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(session, "q", got, { sndSettleMode: 1 });
    await pair.run();

    receiver.grant(200);
    await pair.run();

    expect(got).toHaveLength(200);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(100);
  });
});

describe("an open link", () => {
  afterEach(() => void vi.useRealTimers());

  it("is detached when its token ends, and another link with it is refused", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine, { expiresAt: Date.now() + 60_000 });
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    pair.receiver(session, "q", got).grant(10);
    pair.sender(session, "q");
    await pair.run();
    pair.server.tick();
    await pair.run();
    const before = [...pair.detached];

    vi.setSystemTime(Date.now() + 60_001);
    pair.server.tick();
    await pair.run();
    const ended = [...pair.detached];
    pair.sender(session, "q");
    await pair.run();
    const sender = await engine.openSender("q");
    await sender.send([createEnvelope({ payload: Uint8Array.of(1) })]);
    await pair.run();

    expect(before).toEqual([]);
    expect(ended.map((error) => error?.condition)).toEqual(["amqp:unauthorized-access", "amqp:unauthorized-access"]);
    expect(pair.detached.at(-1)?.condition).toBe("amqp:unauthorized-access");
    expect(pair.detached).toHaveLength(3);
    expect(got).toEqual([]);
  });

  it("lets nobody send by request who may only listen", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine, { rights: ["Listen"] });

    const answer = await request(pair, "q", "schedule-message", { messages: [] });

    expect(answer.applicationProperties?.get("statusCode")).toBe(401);
  });
});

/** Sends a request to a `$management` node, in a transaction when one is given. */
async function request(
  pair: BrokerPair,
  entity: string,
  operation: string,
  body: Readonly<Record<string, AmqpValue>>,
  transactionId?: Uint8Array,
): Promise<ReturnType<typeof openMessage>> {
  const session = await pair.session();
  const answers: IncomingDelivery[] = [];
  const requests = pair.sender(session, `${entity}/$management`);
  pair.receiver(session, `${entity}/$management`, answers, { name: "answers" }).grant(10);
  await pair.run();
  const payload = writeMessage({
    properties: { messageId: "request", replyTo: "answers" },
    applicationProperties: { operation: `com.microsoft:${operation}` },
    body: { kind: "value", value: new AmqpMap(Object.entries(body)) },
  });
  const state = transactionId === undefined ? undefined : ({ kind: "transactional", transactionId } as const);
  requests.send({ payload, tag: tag(1), settled: false, state });
  await pair.run();
  return openMessage(answers[0]?.payload ?? new Uint8Array());
}

/** A transaction that was begun over the connection. */
async function declared(pair: BrokerPair): Promise<{
  readonly id: Uint8Array;
  readonly discharge: (fail: boolean) => Promise<void>;
}> {
  const session = await pair.session();
  const told: { transactionId?: Uint8Array }[] = [];
  const link = session.links.newSender("coordinator");
  link.open(
    { source: { kind: "source" }, target: { kind: "coordinator" } },
    {
      flowed: () => undefined,
      disposed: (_delivery, state) => void told.push(state?.kind === "declared" ? state : {}),
      detached: () => undefined,
    },
  );
  await pair.run();
  link.send({ payload: described(0x31, null), tag: tag(1), settled: false });
  await pair.run();
  const id = told[0]?.transactionId ?? new Uint8Array();
  const discharge = async (fail: boolean): Promise<void> => {
    link.send({ payload: described(0x32, id, fail), tag: tag(2), settled: false });
    await pair.run();
  };
  return { id, discharge };
}

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

/** Schedules a message in a minute. */
function later(engine: Engine): Promise<readonly bigint[]> {
  const brokerProperties = { scheduledEnqueueTimeUtc: new Date(Date.now() + 60_000) };
  return engine.schedule("q", [createEnvelope({ payload: Uint8Array.of(1), brokerProperties })]);
}
