import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type {
  Client,
  IdempotentOptions,
  MessageBatch,
  MessageContext,
  PauseWhen,
  ReceiveMessagesOptions,
  RetryOptions,
  SessionProcessorOptions,
  SettlingVerbs,
  UnreadableMessage,
} from "../../src/client/client/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";
import type { DurationLike } from "../../src/core/time/index.ts";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";

declare const client: Client;
const Order = defineMessage("acme.order", { 1: z.object({ id: z.number() }) });
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });
const processError = (): void => undefined;

describe("handlers", () => {
  it("get the body of their one type", () => {
    void client.startProcessor(
      "orders",
      { processMessage: ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ id: number }>(), processError },
      { messageTypes: [Order] },
    );
  });

  it("tell the bodies of several types apart by messageType", () => {
    void client.startProcessor(
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
    void client.startProcessor("orders", {
      processMessage: ({ body }) => void expectTypeOf(body).toEqualTypeOf<unknown>(),
      processError,
    });
  });

  it("are refused when they want another body", () => {
    void client.startProcessor(
      "orders",
      // @ts-expect-error -- an order has no name
      { processMessage: ({ body }) => void body.name, processError },
      { messageTypes: [Order] },
    );
  });
});

describe("receivers", () => {
  it("narrow a message by its own `ok`", async () => {
    for (const message of await client.createReceiver("orders", { messageTypes: [Order] }).receiveMessages(1)) {
      if (message.ok) expectTypeOf(message.body).toEqualTypeOf<{ id: number }>();
      else expectTypeOf(message.result.error.code).toBeString();
    }
  });

  it("take a topic and its subscription, with the same options", () => {
    const receiver = client.createReceiver("prices", "eu", { messageTypes: [Order], onUnreadable: "dead-letter" });
    expectTypeOf<Awaited<ReturnType<(typeof receiver)["receiveMessages"]>>[number]["body"]>().toEqualTypeOf<{
      id: number;
    }>();
  });

  it("settle as handlers do", () => {
    expectTypeOf<MessageContext>().toExtend<SettlingVerbs>();
    expectTypeOf<ReturnType<typeof client.createReceiver>>().toExtend<SettlingVerbs>();
  });

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

describe("every library's schema", () => {
  it("gives handlers its own output type", () => {
    const Zod = defineMessage("a.zod", { 1: z.object({ at: z.string().transform(Number) }) });
    const Valibot = defineMessage("a.valibot", { 1: v.object({ at: v.pipe(v.string(), v.transform(Number)) }) });
    const Ark = defineMessage("a.ark", { 1: type({ at: "string", "note?": "number" }) });
    const Json = defineMessage("a.json", {
      1: jsonSchema({
        type: "object",
        properties: { at: { type: "string" }, kind: { enum: ["x", "y"] } },
        required: ["at"],
      }),
    });

    void client.startProcessor(
      "q",
      {
        processMessage(message) {
          switch (message.messageType) {
            case "a.zod":
              return void expectTypeOf(message.body).toEqualTypeOf<{ at: number }>();
            case "a.valibot":
              return void expectTypeOf(message.body).toEqualTypeOf<{ at: number }>();
            case "a.ark":
              return void expectTypeOf(message.body).toEqualTypeOf<{ at: string; note?: number }>();
            case "a.json":
              return void expectTypeOf(message.body).toEqualTypeOf<{
                readonly at: string;
                readonly kind?: "x" | "y" | undefined;
              }>();
            default:
              return void (message satisfies never);
          }
        },
        processError,
      },
      { messageTypes: [Zod, Valibot, Ark, Json] },
    );
  });
});

describe("the patterns", () => {
  it("give sessions, requests, replies and steps the body of their types", () => {
    void client.startSessionProcessor(
      "q",
      { processMessage: ({ body }) => void expectTypeOf(body).toEqualTypeOf<{ id: number }>(), processError },
      { messageTypes: [Order] },
    );
    void client.startResponder(
      "q",
      {
        processRequest({ body }) {
          expectTypeOf(body).toEqualTypeOf<{ id: number }>();
          return Invoice.message({ number: "1" });
        },
        processError,
      },
      { messageTypes: [Order] },
    );
    const requester = client.createRequester("q", { replyTo: "r", messageTypes: [Invoice] });
    type Reply = Awaited<ReturnType<(typeof requester)["request"]>>;
    expectTypeOf<Reply["body"]>().toEqualTypeOf<{ number: string }>();
    type OneReply = Awaited<ReturnType<typeof one>>;
    const one = async () => client.request("q", { body: 1 }, { replyTo: "r", messageTypes: [Invoice] });
    expectTypeOf<OneReply["body"]>().toEqualTypeOf<{ number: string }>();
    void (async () => {
      const replies = client.requestMany("q", { body: 1 }, { replyTo: "r", messageTypes: [Order, Invoice] });
      for await (const { body } of replies) expectTypeOf(body).toEqualTypeOf<{ id: number } | { number: string }>();
      for await (const { body } of client.requestMany("q", { body: 1 }, { replyTo: "r" }))
        expectTypeOf(body).toEqualTypeOf<unknown>();
    });
    void client.startSessionWorkflow<{ readonly sum: number }, readonly [typeof Order]>(
      "q",
      {
        processStep({ state, message }) {
          expectTypeOf(state).toEqualTypeOf<{ readonly sum: number } | undefined>();
          expectTypeOf(message.body).toEqualTypeOf<{ id: number }>();
          return { sum: (state?.sum ?? 0) + message.body.id };
        },
        processError,
      },
      { messageTypes: [Order] },
    );
  });

  it("refuse misuse", () => {
    // @ts-expect-error -- an order has an id
    void client.createSender("q").sendMessages(Order.message({ number: "1" }));
    // @ts-expect-error -- processError is not there
    void client.startProcessor("q", { processMessage: () => undefined });
    // @ts-expect-error -- there is no such option
    void client.startProcessor("q", { processMessage: () => undefined, processError }, { maxConcurrentCall: 2 });
    // @ts-expect-error -- a session processor fetches nothing ahead
    void client.startSessionProcessor("q", { processMessage: () => undefined, processError }, { prefetchCount: 2 });
    // @ts-expect-error -- replies have to go somewhere
    void client.createRequester("q", {});
    // @ts-expect-error -- sequence numbers are bigints
    void client.createSender("q").cancelScheduledMessages(1);
    // @ts-expect-error -- a reply is a message with a body
    void client.startResponder("q", { processRequest: () => ({ text: "no" }), processError });
  });
});

it("a batch is asked in an `if`, and never with a promise", () => {
  expectTypeOf<ReturnType<MessageBatch["tryAddMessage"]>>().toEqualTypeOf<boolean>();
});

describe("durations", () => {
  it("are a DurationLike without a unit in their name, and a number with one", () => {
    expectTypeOf<PauseWhen["maxPause"]>().toEqualTypeOf<DurationLike | undefined>();
    expectTypeOf<SessionProcessorOptions["sessionIdleTimeout"]>().toEqualTypeOf<DurationLike | undefined>();
    expectTypeOf<IdempotentOptions<never>["claimDuration"]>().toEqualTypeOf<DurationLike | undefined>();
    expectTypeOf<RetryOptions["timeoutInMs"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<ReceiveMessagesOptions["maxWaitTimeInMs"]>().toEqualTypeOf<number | undefined>();
  });
});
