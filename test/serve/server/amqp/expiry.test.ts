import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { memoryEngine, type MemoryEngineOptions } from "../../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../../src/core/time/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";

const start = Date.UTC(2026, 0, 1);

/** The header and properties of a message after it went through a queue. */
async function through(
  queue: NonNullable<Exclude<MemoryEngineOptions["queues"], readonly unknown[]>>[string],
  sections: Parameters<typeof writeMessage>[0],
): Promise<Pick<ReturnType<typeof parseMessage>, "header" | "properties">> {
  const engine = memoryEngine({ clock: new ManualClock(start), queues: { q: queue } });
  const pair = new BrokerPair(engine);
  const session = await pair.session();
  const sender = pair.sender(session, "q");
  const got: IncomingDelivery[] = [];
  pair.receiver(session, "q", got).grant(1);
  await pair.run();
  sender.send({ payload: writeMessage(sections), tag: Uint8Array.of(1), settled: false });
  await pair.run();
  const { header, properties } = parseMessage(got[0]?.payload ?? new Uint8Array());
  return { header, properties };
}

const body = { kind: "value", value: 1 } as const;
const sendersOwn = new Date(0);
const longest = 2 ** 32 - 1;
const days = (count: number): number => count * 86_400_000;

describe("the expiry of a delivery", () => {
  it("is written with the effective time to live, and the sender's own is ignored", async () => {
    const { header, properties } = await through(
      { defaultMessageTimeToLive: 60_000 },
      { header: { ttl: 3_600_000 }, properties: { absoluteExpiryTime: sendersOwn, creationTime: sendersOwn }, body },
    );

    expect(header?.ttl).toBe(60_000);
    expect(properties?.absoluteExpiryTime).toEqual(new Date(start + 60_000));
    expect(properties?.creationTime).toEqual(new Date(start));
  });

  it("leaves the creation time of a sender that gave no expiry, and is in the header then", async () => {
    const { header, properties } = await through(
      { defaultMessageTimeToLive: 60_000 },
      { properties: { creationTime: sendersOwn }, body },
    );

    expect(header?.ttl).toBe(60_000);
    expect(properties?.creationTime).toEqual(sendersOwn);
    expect(properties?.absoluteExpiryTime).toBeUndefined();
  });

  it("is the entity's when the message has no time to live and no properties", async () => {
    const { header, properties } = await through({ defaultMessageTimeToLive: 60_000 }, { body });

    expect(header?.ttl).toBe(60_000);
    expect(properties?.absoluteExpiryTime).toEqual(new Date(start + 60_000));
  });

  it("is not written, nor the sender's, for a message that never expires", async () => {
    const { header, properties } = await through(
      {},
      { properties: { messageId: "1", absoluteExpiryTime: sendersOwn }, body },
    );

    expect(header?.ttl).toBeUndefined();
    expect(properties?.absoluteExpiryTime).toBeUndefined();
  });

  it.each<[string, Parameters<typeof writeMessage>[0]]>([
    ["at its maximum in the header", { header: { ttl: longest } }],
    [
      "there with an absolute expiry before the creation",
      {
        header: { ttl: longest },
        properties: { creationTime: new Date(start), absoluteExpiryTime: new Date(start - days(60)) },
      },
    ],
  ])("is after 49.7 days when the time to live is %s", async (_where, sections) => {
    const { header, properties } = await through({}, { ...sections, body });

    expect(header?.ttl).toBe(longest);
    expect(properties?.absoluteExpiryTime).toEqual(new Date(start + longest));
  });

  it("is as long after the arrival as the sender's expiry is after the creation, as .NET and Java send longer ones", async () => {
    const creationTime = new Date(start - days(400));
    const absoluteExpiryTime = new Date(creationTime.getTime() + days(60));
    const { header, properties } = await through(
      {},
      { header: { ttl: longest }, properties: { creationTime, absoluteExpiryTime }, body },
    );

    expect(header?.ttl).toBe(longest);
    expect(properties).toMatchObject({ creationTime: new Date(start), absoluteExpiryTime: new Date(start + days(60)) });
  });

  it("is at most the end of the year 9999, where the time of official clients ends", async () => {
    const creationTime = new Date(start - 1);
    const absoluteExpiryTime = new Date(Date.UTC(10_000, 0, 1) - 1);
    const { properties } = await through(
      {},
      { header: { ttl: longest }, properties: { creationTime, absoluteExpiryTime }, body },
    );

    expect(properties?.absoluteExpiryTime).toEqual(absoluteExpiryTime);
  });

  it("comes with a creation time for the long time to live of an entity or of a message sent over HTTP", async () => {
    const { header, properties } = await through({ defaultMessageTimeToLive: days(60) }, { body });

    expect(header?.ttl).toBe(longest);
    expect(properties).toMatchObject({ creationTime: new Date(start), absoluteExpiryTime: new Date(start + days(60)) });
  });

  it("holds for dead letters and copies of a topic, whose long time to live a client reads back", async () => {
    const clock = new ManualClock(start);
    const engine = memoryEngine({ clock, topics: { t: { subscriptions: { s: {} } } } });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const sender = pair.sender(session, "t");
    await pair.run();
    const properties = { creationTime: new Date(start), absoluteExpiryTime: new Date(start + days(60)) };
    sender.send({
      payload: writeMessage({ header: { ttl: longest }, properties, body }),
      tag: Uint8Array.of(1),
      settled: false,
    });
    await pair.run();
    await clock.advance(days(59));
    const receiver = await engine.openReceiver("t/Subscriptions/s", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken === undefined) throw new Error("A message was due.");
    await engine.settle("t/Subscriptions/s", delivery.lockToken, { kind: "deadLetter" });
    const got: IncomingDelivery[] = [];
    pair.receiver(session, "t/Subscriptions/s/$DeadLetterQueue", got).grant(1);
    await pair.run();

    const envelope = decodeMessage(got[0]?.payload ?? new Uint8Array());
    expect(envelope.brokerProperties.timeToLive).toBe(days(60));
  });
});
