import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../../src/core/message/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { setup } from "./setup.support.ts";

const Order = defineMessage("acme.order", { 1: z.object({ id: z.number() }) });
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });
const messageTypes = [Order, Invoice] as const;
const queues = { q: {}, sessions: { requiresSession: true }, replies: {} };
const both = [Order.message({ id: 1 }), Invoice.message({ number: "A" })];
const processError = (): void => undefined;

describe("handlers by message type", () => {
  it("are called with the messages of their type, as methods of their object", async () => {
    const { client, clock } = setup({ queues });
    const told: unknown[] = [];
    const processMessage = {
      prefix: "got",
      "acme.order": ({ body }: { readonly body: { readonly id: number } }) => void told.push(body.id),
      "acme.invoice"({ body }: { readonly body: { readonly number: string } }) {
        told.push([typeof this["acme.order"], body.number]);
      },
    };
    const { prefix: _prefix, ...handlers } = processMessage;

    client.startProcessor("q", { processMessage: handlers, processError }, { messageTypes });
    await client.createSender("q").sendMessages(both);
    await clock.advance(0);

    expect(told).toEqual([1, ["function", "A"]]);
  });

  it("are called in sessions, and by a receiver that subscribes", async () => {
    const { client, clock } = setup({ queues });
    const told: unknown[] = [];
    const processMessage = {
      "acme.order": ({ body }: { readonly body: unknown }) => void told.push(body),
      "acme.invoice": ({ body }: { readonly body: unknown }) => void told.push(body),
    };

    client.startSessionProcessor("sessions", { processMessage, processError }, { messageTypes });
    client.createReceiver("q", { messageTypes }).subscribe({ processMessage, processError });
    await client.createSender("sessions").sendMessages(both.map((message) => ({ ...message, sessionId: "s" })));
    await client.createSender("q").sendMessages(both);
    await clock.advance(0);

    expect(told).toHaveLength(4);
    expect(told).toEqual(expect.arrayContaining([{ id: 1 }, { number: "A" }]));
  });

  it("answer the requests of their type", async () => {
    const { client } = setup({ queues });
    client.startResponder(
      "q",
      {
        processRequest: { "acme.order": () => ({ body: "order" }), "acme.invoice": () => ({ body: "invoice" }) },
        processError,
      },
      { messageTypes },
    );
    const requester = client.createRequester("q", { replyTo: "replies" });

    const replies = await Promise.all(both.map((message) => requester.request(message)));

    expect(replies.map(({ body }) => body)).toEqual(["order", "invoice"]);
  });

  it.each([
    [{ "acme.order": vi.fn() }, 'must have a function for the message type "acme.invoice"'],
    [{ "acme.order": vi.fn(), "acme.invoice": 1 }, 'must have a function for the message type "acme.invoice"'],
    [{ "acme.order": vi.fn(), "acme.invoice": vi.fn(), other: vi.fn() }, 'has "other"'],
    ["text", "must be a function, or an object of functions"],
  ])("are refused when they are not those of the types: %o", (processMessage, why) => {
    const { client } = setup({ queues });
    const handlers = Object.assign({ processMessage: vi.fn(), processRequest: vi.fn(), processError });
    Reflect.set(handlers, "processMessage", processMessage);
    Reflect.set(handlers, "processRequest", processMessage);

    const processor = refusal(() => client.startProcessor("q", handlers, { messageTypes }));
    const responder = refusal(() => client.startResponder("q", handlers, { messageTypes }));

    expect([processor.code, responder.code]).toEqual(["InvalidArgument", "InvalidArgument"]);
    expect(processor.message).toContain(`processMessage ${why}`);
    expect(responder.message).toContain(`processRequest ${why}`);
  });

  it("need the types", () => {
    const { client } = setup({ queues });
    const handlers = Object.assign({ processMessage: vi.fn(), processError });
    Reflect.set(handlers, "processMessage", { "acme.order": vi.fn() });

    const error = refusal(() => client.startProcessor("q", handlers));

    expect(error.message).toContain("must be a function, unless messageTypes are given");
  });
});

describe("a sender of message types", () => {
  it("refuses every other message, by every method, and sends its own", async () => {
    const { client, sent } = setup({ queues });
    const sender = client.createSender("q", { messageTypes: [Order] });
    const other = Object.assign(Order.message({ id: 1 }), { messageType: Invoice });
    const plain = Object.assign(Order.message({ id: 1 }), { messageType: undefined });

    const batch = await sender.createMessageBatch();
    const errors = await Promise.all([
      rejection(sender.sendMessages(Object.assign(other))),
      rejection(sender.sendMessages(Object.assign(plain))),
      rejection(sender.scheduleMessages(Object.assign(other), new Date())),
      rejection(sender.sendMany(Object.assign([other]), { throwOnFailure: true })),
      rejection(batch.addMessage(Object.assign(other))),
    ]);
    await sender.sendMessages(Order.message({ id: 2 }));

    for (const { code, message } of errors)
      expect([code, message]).toEqual([
        "InvalidArgument",
        expect.stringContaining("must be of the message types of this sender: acme.order"),
      ]);
    expect(sent.list()).toHaveLength(1);
  });
});
