import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { resolveReplyTo } from "../../../src/client/client/index.ts";
import type { Message } from "../../../src/core/codec/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { one, setup } from "./setup.support.ts";

const queues = { prices: {}, replies: {}, shared: { requiresSession: true, lockDuration: 10_000 } };
const Price = defineMessage("acme.price", { 1: z.object({ cents: z.number() }) });

const double = ({ body }: { readonly body: unknown }): Message => ({ body: Number(body) * 2 });

async function* count(): AsyncGenerator<Message> {
  for (let body = 1; body <= 3; body++) yield { body };
}

describe("request and reply", () => {
  it("resolves to the reply of its request, whichever comes first", async () => {
    const { client } = setup({ queues });
    client.startResponder("prices", { processRequest: double, processError: vi.fn() }, { maxConcurrentCalls: 2 });
    const requester = client.createRequester("prices", { replyTo: "replies" });

    const replies = await Promise.all([1, 2, 3].map((body) => requester.request({ body })));

    expect(replies.map(({ body }) => body)).toEqual([2, 4, 6]);
    expect(await client.createReceiver("replies").peekMessages(5)).toEqual([]);
  });

  it("keeps the message id that it is given, and reads replies of a type", async () => {
    const { client } = setup({ queues });
    client.startResponder("prices", { processRequest: () => Price.message({ cents: 5 }), processError: vi.fn() });
    const requester = client.createRequester("prices", { replyTo: "replies", messageTypes: [Price] });

    const reply = await requester.request({ body: 1, messageId: "my-id" });

    expect(reply).toMatchObject({ body: { cents: 5 }, messageType: "acme.price", correlationId: "my-id" });
  });

  it("iterates several replies until there are enough or the time is over", async () => {
    const { client, clock } = setup({ queues });
    client.startResponder("prices", { processRequest: count, processError: vi.fn() });
    const requester = client.createRequester("prices", { replyTo: "replies" });
    const bodies: unknown[] = [];

    for await (const { body } of requester.requestMany({ body: 0 }, { maxReplies: 2 })) bodies.push(body);
    const all = (async () => {
      for await (const { body } of requester.requestMany({ body: 0 }, { timeoutInMs: 1_000 })) bodies.push(body);
    })();
    for (let turn = 0; turn < 5; turn++) await clock.advance(100);
    await clock.advance(1_000);
    await all;

    expect(bodies).toEqual([1, 2, 1, 2, 3]);
  });

  it("times out, and reports a reply that comes too late", async () => {
    const { client, clock } = setup({ queues });
    const onError = vi.fn();
    const requester = client.createRequester("prices", { replyTo: "replies", onError });

    const late = rejection(requester.request({ body: 1 }, { timeoutInMs: 1_000 }));
    await clock.advance(0);
    const request = one(await client.createReceiver("prices").peekMessages(1));
    await clock.advance(1_000);
    await client.createSender("replies").sendMessages({ body: 2, correlationId: request.messageId });
    await clock.advance(0);

    expect((await late).code).toBe("ServiceTimeout");
    expect(request).toMatchObject({ replyTo: "replies", timeToLive: 1_000 });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "MessageNotFound" }));
    expect(await client.createReceiver("replies").peekMessages(1)).toEqual([]);
  });

  it("rejects with what makes a reply unreadable, and dead-letters it", async () => {
    const { client, clock } = setup({ queues });
    client.startResponder("prices", { processRequest: () => ({ body: "no price" }), processError: vi.fn() });
    const requester = client.createRequester("prices", { replyTo: "replies", messageTypes: [Price] });

    const error = await rejection(requester.request({ body: 1 }));
    await clock.advance(0);

    expect(error.code).toBe("UnknownMessageVersion");
    expect(await client.createReceiver("replies/$DeadLetterQueue").peekMessages(1)).toHaveLength(1);
  });

  it("ends with the signal and the closing", async () => {
    const { client, clock } = setup({ queues });
    const requester = client.createRequester("prices", { replyTo: "replies" });
    const abort = new AbortController();

    const aborted = rejection(requester.request({ body: 1 }, { abortSignal: abort.signal }));
    const closed = rejection(requester.request({ body: 1 }));
    await clock.advance(0);
    abort.abort();
    await requester.close();

    expect([(await aborted).code, (await closed).code]).toEqual(["Aborted", "Closed"]);
    expect((await rejection(requester.request({ body: 1 }))).code).toBe("Closed");
  });

  it("goes on when the link of the replies was lost", async () => {
    const { client, clock, faults } = setup({ queues });
    const onError = vi.fn();
    const requester = client.createRequester("prices", { replyTo: "shared", replyToSessionId: true, onError });
    const reply = requester.request({ body: 4 });
    await clock.advance(0);

    await faults.cut();
    // The broker holds the session of the replies for the cut connection until its lock runs out.
    await clock.advance(30_000);
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });
    await clock.advance(5_000);

    expect((await reply).body).toBe(8);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "ServiceCommunicationProblem" }));
  });
});

