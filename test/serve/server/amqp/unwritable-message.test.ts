import { describe, expect, it } from "vitest";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";

/** A queue whose first message has a content type that is not an AMQP symbol, and whose second is as any other. */
async function engineWithBoth(): Promise<Engine> {
  const engine = memoryEngine({ queues: ["q"] });
  const sender = await engine.openSender("q");
  await sender.send([
    createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { contentType: "text/plaña" } }),
    createEnvelope({ payload: Uint8Array.of(2) }),
  ]);
  return engine;
}

describe("a message that AMQP cannot hold", () => {
  it("goes to the dead-letter queue with the reason, and the messages after it are delivered", async () => {
    const engine = await engineWithBoth();
    const pair = new BrokerPair(engine);
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(await pair.session(), "q", got);
    await pair.run();

    receiver.grant(1);
    await pair.run();

    expect(got).toHaveLength(1);
    const [letter] = await engine.peek("q/$DeadLetterQueue", { maxMessages: 2 });
    expect(letter).toMatchObject({ envelope: { payload: Uint8Array.of(1) }, deadLetterReason: "UnsupportedValue" });
    expect(letter?.deadLetterErrorDescription).toContain("$.brokerProperties.contentType");
  });

  it.each([
    ["received and deleted", "q", 1],
    ["in a dead-letter queue already", "q/$DeadLetterQueue", 0],
  ])("ends the link with the reason when it is %s", async (_, address, sndSettleMode) => {
    const engine = await engineWithBoth();
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    if (sndSettleMode === 0) {
      pair.receiver(session, "q", []).grant(1);
      await pair.run();
    }
    const receiver = pair.receiver(session, address, [], { sndSettleMode });
    await pair.run();

    receiver.grant(1);
    await pair.run();

    expect(pair.detached).toHaveLength(1);
    expect(pair.detached[0]?.description).toContain("not ASCII");
  });
});

describe("an error that contains a long name", () => {
  it("reaches the client, cut between two characters", async () => {
    const pair = new BrokerPair(memoryEngine());
    const session = await pair.session();

    for (const address of ["🚀".repeat(500), `x${"🚀".repeat(500)}`]) pair.receiver(session, address, []);
    await pair.run();

    expect(pair.detached.map((error) => error?.condition)).toEqual(["amqp:not-found", "amqp:not-found"]);
    expect(pair.detached.every((error) => error?.description?.includes("🚀… TrackingId: "))).toBe(true);
  });
});
