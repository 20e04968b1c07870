import { afterEach, describe, expect, it, vi } from "vitest";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../../src/core/values/typed.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared, request } from "./broker-requests.support.ts";

const message = (messageId: string): Uint8Array =>
  writeMessage({ properties: { messageId }, body: { kind: "value", value: messageId } });
const tag = (number: number): Uint8Array => Uint8Array.of(number);
const send = (messageId: string, number = 0): { payload: Uint8Array; tag: Uint8Array; settled: boolean } => ({
  payload: message(messageId),
  tag: tag(number),
  settled: false,
});

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

  it("are sent although the link is detached after them", async () => {
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

describe("what is refused", () => {
  it("carries the id that it is tracked by: links, messages and settlements", async () => {
    const engine = memoryEngine({ queues: { q: {}, s: { requiresSession: true } } });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const told: unknown[] = [];
    const sender = pair.sender(session, "s", told);
    pair.sender(session, "missing");
    await pair.run();

    sender.send(send("1", 1));
    sender.send({ payload: Uint8Array.of(1, 2, 3), tag: tag(2), settled: false });
    await pair.run();

    const tracked = expect.stringMatching(/^.*[^-\w]TrackingId: [0-9a-f-]{36}$/);
    expect(told).toMatchObject([{ error: { description: tracked } }, { error: { description: tracked } }]);
    expect(pair.detached).toMatchObject([{ condition: "amqp:not-found", description: tracked }]);
  });

  it("shows the id after the longest name of an entity", async () => {
    const pair = new BrokerPair(memoryEngine());
    const session = await pair.session();
    pair.sender(session, "n".repeat(1000));
    await pair.run();

    expect(pair.detached[0]?.description).toMatch(/TrackingId: [0-9a-f-]{36}$/);
    expect(pair.detached[0]?.description?.length).toBeLessThanOrEqual(400);
  });
});

describe("a token for one entity", () => {
  it("sends to no other by way of its own", async () => {
    const engine = memoryEngine({ queues: ["own", "other"] });
    const pair = new BrokerPair(engine, { scope: "own", rights: ["Send"] });
    const session = await pair.session();
    const ends = ["other", "own"].map((destination) => {
      const link = session.links.newSender(`to ${destination}`);
      const told: unknown[] = [];
      const properties = new AmqpMap([[typed.symbol("com.microsoft:transfer-destination-address"), destination]]);
      link.open(
        { source: { kind: "source" }, target: { kind: "target", address: "own" }, properties },
        {
          flowed: () => undefined,
          disposed: () => undefined,
          detached: (error) => void told.push(error?.condition),
        },
      );
      return told;
    });

    await pair.run();

    expect(ends).toEqual([["amqp:unauthorized-access"], []]);
  });

  it("opens transactions, which grant no further rights", async () => {
    const engine = memoryEngine({ queues: ["own"] });
    const pair = new BrokerPair(engine, { scope: "own", rights: ["Send"] });
    const session = await pair.session();
    const sender = pair.sender(session, "own");
    await pair.run();

    const transaction = await declared(pair);
    sender.send({ ...send("1", 1), state: { kind: "transactional", transactionId: transaction.id } });
    await pair.run();
    await transaction.discharge(false);

    expect((await engine.admin.getQueueRuntimeProperties("own")).totalMessageCount).toBe(1);
  });
});

const selector = typed.described(typed.symbol("apache.org:selector-filter:string"), "color = 'red'");
const noLocal = typed.described(typed.symbol("apache.org:no-local-filter:list"), []);
const filterOf = (name: string, value: AmqpValue): AmqpMap => new AmqpMap([[typed.symbol(name), value]]);

describe("a receiver that asks for what the server does not apply", () => {
  it.each([
    ["a selector", "q", { filter: filterOf("jms-selector", selector) }, "The filter jms-selector of the receiver"],
    ["no messages of its own", "q", { filter: filterOf("no-local", noLocal) }, "The filter no-local of the receiver"],
    ["copies", "q", { distributionMode: "copy" }, "Peek the messages instead"],
    ["a durable subscription to a topic", "t", { distributionMode: "copy" }, "'t' is a topic. Receive from one of its"],
    ["copies of what is missing", "none", { distributionMode: "copy" }, "could not be found"],
  ])("is refused when it asks for %s", async (_what, address, source, why) => {
    const pair = new BrokerPair(memoryEngine({ queues: ["q"], topics: { t: { subscriptions: ["s"] } } }));
    const session = await pair.session();

    session.links
      .newReceiver("asking")
      .open(
        { source: { kind: "source", address, ...source }, target: { kind: "target" } },
        { delivered: () => undefined, detached: (error) => void pair.detached.push(error) },
      );
    await pair.run();

    expect(pair.detached).toMatchObject([{ description: expect.stringContaining(why) }]);
  });

  it("is served when the filter is null", async () => {
    const pair = new BrokerPair(memoryEngine({ queues: ["q"] }));
    const session = await pair.session();
    const link = session.links.newReceiver("asking");

    link.open(
      { source: { kind: "source", address: "q", filter: filterOf("jms-selector", null) }, target: { kind: "target" } },
      { delivered: () => undefined, detached: () => undefined },
    );
    await pair.run();

    expect(link.remote?.source).toMatchObject({ address: "q", filter: undefined });
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

  it("to the coordinator is detached, too, when the token ends", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const pair = new BrokerPair(memoryEngine(), { expiresAt: Date.now() + 60_000 });
    const ends: (string | undefined)[] = [];
    const link = (await pair.session()).links.newSender("coordinator");
    link.open(
      { source: { kind: "source" }, target: { kind: "coordinator" } },
      { flowed: () => undefined, disposed: () => undefined, detached: (error) => void ends.push(error?.condition) },
    );
    await pair.run();
    const before = [...ends];

    vi.setSystemTime(Date.now() + 60_001);
    pair.server.tick();
    await pair.run();

    expect([before, ends]).toEqual([[], ["amqp:unauthorized-access"]]);
  });

  it("lets nobody who may only listen send by request", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine, { rights: ["Listen"] });

    const answer = await request(pair, "q", "schedule-message", { messages: [] });

    expect(answer.applicationProperties?.get("statusCode")).toBe(401);
  });
});

describe("the link of a sender", () => {
  it("learns the size of messages and of batches that its entity takes", async () => {
    const pair = new BrokerPair(memoryEngine({ queues: { q: { maxMessageSizeInBytes: 4 * 2 ** 20 } } }));
    const link = pair.sender(await pair.session(), "q");

    await pair.run();

    expect(link.remote?.maxMessageSize).toBe(4n * 2n ** 20n);
    expect(link.remote?.properties?.get("com.microsoft:max-message-batch-size")).toBe(4n * 2n ** 20n);
  });
});
