import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Client, UnreadableMessage } from "../../src/client/index.ts";
import { defineMessage } from "../../src/message/index.ts";

declare const client: Client;
const Order = defineMessage("acme.order", { 1: z.object({ id: z.number() }) });
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });
const processError = (): void => undefined;

describe("handlers", () => {
  it("get the body of their one type", () => {
    void client.createProcessor(
      "orders",
      { processMessage: ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ id: number }>(), processError },
      { messageTypes: [Order] },
    );
  });

  it("tell the bodies of several types apart by messageType", () => {
    void client.createProcessor(
      "orders",
      {
        processMessage(message) {
          if (message.messageType === "acme.order") expectTypeOf(message.body).toEqualTypeOf<{ id: number }>();
          else expectTypeOf(message.body).toEqualTypeOf<{ number: string }>();
        },
        processError,
      },
      { messageTypes: [Order, Invoice] },
    );
  });

  it("get an unknown body without types", () => {
    void client.createProcessor("orders", {
      processMessage: ({ body }) => void expectTypeOf(body).toEqualTypeOf<unknown>(),
      processError,
    });
  });

  it("are refused when they want another body", () => {
    void client.createProcessor(
      "orders",
      // @ts-expect-error -- an order has no name
      { processMessage: ({ body }) => void body.name, processError },
      { messageTypes: [Order] },
    );
  });
});

describe("receivers", () => {
  it("hand unreadable messages over, unless they dead-letter them", () => {
    const handing = client.createReceiver("orders", { messageTypes: [Order] });
    const refusing = client.createReceiver("orders", { messageTypes: [Order], onUnreadable: "dead-letter" });

    type Handed = Awaited<ReturnType<(typeof handing)["receiveMessages"]>>[number];
    type Read = Awaited<ReturnType<(typeof refusing)["receiveMessages"]>>[number];
    expectTypeOf<UnreadableMessage>().toExtend<Handed>();
    expectTypeOf<Read["body"]>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<Handed["body"]>().toEqualTypeOf<{ id: number } | undefined>();
  });
});
