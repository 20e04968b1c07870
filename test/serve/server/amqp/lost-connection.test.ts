import { describe, expect, it } from "vitest";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import type { Delivery, Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { ManualClock } from "../../../../src/core/time/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";

const minute = 60_000;

async function holding(): Promise<{ clock: ManualClock; engine: Engine; pair: BrokerPair; got: IncomingDelivery[] }> {
  const clock = new ManualClock();
  const engine = memoryEngine({ clock, queues: { q: { lockDuration: minute } } });
  await (await engine.openSender("q")).send([createEnvelope({ payload: Uint8Array.of(1) })]);
  const pair = new BrokerPair(engine);
  const got: IncomingDelivery[] = [];
  pair.receiver(await pair.session(), "q", got).grant(5);
  await pair.run();
  expect(got).toHaveLength(1);
  return { clock, engine, pair, got };
}

async function received(engine: Engine): Promise<readonly Delivery[]> {
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  return receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 0 });
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe("messages that a client held", () => {
  it("come back at once and uncounted when its Close frame has come", async () => {
    const { engine, pair } = await holding();

    pair.client.close();
    await pair.run();

    expect(await received(engine)).toMatchObject([{ deliveryCount: 0 }]);
  });

  it("come back with the end of their lock, counted, when its socket is dead", async () => {
    const { clock, engine, pair } = await holding();

    pair.server.wire.disconnected();
    await settled();
    const before = await received(engine);
    await clock.advance(minute);

    expect(before).toEqual([]);
    expect(await received(engine)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("come back counted, too, when it broke the protocol", async () => {
    const { clock, engine, pair } = await holding();

    pair.server.wire.receive(Buffer.from("000000080200", "hex"));
    pair.server.wire.receive(Buffer.from("0000ff", "hex"));
    pair.server.wire.receive(Buffer.from("ffffffffffff", "hex"));
    await settled();

    expect(await received(engine)).toEqual([]);
    await clock.advance(minute);
    expect(await received(engine)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("stay locked when only its link is detached", async () => {
    const { engine, pair } = await holding();

    pair.detachAll();
    await pair.run();

    expect(await received(engine)).toEqual([]);
  });
});

async function holdingSession(): Promise<{ clock: ManualClock; engine: Engine; pair: BrokerPair }> {
  const clock = new ManualClock();
  const engine = memoryEngine({ clock, queues: { s: { requiresSession: true, lockDuration: minute } } });
  await (
    await engine.openSender("s")
  ).send([createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { sessionId: "a" } })]);
  const pair = new BrokerPair(engine);
  const session = await pair.session();
  await pair.acceptSession(session, "s", "a").then((link) => link.grant(1));
  await pair.run();
  return { clock, engine, pair };
}

const accept = (engine: Engine): Promise<unknown> =>
  engine.acceptSession("s", { receiveMode: "peekLock", sessionId: "a", maxWaitTimeInMs: 0 });

describe("a session that a client held", () => {
  it.each(["link was detached", "connection was closed"])("is free at once when its %s", async (end) => {
    const { engine, pair } = await holdingSession();

    if (end === "link was detached") pair.detachAll();
    else pair.client.close();
    await pair.run();

    await expect(accept(engine)).resolves.toMatchObject({ sessionId: "a" });
  });

  it("is held until its lock ends when the socket is dead", async () => {
    const { clock, engine, pair } = await holdingSession();

    pair.server.wire.disconnected();
    await settled();

    await expect(accept(engine)).rejects.toMatchObject({ code: "SessionCannotBeLocked" });
    await clock.advance(minute);
    await expect(accept(engine)).resolves.toMatchObject({ sessionId: "a" });
  });
});