describe("multicast request and reply", () => {
  it("sends to a topic and collects a reply of each subscription, by a topic too", async () => {
    const { client, clock } = setup({
      queues,
      topics: { ask: { subscriptions: ["a", "b"] }, answers: { subscriptions: ["mine", "audit"] } },
    });
    for (const name of ["a", "b"]) {
      client.startResponder(`ask/Subscriptions/${name}`, {
        processRequest: () => ({ body: name }),
        processError: vi.fn(),
      });
    }
    const bodies: string[] = [];

    const asking = client.requestMany(
      "ask",
      { body: 0 },
      { replyTo: "answers", receiveFrom: "answers/Subscriptions/mine", maxReplies: 2 },
    );
    for await (const { body } of asking) bodies.push(String(body));
    await clock.advance(0);

    expect(bodies.toSorted((a, b) => a.localeCompare(b))).toEqual(["a", "b"]);
    expect(await client.createReceiver("answers/Subscriptions/audit").peekMessages(5)).toHaveLength(2);
  });
});

describe("multiplexed request and reply", () => {
  it("gives each requester its own replies of a shared queue, the session held before the request is sent", async () => {
    const { client, engine, clock } = setup({ queues });
    const first = client.createRequester("prices", { replyTo: "shared", replyToSessionId: true });
    const second = client.createRequester("prices", { replyTo: "sb://other.example/shared", replyToSessionId: "mine" });

    const asked = [first.request({ body: 1 }), second.request({ body: 2 })];
    await clock.advance(0);
    const waiting = await client.createReceiver("prices").peekMessages(5);
    const held = await Promise.all(
      [first, second].map(({ replyToSessionId }) =>
        rejection(
          engine.acceptSession("shared", { sessionId: replyToSessionId, receiveMode: "peekLock", maxWaitTimeInMs: 0 }),
        ),
      ),
    );
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });
    const replies = await Promise.all(asked);

    expect(waiting.map(({ replyToSessionId }) => replyToSessionId)).toEqual([first.replyToSessionId, "mine"]);
    expect(held.map(({ code }) => code)).toEqual(["SessionCannotBeLocked", "SessionCannotBeLocked"]);
    expect(replies.map(({ body }) => body)).toEqual([2, 4]);
  });

  it("keeps its session while it waits longer than the lock", async () => {
    const { client, clock } = setup({ queues });
    const requester = client.createRequester("prices", { replyTo: "shared", replyToSessionId: true });
    const reply = requester.request({ body: 3 });

    await clock.advance(50_000);
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });

    expect((await reply).body).toBe(6);
  });

  it("is refused when the session is held by somebody else, and sends nothing", async () => {
    const { client } = setup({ queues });
    await client.acceptSession("shared", "mine");

    const asking = client.request("prices", { body: 1 }, { replyTo: "shared", replyToSessionId: "mine" });

    expect((await rejection(asking)).code).toBe("SessionCannotBeLocked");
    expect(await client.createReceiver("prices").peekMessages(1)).toEqual([]);
  });
});

describe("a responder", () => {
  it.each<readonly [string, unknown, Partial<Message>, string]>([
    ["a reply that is no message", 5, { replyTo: "replies" }, "InvalidArgument"],
    ["a reply that has nowhere to go", { body: 1 }, {}, "InvalidOperation"],
    ["an address of nothing", { body: 1 }, { replyTo: "sb://host/" }, "InvalidArgument"],
  ])("counts %s as its handler's failure", async (_what, answer, properties, code) => {
    const { client, clock } = setup({ queues: { ...queues, prices: { maxDeliveryCount: 1 } } });
    const processError = vi.fn();
    const options = [{ processRequest: () => answer, processError }];
    Reflect.apply(Reflect.get(client, "startResponder"), client, ["prices", ...options]);

    await client.createSender("prices").sendMessages({ body: 1, ...properties });
    await clock.advance(0);

    expect(processError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ errorSource: "handler", code }));
  });

  it("leaves a reply in the session that it names itself, when the request wants none", async () => {
    const { client, clock, engine } = setup({ queues });
    client.startResponder("prices", { processRequest: () => ({ body: 1, sessionId: "own" }), processError: vi.fn() });

    await client.createSender("prices").sendMessages({ body: 1, replyTo: "shared" });
    await clock.advance(0);

    const replies = await engine.peek("shared", { maxMessages: 2 });
    expect(replies.map(({ envelope }) => envelope.brokerProperties.sessionId)).toEqual(["own"]);
  });

  it("needs no reply", async () => {
    const { client, clock } = setup({ queues });
    client.startResponder("prices", { processRequest: () => undefined, processError: vi.fn() });

    await client.createSender("prices").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(await client.createReceiver("prices").peekMessages(1)).toEqual([]);
  });
});

describe("replyTo", () => {
  it.each([
    ["replies", "replies"],
    ["/replies", "replies"],
    ["sb://ns.servicebus.windows.net/replies", "replies"],
    ["amqps://host:5671/team/replies/", "team/replies"],
    ["https://host/with%20blank", "with blank"],
  ])("%s names %s", (replyTo, entity) => {
    expect(resolveReplyTo(replyTo)).toBe(entity);
  });

  it.each(["", "/", "sb://host", "sb://", "sb://host/%E0%A4%A"])("%j names nothing", (replyTo) => {
    expect(refusal(() => resolveReplyTo(replyTo)).path).toBe("$.replyTo");
  });

  it.each<readonly [string, object]>([
    ["replyTo", {}],
    ["receiveFrom", { replyTo: "a", receiveFrom: 1 }],
    ["replyToSessionId", { replyTo: "a", replyToSessionId: false }],
    ["onError", { replyTo: "a", onError: "log" }],
  ])("and other options are refused by name: %s", (option, options) => {
    const { client } = setup({ queues });

    const error = refusal(() => Reflect.apply(Reflect.get(client, "createRequester"), client, ["prices", options]));

    expect(error.path).toBe(`$.${option}`);
  });
});
