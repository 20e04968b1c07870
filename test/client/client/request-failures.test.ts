import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, setup } from "./setup.support.ts";

const queues = { prices: {}, replies: {}, shared: { requiresSession: true } };
const double = ({ body }: { readonly body: unknown }): Message => ({ body: Number(body) * 2 });

describe("a request that goes wrong", () => {
  it("is refused when its id is that of one that waits already, which is not disturbed", async () => {
    const { client } = setup({ queues });
    const requester = client.createRequester("prices", { replyTo: "replies" });

    const first = requester.request({ body: 1, messageId: "same" });
    const second = await rejection(requester.request({ body: 2, messageId: "same" }));
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });

    expect(second).toMatchObject({ code: "InvalidArgument", path: "$.message.messageId" });
    expect((await first).body).toBe(2);
  });

  it("begins again after its replies ended with a permanent error", async () => {
    const { client, clock, engine } = setup({ queues });
    const requester = client.createRequester("prices", { replyTo: "replies" });
    const first = rejection(requester.request({ body: 1 }));
    await clock.advance(0);

    await engine.admin.deleteQueue("replies");
    await clock.advance(0);
    const error = await first;
    await engine.admin.createQueue("replies");
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });

    expect(error.code).toBe("MessagingEntityNotFound");
    expect((await requester.request({ body: 3 })).body).toBe(6);
  });

  it("is over in time though it could not be sent, and is not sent later", async () => {
    const { client, clock, engine, faults } = setup({ queues });
    faults.refuse("send", "ServiceBusy", { times: 2 });
    const start = clock.now();

    const options = { replyTo: "replies", timeoutInMs: 500 };
    const error = rejection(client.request("prices", { body: 1 }, options)).then((reason) => [
      reason.code,
      clock.now(),
    ]);
    const told = await advancedUntil(clock, 100, error);
    await clock.advance(10_000);

    expect(told).toEqual(["ServiceTimeout", start + 500]);
    expect(await engine.peek("prices", { maxMessages: 1 })).toEqual([]);
  });

  it("ends in time although the session of its replies is not available yet", async () => {
    const { client, clock, engine } = setup({ queues });
    vi.spyOn(engine, "acceptSession").mockImplementation(
      (_entity, { abortSignal }) =>
        new Promise((_resolve, reject) =>
          abortSignal?.addEventListener("abort", () => reject(new SobreError("Aborted", ""))),
        ),
    );

    const error = rejection(
      client.request("prices", { body: 1 }, { replyTo: "shared", replyToSessionId: "mine", timeoutInMs: 500 }),
    );
    await clock.advance(500);

    expect((await error).code).toBe("ServiceTimeout");
  });

  it("is answered though onError throws", async () => {
    const { client, clock } = setup({ queues });
    const onError = vi.fn(() => {
      throw new Error("mine");
    });
    const requester = client.createRequester("prices", { replyTo: "replies", onError });
    const request = requester.request({ body: 1, messageId: "asked" });
    await clock.advance(0);

    await client.createSender("replies").sendMessages([
      { correlationId: "stray", body: 0 },
      { correlationId: "asked", body: 2 },
    ]);

    expect((await request).body).toBe(2);
    expect(onError).toHaveBeenCalledOnce();
  });

  it("is answered after the session of its replies was lost", async () => {
    const { client, clock, engine } = setup({ queues });
    client.startResponder("prices", { processRequest: double, processError: vi.fn() });
    const onError = vi.fn();
    const requester = client.createRequester("prices", { replyTo: "shared", replyToSessionId: true, onError });
    await requester.request({ body: 1 });

    // An update of the entity ends its locks.
    await engine.admin.updateQueue("shared", { maxDeliveryCount: 5 });
    await clock.advance(60_000);

    expect((await requester.request({ body: 2 })).body).toBe(4);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "SessionLockLost" }));
  });

  it("has no time to live when it waits without limit", async () => {
    const { client, engine } = setup({ queues });
    const abort = new AbortController();

    const request = rejection(
      client.request("prices", { body: 1 }, { replyTo: "replies", timeoutInMs: Infinity, abortSignal: abort.signal }),
    );
    const sent = await vi.waitUntil(async () => (await engine.peek("prices", { maxMessages: 1 }))[0], {
      timeout: 25_000,
    });
    abort.abort();

    expect(sent.envelope.brokerProperties.timeToLive).toBeUndefined();
    expect((await request).code).toBe("Aborted");
  });
});
