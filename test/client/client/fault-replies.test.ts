import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../../src/core/codec/index.ts";
import type { ResponderOptions } from "../../../src/client/client/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, one, setup } from "./setup.support.ts";

const queues = { asks: { maxDeliveryCount: 10 }, replies: {}, shared: { requiresSession: true } };
const processError = (): void => undefined;

/** A responder that always fails. */
function failing(error: unknown, options: ResponderOptions<readonly []> = {}) {
  const made = setup({ queues, topics: { who: { subscriptions: ["a", "b"] } } });
  const processRequest = vi.fn((): Message => {
    throw error;
  });
  const failed = vi.fn();
  made.client.startResponder("asks", { processRequest, processError: failed }, options);
  return { ...made, processRequest, failed };
}

describe("a request whose handler fails", () => {
  it.each<readonly [string, unknown, string, string]>([
    ["a SobreError", new SobreError("QuotaExceeded", "Full."), "QuotaExceeded", ": Full."],
    ["an error with a code", Object.assign(new Error("card 4711"), { code: "CardDeclined" }), "CardDeclined", "."],
    ["another error", new Error("secret"), "GeneralError", "."],
    ["an error with a strange code", Object.assign(new Error("x"), { code: "a b" }), "GeneralError", "."],
    ["no error", "text", "GeneralError", "."],
  ])(
    "is answered at once with the code of %s, without the text of foreign ones",
    async (_what, thrown, reason, end) => {
      const { client, clock, processRequest } = failing(thrown);
      const before = clock.now();

      const error = await rejection(client.request("asks", { body: 1 }, { replyTo: "replies" }));

      expect(error).toMatchObject({ code: "RequestFailed", reason, retryable: false });
      expect(error.message).toBe(`The responder on "asks" failed with ${reason}${end}`);
      expect(processRequest).toHaveBeenCalledOnce();
      expect(clock.now()).toBe(before);
    },
  );

  it("is dead-lettered with the cause, and its fault is completed", async () => {
    const { client, clock, engine, failed } = failing(new Error("no"));

    await rejection(client.request("asks", { body: 1, messageId: "m" }, { replyTo: "replies" }));
    await clock.advance(0);

    const letters = await engine.peek("asks/$DeadLetterQueue", { maxMessages: 2 });
    expect(letters).toMatchObject([{ deadLetterReason: "RequestFailed" }]);
    expect(one(letters).envelope.applicationProperties["sobre-failure"]).toBe("Error: no");
    expect(await engine.peek("replies", { maxMessages: 1 })).toEqual([]);
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ errorSource: "handler" }));
  });

  it("is answered in the session of its replies", async () => {
    const { client } = failing(new Error("no"));
    const requester = client.createRequester("asks", { replyTo: "shared", replyToSessionId: true });

    expect((await rejection(requester.request({ body: 1 }))).code).toBe("RequestFailed");
  });

  it("is answered when its retries are exhausted, or its error is not retryable", async () => {
    const { client, clock, processRequest, engine } = failing(new Error("no"), {
      retries: { immediate: 1, delayed: [1_000], jitter: 0 },
    });

    const error = rejection(client.request("asks", { body: 1 }, { replyTo: "replies", timeoutInMs: 30_000 }));
    await clock.advance(0);
    const before = processRequest.mock.calls.length;
    const { code } = await advancedUntil(clock, 100, error);

    expect([before, processRequest.mock.calls.length, code]).toEqual([2, 4, "RequestFailed"]);
    expect(await engine.peek("asks/$DeadLetterQueue", { maxMessages: 1 })).toMatchObject([
      { deadLetterReason: "RetriesExhausted" },
    ]);
  });

  it("is not answered while the responder pauses for an outage", async () => {
    const { client, clock, engine } = failing(new Error("away"), { pauseWhen: { consecutiveFailures: 1 } });

    const error = rejection(client.request("asks", { body: 1 }, { replyTo: "replies", timeoutInMs: 1_000 }));
    await clock.advance(500);
    const replies = await engine.peek("replies", { maxMessages: 1 });
    await clock.advance(500);

    expect(replies).toEqual([]);
    expect((await error).code).toBe("ServiceTimeout");
  });

  it("is abandoned as before without replyTo, or with faultReplies: false", async () => {
    const { client, clock, processRequest, engine } = failing(new Error("no"), { faultReplies: false });
    const others = failing(new Error("no"));

    const error = rejection(client.request("asks", { body: 1 }, { replyTo: "replies", timeoutInMs: 1_000 }));
    await others.client.createSender("asks").sendMessages({ body: 1 });
    for (const made of [others, { engine, clock }])
      while ((await made.engine.peek("asks/$DeadLetterQueue", { maxMessages: 1 })).length === 0)
        await made.clock.advance(0);
    await clock.advance(1_000);

    expect((await error).code).toBe("ServiceTimeout");
    expect([processRequest, others.processRequest].map((mock) => mock.mock.calls.length)).toEqual([10, 10]);
    for (const broker of [engine, others.engine])
      expect(await broker.peek("asks/$DeadLetterQueue", { maxMessages: 1 })).toMatchObject([
        { deadLetterReason: "MaxDeliveryCountExceeded" },
      ]);
  });

  it("is tried again when the fault cannot be sent", async () => {
    const { client, clock, engine, processRequest, failed } = failing(new Error("no"));

    await client.createSender("asks").sendMessages({ body: 1, replyTo: "nowhere" });
    while ((await engine.peek("asks/$DeadLetterQueue", { maxMessages: 1 })).length === 0) await clock.advance(0);

    expect(processRequest).toHaveBeenCalledTimes(10);
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ code: "MessagingEntityNotFound" }));
  });

  it("is answered in receiveAndDelete, also when it is unreadable", async () => {
    const { client, clock, engine } = setup({ queues: { ...queues, elsewhere: {} } });
    const processUnreadable = vi.fn();
    client.startResponder(
      "asks",
      { processRequest: () => Promise.reject(new Error("no")), processError, processUnreadable },
      { receiveMode: "receiveAndDelete" },
    );
    const requester = client.createRequester("asks", { replyTo: "replies" });

    const failed = await rejection(requester.request({ body: 1 }));
    const unreadable = createEnvelope({
      payload: Uint8Array.of(0xff),
      brokerProperties: { contentType: "application/json", replyTo: "elsewhere", messageId: "odd" },
    });
    await client.createSender("asks").sendEnvelopes(unreadable);
    await clock.advance(0);

    expect(failed).toMatchObject({ code: "RequestFailed", reason: "GeneralError" });
    expect(processUnreadable).toHaveBeenCalledOnce();
    const [fault] = await engine.peek("elsewhere", { maxMessages: 1 });
    expect(fault?.envelope).toMatchObject({
      brokerProperties: { correlationId: "odd" },
      applicationProperties: { "sobre-fault": "Unreadable" },
    });
  });
});

describe("several responders", () => {
  it("of which one fails: the others are heard with onFault, which may throw", async () => {
    const { client } = failing(new Error("unused"));
    const no = Object.assign(new Error("no"), { code: "Closed4Today" });
    client.startResponder("who/Subscriptions/a", { processRequest: () => Promise.reject(no), processError });
    client.startResponder("who/Subscriptions/b", { processRequest: () => ({ body: "b" }), processError });
    const onFault = vi.fn(() => {
      throw new Error("mine");
    });

    const heard: unknown[] = [];
    const options = { replyTo: "replies", maxReplies: 1, onFault };
    for await (const { body } of client.requestMany("who", { body: 1 }, options)) heard.push(body);
    const ended = rejection(
      (async () => {
        for await (const _reply of client.requestMany("who", { body: 1 }, { replyTo: "replies" }));
      })(),
    );

    expect(heard).toEqual(["b"]);
    expect(onFault).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "RequestFailed", reason: "Closed4Today" }),
    );
    expect((await ended).code).toBe("RequestFailed");
  });
});
