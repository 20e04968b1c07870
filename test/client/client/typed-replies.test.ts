import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createClient } from "../../../src/client/create-client.ts";
import type { ProcessErrorArgs } from "../../../src/client/client/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { rejection } from "../../refusal.support.ts";
import { setup } from "./setup.support.ts";

const Question = defineMessage(
  "acme.question",
  { 1: z.object({ id: z.number() }), 2: z.object({ sku: z.string(), count: z.number() }) },
  { upcast: { 1: ({ id }) => ({ sku: `A-${id}`, count: 1 }) } },
);
const Price = defineMessage(
  "acme.price",
  { 1: z.object({ total: z.number() }), 2: z.object({ cents: z.number() }) },
  {
    upcast: { 1: ({ total }) => ({ cents: total * 100 }) },
    downcast: { 2: ({ cents }) => ({ total: cents / 100 }) },
  },
);
const SoldOut = defineMessage("acme.sold-out", { 1: z.object({ since: z.iso.date() }) });

/** A shop that answers typed questions, over the memory engine as it is. */
function shop() {
  const engine = memoryEngine({ queues: { questions: {}, replies: {}, shared: { requiresSession: true } } });
  const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
  const errors: ProcessErrorArgs[] = [];
  client.startResponder(
    "questions",
    {
      processRequest({ body: { sku, count }, messageVersion }) {
        if (sku === "A-0") return SoldOut.message({ since: "2026-11-21" });
        return Price.message({ cents: count * 250 }, { version: messageVersion ?? 2 });
      },
      processError: (args) => void errors.push(args),
    },
    { messageTypes: [Question] },
  );
  return { engine, client, errors };
}

describe("a requester and a responder of message types", () => {
  it.each([{ replyTo: "replies" }, { replyTo: "shared", replyToSessionId: true as const }])(
    "speak in types both ways, whatever version either side is in: %o",
    async (replying) => {
      const { client } = shop();
      const requester = client.createRequester("questions", { ...replying, messageTypes: [Price, SoldOut] });

      const replies = await Promise.all([
        requester.request(Question.message({ sku: "B", count: 4 })),
        requester.request({
          body: { id: 7 },
          applicationProperties: { "sobre-type": "acme.question", "sobre-version": 1 },
        }),
        requester.request(Question.message({ sku: "A-0", count: 1 })),
      ]);
      await client.close();

      const told = replies.map((reply) =>
        reply.messageType === "acme.price" ? reply.body.cents : reply.body.since.slice(0, 4),
      );
      expect(told).toEqual([1_000, 250, "2026"]);
      expect(replies.map(({ messageVersion }) => messageVersion)).toEqual([2, 1, 1]);
    },
  );

  it("refuse an invalid question: it is dead-lettered, answered with a fault, and reported", async () => {
    const { client, engine, errors } = shop();
    const wrong = { body: { sku: 1 }, applicationProperties: { "sobre-type": "acme.question", "sobre-version": 2 } };

    const error = await rejection(client.request("questions", wrong, { replyTo: "replies", timeoutInMs: 50 }));
    const letters = await engine.peek("questions/$DeadLetterQueue", { maxMessages: 2 });
    await client.close();

    expect(error).toMatchObject({ code: "RequestFailed", reason: "ValidationFailed" });
    expect(error.message).toContain("The body is not acme.question version 2");
    expect(letters).toMatchObject([{ deadLetterReason: "ValidationFailed" }]);
    expect(errors).toMatchObject([{ errorSource: "deserialize", code: "ValidationFailed" }]);
  });

  it("refuse a reply of another type: the request rejects, and the reply is dead-lettered", async () => {
    const { client, engine } = shop();
    const requester = client.createRequester("questions", { replyTo: "replies", messageTypes: [SoldOut] });

    const error = await rejection(requester.request(Question.message({ sku: "B", count: 1 })));
    await client.close();

    expect(error.code).toBe("UnknownMessageType");
    const letters = await engine.peek("replies/$DeadLetterQueue", { maxMessages: 2 });
    expect(letters).toMatchObject([{ deadLetterReason: "UnknownMessageType" }]);
  });

  it.each([[[{ body: 1 }, null]], [[[{ body: 1 }]]], [["text"]], [[{ text: "no body" }]]])(
    "send no reply without a body for what is no message among several: %j",
    async (answer) => {
      const { client, clock, engine } = setup({ queues: { asks: { maxDeliveryCount: 1 }, answers: {} } });
      const processError = vi.fn();
      const processRequest = (): unknown => answer;
      Reflect.apply(Reflect.get(client, "startResponder"), client, ["asks", { processRequest, processError }]);

      await client.createSender("asks").sendMessages({ body: "?", replyTo: "answers" });
      await clock.advance(0);
      const replies = await engine.peek("answers", { maxMessages: 5 });

      const empty = replies.filter(({ envelope }) => envelope.payload.byteLength === 0);
      expect(empty.map(({ envelope }) => envelope.applicationProperties["sobre-fault"])).toEqual(["InvalidArgument"]);
      expect(processError).toHaveBeenCalledWith(
        expect.objectContaining({ errorSource: "handler", code: "InvalidArgument" }),
      );
    },
  );

  it("send no question that is not of its type", async () => {
    const { client, engine } = shop();
    const wrong = Reflect.apply(Reflect.get(Question, "message"), Question, [{ sku: "B", count: "many" }]);

    const error = await rejection(client.request("questions", wrong, { replyTo: "replies" }));
    await client.close();

    expect(error).toMatchObject({ code: "ValidationFailed", path: "$.count" });
    expect(await engine.peek("questions/$DeadLetterQueue", { maxMessages: 1 })).toEqual([]);
  });
});
