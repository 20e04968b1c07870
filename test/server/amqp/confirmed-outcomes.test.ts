import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../src/engines/memory/index.ts";
import { createEnvelope } from "../../../src/envelope/index.ts";
import { accepted, type DeliveryState, type IncomingDelivery } from "../../../src/amqp/connection/index.ts";
import { AmqpMap } from "../../../src/values/typed.ts";
import { BrokerPair } from "./broker-pair.support.ts";

const error = { condition: "com.microsoft:dead-letter", description: "why" };
const modified = { kind: "modified", deliveryFailed: false } as const;

describe("the outcome that confirms a settlement", () => {
  it.each<readonly [string, DeliveryState, DeliveryState]>([
    ["completed", accepted, accepted],
    ["released", { kind: "released" }, { kind: "released" }],
    ["abandoned", { ...modified, undeliverableHere: false }, { ...modified, undeliverableHere: false }],
    [
      "deferred",
      { ...modified, undeliverableHere: true, annotations: new AmqpMap([["a", 1]]) },
      { ...modified, undeliverableHere: true },
    ],
    // With an error it would say that the settlement failed.
    ["dead-lettered", { kind: "rejected", error }, { kind: "rejected" }],
  ])("is the one that was applied: %s", async (_, asked, confirmed) => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const told: (DeliveryState | undefined)[] = [];
    const receiver = pair.receiver(session, "q", got);
    await (await engine.openSender("q")).send([createEnvelope({ payload: Uint8Array.of(1) })]);
    await pair.run();
    receiver.grant(1);
    await pair.run();

    session.requestSettlement(got[0]?.id ?? -1, asked, (state) => void told.push(state));
    await pair.run();

    expect(told).toEqual([confirmed]);
  });
});
