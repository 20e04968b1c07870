import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { accepted, type IncomingDelivery, type SendingLink } from "../../../../src/wire/amqp/connection/index.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared, requests } from "./broker-requests.support.ts";
import { lateEngine } from "./late-engine.support.ts";

const rolledBack = { kind: "rejected", error: { condition: "amqp:transaction:rollback" } };

/** Lets microtasks run, fewer each time: later calls overtake earlier ones, where the engine's caller lets them. */
function fewerTurns(): () => Promise<void> {
  let turns = 12;
  return async () => {
    turns = Math.max(1, turns - 2);
    for (let turn = turns; turn > 0; turn--) await Promise.resolve();
  };
}

const engines: readonly (readonly [string, () => Engine])[] = [
  ["in memory", () => memoryEngine({ queues: ["q", "to"] })],
  ["on an engine that waits", () => lateEngine(memoryEngine({ queues: ["q", "to"] }), fewerTurns())],
];

const message = (messageId: string, size = 1): Uint8Array =>
  writeMessage({ properties: { messageId }, body: { kind: "data", sections: [new Uint8Array(size)] } });

/** Sends in a transaction. */
function sendIn(
  link: SendingLink,
  { state }: Pick<Awaited<ReturnType<typeof declared>>, "state">,
  id: string,
  { payload = message(id), settled = false }: { readonly payload?: Uint8Array; readonly settled?: boolean } = {},
): void {
  link.send({ payload, tag: new TextEncoder().encode(id), settled, state });
}

async function left(engine: Engine, queue: string): Promise<unknown[]> {
  const found = await engine.peek(queue, { maxMessages: 100 });
  return found.map(({ envelope }) => envelope.brokerProperties.messageId);
}

/** A connection whose receiver has got messages of the queue `q`. */
async function received(
  engine: Engine,
  ids: readonly string[],
): Promise<{
  readonly pair: BrokerPair;
  readonly session: Awaited<ReturnType<BrokerPair["session"]>>;
  readonly got: readonly IncomingDelivery[];
}> {
  const pair = new BrokerPair(engine);
  const session = await pair.session();
  const sender = pair.sender(session, "q");
  await pair.run();
  for (const id of ids) sender.send({ payload: message(id), tag: new TextEncoder().encode(id), settled: false });
  const got: IncomingDelivery[] = [];
  pair.receiver(session, "q", got).grant(100);
  await pair.run();
  expect(got.map(({ payload }) => parseMessage(payload).properties?.messageId)).toEqual(ids);
  return { pair, session, got };
}

describe.each(engines)("a discharge that is written with the work of its transaction, %s,", (_where, open) => {
  it("commits the messages that came before it, in their order", async () => {
    const engine = open();
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const told: unknown[] = [];
    const sender = pair.sender(session, "q", told);
    const transaction = await declared(pair, session);

    for (const id of ["a", "b", "c", "d"]) sendIn(sender, transaction, id);
    const answer = await transaction.discharge(false);

    expect(answer).toEqual(accepted);
    expect(told).toMatchObject(Array.from({ length: 4 }, () => ({ kind: "transactional", outcome: accepted })));
    expect(await left(engine, "q")).toEqual(["a", "b", "c", "d"]);
  });

  it("commits a range of outcomes that were sent settled, and the messages of another session", async () => {
    const engine = open();
    const { pair, session, got } = await received(engine, ["a", "b", "c"]);
    const other = await pair.session();
    const sender = pair.sender(other, "to");
    const transaction = await declared(pair);

    for (const { id } of got) session.settleIncoming(id, { ...transaction.state, outcome: accepted });
    sendIn(sender, transaction, "d");
    const answer = await transaction.discharge(false);

    expect(answer).toEqual(accepted);
    expect(await left(engine, "q")).toEqual([]);
    expect(await left(engine, "to")).toEqual(["d"]);
  });

  it("commits the requests that came before it, even those that wait for others", async () => {
    const engine = open();
    const pair = new BrokerPair(engine);
    const transaction = await declared(pair);
    const scheduled = writeMessage({
      messageAnnotations: { "x-opt-scheduled-enqueue-time": new Date(Date.now() + 60_000) },
      body: { kind: "value", value: 1 },
    });
    const ask = await requests(pair, "q");

    for (let count = 0; count < 40; count++)
      ask("schedule-message", { messages: [new AmqpMap([["message", scheduled]])] }, transaction.id);
    const answer = await transaction.discharge(false);

    expect(answer).toEqual(accepted);
    expect((await engine.admin.getQueueRuntimeProperties("q")).scheduledMessageCount).toBe(40);
  });

  it("rolls back all work that came before it", async () => {
    const engine = open();
    const { pair, session, got } = await received(engine, ["a"]);
    const sender = pair.sender(session, "to");
    const transaction = await declared(pair, session);

    for (const { id } of got) session.settleIncoming(id, { ...transaction.state, outcome: accepted });
    sendIn(sender, transaction, "b");
    const answer = await transaction.discharge(true);

    expect(answer).toEqual(accepted);
    expect([await left(engine, "q"), await left(engine, "to")]).toEqual([["a"], []]);
  });

  it("is refused when an outcome that was sent settled comes too late for its lock, and nothing happens", async () => {
    const engine = open();
    const { pair, session, got } = await received(engine, ["a", "b"]);
    const sender = pair.sender(session, "to");
    const transaction = await declared(pair, session);
    await engine.admin.updateQueue("q", {});

    for (const { id } of got) session.settleIncoming(id, { ...transaction.state, outcome: accepted });
    sendIn(sender, transaction, "c");
    const answer = await transaction.discharge(false);

    expect(answer).toMatchObject(rolledBack);
    expect([await left(engine, "q"), await left(engine, "to")]).toEqual([["a", "b"], []]);
  });

  it.each<[string, Uint8Array]>([
    ["is too large", message("large", 3_000_000)],
    ["cannot be read", Uint8Array.of(1, 2, 3)],
  ])("is refused when a message %s, settled or not, and nothing is sent", async (_what, payload) => {
    for (const settled of [true, false]) {
      const engine = open();
      const pair = new BrokerPair(engine);
      const session = await pair.session();
      const sender = pair.sender(session, "q");
      const transaction = await declared(pair, session);

      sendIn(sender, transaction, "a");
      sendIn(sender, transaction, "bad", { payload, settled });
      transaction.write(false);
      for (let run = 0; run < 5; run++) await pair.run();

      expect(transaction.answer()).toMatchObject(rolledBack);
      expect(await left(engine, "q")).toEqual([]);
    }
  });

  it("is refused when its entity takes no messages, though nobody asked for the outcome", async () => {
    const engine = open();
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "q");
    const other = pair.sender(session, "to");
    const transaction = await declared(pair, session);
    await engine.admin.updateQueue("to", { status: "SendDisabled" });

    sendIn(sender, transaction, "a");
    sendIn(other, transaction, "b", { settled: true });
    const answer = await transaction.discharge(false);

    expect(answer).toMatchObject(rolledBack);
    expect(await left(engine, "q")).toEqual([]);
  });

  it("is refused when a request in it was, and nothing is scheduled", async () => {
    const engine = open();
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "q");
    const transaction = await declared(pair, session);
    const ask = await requests(pair, "q");

    sendIn(sender, transaction, "a");
    ask("cancel-scheduled-message", { "sequence-numbers": [1n] }, transaction.id);
    const answer = await transaction.discharge(false);

    expect(answer).toMatchObject(rolledBack);
    expect(await left(engine, "q")).toEqual([]);
  });

  it("is refused when the session of a message was ended, and nothing is sent", async () => {
    const engine = open();
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "q");
    const transaction = await declared(pair);

    // A mistake, for which the server ends the session: it ignores what follows.
    session.writeFlow({ handle: 99 });
    sendIn(sender, transaction, "a");
    const answer = await transaction.discharge(false);

    expect(answer).toMatchObject(rolledBack);
    expect(await left(engine, "q")).toEqual([]);
  });
});

