import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Client, MessageBatch, Sender } from "../../src/client/client/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";

declare const client: Client;
const Order = defineMessage("acme.order", { 1: z.object({ id: z.number() }) });
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });
const messageTypes = [Order, Invoice] as const;
const processError = (): void => undefined;

describe("handlers by message type", () => {
  it("get the body of their type, in processors, sessions, receivers and responders", () => {
    const processMessage = {
      "acme.order": ({ body }: { readonly body: { id: number } }) => void body.id,
      "acme.invoice": ({ body }: { readonly body: { number: string } }) => void body.number,
    };
    void client.createReceiver("q", { messageTypes }).subscribe({ processMessage, processError });
    void client.startProcessor(
      "q",
      {
        processMessage: {
          "acme.order": ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ id: number }>(),
          "acme.invoice": async ({ body, messageType }) => {
            expectTypeOf(body).toEqualTypeOf<{ number: string }>();
            expectTypeOf(messageType).toEqualTypeOf<"acme.invoice">();
          },
        },
        processError,
      },
      { messageTypes },
    );
    void client.startSessionProcessor(
      "q",
      {
        processMessage: {
          "acme.order": (_message, { session }) => void expectTypeOf(session.sessionId).toBeString(),
          "acme.invoice": ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ number: string }>(),
        },
        processError,
      },
      { messageTypes: [Order, Invoice] },
    );
    void client.startResponder(
      "q",
      {
        processRequest: {
          "acme.order": ({ body }) => Invoice.message({ number: String(body.id) }),
          "acme.invoice": ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ number: string }>(),
        },
        processError,
      },
      { messageTypes: [Order, Invoice] },
    );
  });

  it("do not compile when a type is forgotten, unknown or misread, or without types", () => {
    const { "acme.order": one, "acme.invoice": two } = { "acme.order": () => {}, "acme.invoice": () => {} };
    // @ts-expect-error -- the invoice is forgotten
    void client.startProcessor("q", { processMessage: { "acme.order": one }, processError }, { messageTypes });
    void client.startProcessor(
      "q",
      // @ts-expect-error -- there is no such type
      { processMessage: { "acme.order": one, "acme.invoice": two, "acme.bill": one }, processError },
      { messageTypes },
    );
    void client.startProcessor(
      "q",
      // @ts-expect-error -- an invoice has no id
      { processMessage: { "acme.order": one, "acme.invoice": ({ body }) => void body.id }, processError },
      { messageTypes },
    );
    // @ts-expect-error -- without types there are no names
    void client.startProcessor("q", { processMessage: { "acme.order": one }, processError });
    // @ts-expect-error -- the order is forgotten
    void client.startResponder("q", { processRequest: { "acme.invoice": two }, processError }, { messageTypes });
  });
});

describe("a sender of message types", () => {
  it("takes messages of its types alone, by every method", async () => {
    const sender = client.createSender("q", { messageTypes });
    const order = Order.message({ id: 1 });
    const invoice = Invoice.message({ number: "1" });
    await sender.sendMessages([order, invoice]);
    await sender.scheduleMessages(order, new Date());
    await sender.sendMany([order]);
    const batch = await sender.createMessageBatch();
    batch.tryAddMessage(invoice);
    await sender.sendMessages(batch);

    const orders = client.createSender("q", { messageTypes: [Order] });
    // @ts-expect-error -- the entity has no invoices
    await orders.sendMessages(invoice);
    // @ts-expect-error -- the entity has no invoices
    await orders.sendMany([order, invoice]);
    // @ts-expect-error -- the entity has no invoices
    await orders.scheduleMessages(invoice, new Date());
    // @ts-expect-error -- the entity has no invoices
    (await orders.createMessageBatch()).tryAddMessage(invoice);
    // @ts-expect-error -- a message without a type
    await orders.sendMessages({ body: { id: 1 } });
  });

  it("is a sender, and its batch a batch", () => {
    const sender = client.createSender("q", { messageTypes });

    expectTypeOf(sender).toExtend<Sender>();
    expectTypeOf<Awaited<ReturnType<typeof sender.createMessageBatch>>>().toExtend<MessageBatch>();
    expectTypeOf(client.createSender("q")).toEqualTypeOf<Sender>();
    expectTypeOf(client.createSender("q", { via: "p" })).toEqualTypeOf<Sender>();
  });
});
