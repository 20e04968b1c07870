import { messageProperties } from "../../../src/client/client/index.ts";
import { describe, expect, it, vi } from "vitest";
import { type MessageContext } from "../../../src/client/client/index.ts";
import type { PayloadStage } from "../../../src/core/codec/index.ts";
import type { Delivery } from "../../../src/core/engine/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { noting, setup } from "./setup.support.ts";

const deadLetterQueue = "orders/$DeadLetterQueue";

describe("a handler whose own settlement is refused", () => {
  it.each<readonly [string, (message: Delivery, context: MessageContext) => Promise<void>]>([
    ["InvalidArgument", (message, context) => context.deadLetterMessage(message, JSON.parse('{ "reason": "mine" }'))],
    ["InvalidArgument", (message, context) => context.abandonMessage(message, JSON.parse('{ "tenant": [] }'))],
    ["MessageSizeExceeded", (message, context) => context.deferMessage(message, { note: "x".repeat(70_000) })],
  ])("keeps its cause %s on the dead letter", async (code, settle) => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 2 } } });
    const { errors, handlers } = noting(settle);
    client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(errors).toMatchObject([
      { errorSource: "handler", code },
      { errorSource: "handler", code },
    ]);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(2)).toMatchObject([
      { applicationProperties: { [messageProperties.failure]: expect.stringContaining(code) } },
    ]);
  });
});

/** A stage of a store that is away for as long as it is said. */
const away = (isAway: () => boolean): PayloadStage => ({
  name: "away",
  afterReceive(envelope) {
    if (isAway()) throw new SobreError("ServiceCommunicationProblem", "The store is away.");
    return envelope;
  },
});

describe("a store that is away for a while", () => {
  it.each([false, true])("sends no message to the dead letters, with sessions: %s", async (requiresSession) => {
    let isAway = true;
    const queues = { orders: { requiresSession } };
    const { client, clock } = setup({ queues }, { stages: [away(() => isAway)] });
    const bodies: unknown[] = [];
    const handlers = {
      processMessage: ({ body }: { readonly body: unknown }) => void bodies.push(body),
      processError: vi.fn(),
    };
    if (requiresSession) client.startSessionProcessor("orders", handlers);
    else client.startProcessor("orders", handlers);
    await client.createSender("orders").sendMessages({ body: 7, sessionId: "a" });

    await clock.advance(10_000);
    isAway = false;
    await clock.advance(30_000);

    expect(bodies).toEqual([7]);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(1)).toEqual([]);
  });
});
