import { describe, expect, it } from "vitest";
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
});
