import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";

const messages = (count: number): ReturnType<typeof createEnvelope>[] =>
  Array.from({ length: count }, (_, payload) => createEnvelope({ payload: Uint8Array.of(payload) }));

describe("a link that receives and deletes, and waits", () => {
  it("loses nothing when most of its credit is taken back before messages come", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const sender = await engine.openSender("q");
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(await pair.session(), "q", got, { sndSettleMode: 1 });
    await pair.run();
    receiver.grant(5);
    await pair.run();
    receiver.grant(1);
    await pair.run();

    await sender.send(messages(3));
    await pair.run();
    receiver.detach();
    await pair.run();

    expect(got).toHaveLength(1);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(2);
  });

  it("loses nothing when the session has no more room for it, because another link has used it", async () => {
    const engine = memoryEngine({ queues: ["q", "other"] });
    const pair = new BrokerPair(engine);
    const [sender, other] = [await engine.openSender("q"), await engine.openSender("other")];
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(session, "q", got, { sndSettleMode: 1 });
    const busy: IncomingDelivery[] = [];
    const filling = pair.receiver(session, "other", busy, { sndSettleMode: 1 });
    await pair.run();
    filling.grant(10);
    receiver.grant(10);
    // Room for three messages.
    pair.client.frames.flow(0, { nextIncomingId: 0, incomingWindow: 3, nextOutgoingId: 0, outgoingWindow: 100 });
    await pair.run();

    await other.send(messages(3));
    await pair.run();
    await sender.send(messages(4));
    await pair.run();
    receiver.detach();
    await pair.run();

    const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("q");
    expect([busy.length, got.length + totalMessageCount]).toEqual([3, 4]);
  });
});
