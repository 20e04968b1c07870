import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { BrokerPair } from "./broker-pair.support.ts";

const deleted = { condition: "amqp:resource-deleted" };
const description = expect.stringMatching(/The messaging entity '.*' could not be found/);
const told = { ...deleted, description };

const accepting = (sessionId: string | null): object => ({
  filter: new AmqpMap([[typed.symbol("com.microsoft:session-filter"), sessionId]]),
});

/** A client's session and the deliveries of a link. */
async function opened(engine = memoryEngine({ queues: ["q", "other"] })) {
  const pair = new BrokerPair(engine);
  const session = await pair.session();
  const got: IncomingDelivery[] = [];
  return { engine, pair, session, got };
}

describe("the links of a client to an entity that is deleted", () => {
  it("end at once, without credit, too, while links to other entities stay", async () => {
    const { engine, pair, session, got } = await opened();
    const sender = pair.sender(session, "Q");
    const idle = pair.receiver(session, "q", got);
    const letters = pair.receiver(session, "q/$DeadLetterQueue", got);
    const waiting = pair.receiver(session, "q", got);
    const other = pair.sender(session, "other");
    await pair.run();
    waiting.grant(10);
    await pair.run();

    await engine.admin.deleteQueue("q");
    await pair.run();

    expect(pair.detached).toMatchObject([told, told, told, told]);
    expect([sender, idle, letters, waiting, other].map(({ isAttached }) => isAttached)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it("are opened again for the entity of that name that is created next, and reach it", async () => {
    const { engine, pair, session, got } = await opened();
    pair.sender(session, "q");
    await pair.run();
    await engine.admin.deleteQueue("q");
    await engine.admin.createQueue("q");
    await pair.run();
    const receiver = pair.receiver(session, "q", got);
    receiver.grant(1);
    await pair.run();

    const sender = await engine.openSender("q");
    await sender.send([createEnvelope({ payload: Buffer.from("again") })]);
    await pair.run();

    expect(pair.detached).toMatchObject([deleted]);
    expect(got).toHaveLength(1);
  });

  it("end with a topic when they lead to its subscriptions", async () => {
    const engine = memoryEngine({ topics: { t: { subscriptions: { s: {} } } } });
    const { pair, session, got } = await opened(engine);
    pair.sender(session, "t");
    pair.receiver(session, "t/Subscriptions/s", got);
    await pair.run();

    await engine.admin.deleteTopic("t");
    await pair.run();

    expect(pair.detached).toMatchObject([told, told]);
  });

  it("end when they hold a session, or wait for the next one", async () => {
    const { pair, session, engine } = await opened(memoryEngine({ queues: { q: { requiresSession: true } } }));
    for (const id of ["one", null]) {
      const link = session.links.newReceiver(`session ${id}`);
      link.open(
        { source: { kind: "source", address: "q", ...accepting(id) }, target: { kind: "target" } },
        { delivered: () => undefined, detached: (error) => void pair.detached.push(error) },
      );
      await pair.run();
    }

    await engine.admin.deleteQueue("q");
    await pair.run();

    expect(pair.detached).toMatchObject([deleted, { description }]);
  });

  it("end when they send requests to it", async () => {
    const { engine, pair, session, got } = await opened();
    pair.sender(session, "q/$management");
    pair.receiver(session, "q/$management", got);
    await pair.run();

    await engine.admin.deleteQueue("q");
    await pair.run();

    expect(pair.detached).toMatchObject([told, told]);
  });

  it("stay when only their transfers go to it, which the next entity of its name gets", async () => {
    const { engine, pair, session } = await opened();
    const link = session.links.newSender("transfers");
    const properties = new AmqpMap([[typed.symbol("com.microsoft:transfer-destination-address"), "q"]]);
    link.open(
      { source: { kind: "source" }, target: { kind: "target", address: "other" }, properties },
      { flowed: () => undefined, disposed: () => undefined, detached: (error) => void pair.detached.push(error) },
    );
    await pair.run();

    await engine.admin.deleteQueue("q");
    await engine.admin.createQueue("q");
    link.send({ payload: writeMessage({ body: { kind: "value", value: 1 } }), tag: Uint8Array.of(1), settled: false });
    await pair.run();

    expect(pair.detached).toEqual([]);
    expect((await engine.admin.getQueueRuntimeProperties("q")).activeMessageCount).toBe(1);
  });
});
