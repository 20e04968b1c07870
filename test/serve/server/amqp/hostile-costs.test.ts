import { afterEach, describe, expect, it, vi } from "vitest";
import { accepted, type IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { BrokerConnection } from "../../../../src/broker/policy/connection.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { after, attach, begin, described, frame, header, open, performative } from "./hostile-peer.support.ts";

const uint = typed.uint;

async function holding(messages: number, engine: Engine): Promise<{ pair: BrokerPair; got: IncomingDelivery[] }> {
  await (
    await engine.openSender("q")
  ).send(Array.from({ length: messages }, () => createEnvelope({ payload: new Uint8Array() })));
  const pair = new BrokerPair(engine);
  const got: IncomingDelivery[] = [];
  pair.receiver(await pair.session(), "q", got).grant(messages);
  for (let turn = 0; turn < 20 && got.length < messages; turn++) await pair.run();
  expect(got).toHaveLength(messages);
  return { pair, got };
}

const all = { role: "receiver", first: 0, last: 0xffff_ffff, state: accepted } as const;

describe("dispositions over huge ranges", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("settle each delivery once, however often they come before it is settled", async () => {
    const settle = vi.spyOn(BrokerConnection.prototype, "settle");
    const { pair } = await holding(200, memoryEngine({ queues: ["q"] }));

    for (let frames = 0; frames < 300; frames++) pair.client.frames.disposition(0, { ...all, settled: false });
    pair.server.wire.receive(pair.client.take());
    for (let wait = 0; wait < 2000; wait++) await Promise.resolve();

    expect(settle).toHaveBeenCalledTimes(200);
    expect(pair.server.wire.take().byteLength).toBeLessThan(100);
  });

  it("that take more work than their bytes are worth end the connection", async () => {
    const { pair } = await holding(2000, memoryEngine({ queues: ["q"] }));
    const outside = { ...all, first: 1_000_000, last: 2_000_000 };

    for (let frames = 0; frames < 300; frames++) pair.client.frames.disposition(0, { ...outside, settled: false });
    pair.server.wire.receive(pair.client.take());

    expect(pair.server.wire.over).toBe(true);
    expect(Buffer.from(pair.server.wire.take()).toString("latin1")).toContain("amqp:resource-limit-exceeded");
  });
});

const transfer = (handle: number, id: number, more: boolean, size: number): Buffer =>
  frame(
    Buffer.concat([described(0x14, [uint(handle), uint(id), Buffer.of(1), uint(0), false, more]), Buffer.alloc(size)]),
  );

const aborted = (id: number): Buffer =>
  performative(0x14, uint(0), uint(id), Buffer.of(1), uint(0), false, false, null, null, null, true);

describe("unfinished deliveries", () => {
  const toCbs = [header(0), open, begin(), attach(0, { address: "$cbs" })];
  const running = [header(0), open, begin(), attach(0)];

  it("to $cbs have at most 16 KiB, and a client at most four of them", async () => {
    const large = [0, 1, 2].map(() => transfer(0, 0, true, 16_000));

    const { told, over } = await after([...toCbs, Buffer.concat(large)]);

    expect(told).toContain("amqp:link:message-size-exceeded");
    expect(over).toBe(false);
    // Credit is the flow's seventh field: four.
    expect(told).toContain("\u0052\u0004");
  });

  it("are refused beyond eight megabytes on all links of a connection", async () => {
    const wide = frame(described(0x11, [null, uint(0), uint(5000), uint(5000)]));
    const links = Array.from({ length: 12 }, (_, handle) => attach(handle, { name: `${handle}` }));
    const parts = Array.from({ length: 12 }, (_, handle) =>
      Array.from({ length: 15 }, (__, part) =>
        part === 0
          ? transfer(handle, handle, true, 60_000)
          : frame(Buffer.concat([described(0x14, [uint(handle), null, null, null, null, true]), Buffer.alloc(60_000)])),
      ),
    );

    const { told, over } = await after([header(0), open, wide, ...links, ...parts.flat()]);

    expect(over).toBe(false);
    expect(told.split("amqp:resource-limit-exceeded").length - 1).toBeGreaterThan(0);
    expect(told.split("amqp:resource-limit-exceeded").length - 1).toBeLessThan(6);
  });

  it("cannot change their id on the way", async () => {
    const { told } = await after([...running, transfer(0, 0, true, 1), transfer(0, 1, false, 1)]);

    expect(told).toContain("amqp:invalid-field");
  });

  it("that are aborted give their credit back", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const sender = pair.sender(await pair.session(), "q");
    await pair.run();

    for (let id = 0; id < 600; id++) pair.server.wire.receive(aborted(id));
    await pair.run();

    expect(sender.credit).toBeGreaterThan(900);
  });
});

describe("links to $cbs", () => {
  it("are sixteen at most for requests", async () => {
    const links = Array.from({ length: 20 }, (_, handle) => attach(handle, { name: `${handle}`, address: "$cbs" }));

    const { told, over } = await after([header(0), open, begin(), ...links]);

    expect(told.split("links to this node, the maximum").length - 1).toBe(4);
    expect(over).toBe(false);
  });
});

describe("an address or destination of many characters", () => {
  it.each(["/".repeat(20_000), "/a".repeat(10_000)])("is refused by its length", async (address) => {
    const { told } = await after([header(0), open, begin(), attach(0, { address })]);

    expect(told).toContain("at most 2048 characters");
  });
});