describe("transactions that send by one link", () => {
  it("take effect in the order of their discharges, however long the work of the first takes", async () => {
    const slow = Promise.withResolvers<void>();
    let calls = 0;
    const engine = lateEngine(memoryEngine({ queues: ["q", "to"] }), async () => {
      if (calls++ === 0) await slow.promise;
    });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const [sender, other] = [pair.sender(session, "q"), pair.sender(session, "to")];
    const [first, second] = [await declared(pair, session), await declared(pair, session)];

    sendIn(other, first, "slow");
    sendIn(sender, first, "a");
    first.write(false);
    sendIn(sender, second, "b");
    second.write(false);
    await pair.run();
    slow.resolve();
    await pair.run();

    expect([first.answer(), second.answer()]).toEqual([accepted, accepted]);
    expect(await left(engine, "q")).toEqual(["a", "b"]);
  });
});

/** A transaction with a message and one that cannot be read, both written. */
async function refusedOnce(engine: Engine = memoryEngine({ queues: ["q"] })): Promise<{
  readonly engine: Engine;
  readonly pair: BrokerPair;
  readonly transaction: Awaited<ReturnType<typeof declared>>;
}> {
  const pair = new BrokerPair(engine);
  const session = await pair.session();
  const sender = pair.sender(session, "q");
  const transaction = await declared(pair, session);
  sendIn(sender, transaction, "a");
  sendIn(sender, transaction, "bad", { payload: Uint8Array.of(1, 2, 3) });
  return { engine, pair, transaction };
}

describe("a client that commits after a refusal in its transaction", () => {
  it("gets the rest when it had read of the refusal", async () => {
    const { engine, pair, transaction } = await refusedOnce();
    await pair.run();

    const answer = await transaction.discharge(false);

    expect(answer).toEqual(accepted);
    expect(await left(engine, "q")).toEqual(["a"]);
  });

  it("is refused when it read of it while the commit was waiting for other work", async () => {
    const slow = Promise.withResolvers<void>();
    const engine = lateEngine(memoryEngine({ queues: ["q"] }), () => slow.promise);
    const { pair, transaction } = await refusedOnce(engine);
    transaction.write(false);
    await pair.run();

    slow.resolve();
    await pair.run();

    expect(transaction.answer()).toMatchObject(rolledBack);
    expect(await left(engine, "q")).toEqual([]);
  });

  it("is refused when it had not, however long the refusal has been on its way", async () => {
    const { engine, pair, transaction } = await refusedOnce();
    pair.server.wire.receive(pair.client.take());
    for (let wait = 0; wait < 50; wait++) await Promise.resolve();
    const onItsWay = pair.server.wire.take();

    transaction.write(false);
    pair.server.wire.receive(pair.client.take());
    for (let wait = 0; wait < 50; wait++) await Promise.resolve();
    pair.client.receive(onItsWay);
    await pair.run();

    expect(transaction.answer()).toMatchObject(rolledBack);
    expect(await left(engine, "q")).toEqual([]);
  });
});
