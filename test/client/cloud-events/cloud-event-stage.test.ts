import { deadLetterReasons } from "../../../src/client/client/index.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type MessageOf } from "../../../src/client/client/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { cloudEventFromEnvelope, cloudEventToEnvelope } from "../../../src/client/cloud-events/cloud-event-binding.ts";
import { cloudEvents } from "../../../src/client/cloud-events/cloud-event-stage.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { encryption } from "../../../src/client/stages/index.ts";
import { noting, setup } from "../client/setup.support.ts";

const Order = defineMessage(
  "acme.order",
  { 1: z.object({ total: z.number() }), 2: z.object({ cents: z.number() }) },
  { upcast: { 1: ({ total }) => ({ cents: total * 100 }) }, aliases: { "com.acme.order.v1": 1 } },
);
const text = new TextEncoder();
const event = {
  id: "1",
  source: "/shop",
  type: "com.acme.order.v1",
  datacontenttype: "application/json",
  data: text.encode('{"total":5}'),
  extensions: { partition: 7 },
};

describe("structured CloudEvents", () => {
  it.each(["binary", "structured"] as const)("reach a handler of their type in %s mode, upcast", async (mode) => {
    const { client, clock } = setup({ queues: ["orders"] }, { stages: [cloudEvents()] });
    const seen: unknown[] = [];
    const { errors, handlers } = noting(({ body, messageVersion, envelope }: MessageOf<typeof Order>) => {
      seen.push([body, messageVersion, cloudEventFromEnvelope(envelope)?.extensions]);
    });
    client.startProcessor("orders", handlers, { messageTypes: [Order] });

    await client.createSender("orders").sendEnvelopes(cloudEventToEnvelope(event, { mode }));
    await clock.advance(0);

    expect(errors).toEqual([]);
    expect(seen).toEqual([[{ cents: 500 }, 1, { partition: 7 }]]);
  });

  it("have JSON as data when they name no content type, and may have none", async () => {
    const { client } = setup({ queues: ["orders"] }, { stages: [cloudEvents()] });
    const { id, source, type, data } = event;
    const receiver = client.createReceiver("orders");

    await client
      .createSender("orders")
      .sendEnvelopes([
        cloudEventToEnvelope({ id, source, type, data }, { mode: "structured" }),
        cloudEventToEnvelope({ id, source, type }, { mode: "structured" }),
      ]);
    const messages = await receiver.receiveMessages(5);

    expect(messages).toMatchObject([
      { body: { total: 5 }, contentType: "application/cloudevents+json; charset=UTF-8" },
      { body: undefined, result: { ok: true } },
    ]);
  });

  it("are dead letters when they break the format, and other messages pass", async () => {
    const { client, clock, engine } = setup({ queues: ["orders"] }, { stages: [cloudEvents()] });
    const seen: unknown[] = [];
    const { handlers } = noting(({ body }: { readonly body: unknown }) => void seen.push(body));
    client.startProcessor("orders", handlers);
    const brokerProperties = { contentType: "application/cloudevents+json" };

    await client.createSender("orders").sendEnvelopes(createEnvelope({ payload: text.encode("{}"), brokerProperties }));
    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(seen).toEqual([1]);
    expect(await engine.peek("orders/$DeadLetterQueue", { maxMessages: 5 })).toMatchObject([
      { deadLetterReason: deadLetterReasons.unreadable },
    ]);
  });

  it("are opened after they were decrypted", async () => {
    const keys = { k1: new Uint8Array(32) };
    const sealing = encryption({ keys, keyId: "k1" });
    const { client } = setup({ queues: ["orders"] }, { stages: [cloudEvents(), sealing] });
    const sealed = await sealing.beforeSend?.(cloudEventToEnvelope(event, { mode: "structured" }));
    if (sealed === undefined) throw new Error("It seals.");

    await client.createSender("orders").sendEnvelopes(sealed);
    const messages = await client.createReceiver("orders", { messageTypes: [Order] }).receiveMessages(1);

    expect(messages).toMatchObject([{ body: { cents: 500 }, messageType: "acme.order" }]);
  });
});
