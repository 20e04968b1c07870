import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import type { Client } from "../../../src/client/client/index.ts";
import { createSerializer, type PayloadStage } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const clock = new ManualClock();

function clientWith(stages: readonly PayloadStage[]): Client {
  const engine = memoryEngine({ clock, queues: { orders: {} } });
  return createClient({ engine, serializer: createSerializer({ codecs: [json()] }), stages });
}

const garbage = (): Envelope =>
  createEnvelope({ payload: Uint8Array.of(0xff, 0x00), brokerProperties: { contentType: "application/json" } });

describe("a receiver that dead-letters what it cannot read", () => {
  it("hands the readable messages of a batch over even when the lock of an unreadable one is lost meanwhile", async () => {
    const slow = {
      name: "slow",
      async afterReceive(envelope: Envelope): Promise<Envelope> {
        if (envelope.payload[0] === 0xff) await clock.advance(120_000);
        return envelope;
      },
    };
    const client = clientWith([slow]);
    await client.createSender("orders").sendEnvelopes(garbage());
    await client.createSender("orders").sendMessages({ body: 1 });

    const messages = await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(2);

    expect(messages).toMatchObject([{ body: 1 }]);
  });

  it("refuses at once to dead-letter on a dead-letter queue", () => {
    const client = clientWith([]);

    expect(() => client.createReceiver("orders/$DeadLetterQueue", { onUnreadable: "dead-letter" })).toThrow(
      /sub-queues/,
    );
  });
});
