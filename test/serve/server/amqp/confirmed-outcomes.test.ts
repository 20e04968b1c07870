import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import type { DeliveryOutcome } from "../../../../src/wire/amqp/connection/delivery-state.ts";
import { accepted, type DeliveryState, type IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared } from "./broker-requests.support.ts";

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
    const receiver = pair.receiver(session, "q", got, { confirmed: told });
    await (await engine.openSender("q")).send([createEnvelope({ payload: Uint8Array.of(1) })]);
    await pair.run();
    receiver.grant(1);
    await pair.run();

    session.requestSettlement(got[0]?.id ?? -1, asked);
    await pair.run();

    expect(told).toEqual([confirmed]);
  });

  it.each<readonly [string, DeliveryOutcome, DeliveryOutcome]>([
    ["completed", accepted, accepted],
    ["abandoned", { ...modified, undeliverableHere: false }, { ...modified, undeliverableHere: false }],
    ["dead-lettered", { kind: "rejected", error }, { kind: "rejected" }],
  ])("is the applied one in a transaction, too: %s", async (_, outcome, confirmed) => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const told: (DeliveryState | undefined)[] = [];
    const receiver = pair.receiver(session, "q", got, { confirmed: told });
    await (await engine.openSender("q")).send([createEnvelope({ payload: Uint8Array.of(1) })]);
    await pair.run();
    receiver.grant(1);
    await pair.run();
    const { id: transactionId } = await declared(pair);

    session.requestSettlement(got[0]?.id ?? -1, { kind: "transactional", transactionId, outcome });
    await pair.run();

    expect(told).toEqual([{ kind: "transactional", transactionId, outcome: confirmed }]);
  });
});

describe("settlements that are asked for one after the other", () => {
  it("go in one frame, ahead of the flow that asks for more, and are confirmed in one", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const confirmed: (DeliveryState | undefined)[] = [];
    const receiver = pair.receiver(session, "q", got, { confirmed });
    const envelope = createEnvelope({ payload: Uint8Array.of(1) });
    await (await engine.openSender("q")).send(Array.from({ length: 8 }, () => envelope));
    await pair.run();
    receiver.grant(8);
    await pair.run();

    for (const { id } of got) session.requestSettlement(id, accepted);
    receiver.grant(1);
    const written = pair.client.take();
    pair.server.wire.receive(written);
    await pair.run();

    expect(performativesOf(written)).toEqual(["disposition", "flow"]);
    expect(confirmed).toEqual([accepted]);
    expect(await engine.peek("q", { maxMessages: 1 })).toEqual([]);
  });
});

function performativesOf(bytes: Uint8Array): readonly string[] {
  const names: Readonly<Record<number, string>> = { 0x13: "flow", 0x15: "disposition" };
  const found: string[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += view.getUint32(at))
    found.push(names[view.getUint8(at + 10)] ?? "other");
  return found;
}
