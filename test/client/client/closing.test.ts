import { describe, expect, it, vi } from "vitest";
import type { Processor, Receiver, Sender } from "../../../src/client/client/index.ts";
import { rejection } from "../../refusal.support.ts";
import { noting, setup } from "./setup.support.ts";

/** A promise and what resolves it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const opened = new AbortController();
  const passed = new Promise<void>((resolve) => opened.signal.addEventListener("abort", () => resolve()));
  return { passed, open: () => opened.abort() };
}

describe("closing a processor from inside", () => {
  it("a handler may await it: the message is settled afterwards and no other is received", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages([{ body: "last" }, { body: "next" }]);
    const done: unknown[] = [];
    const { errors, handlers } = noting(async ({ body }: { readonly body: unknown }) => {
      await Promise.resolve();
      await processor.close();
      done.push(body);
    });
    const processor: Processor = client.startProcessor("orders", handlers);

    await clock.advance(0);
    await processor.close();

    expect(done).toEqual(["last"]);
    expect(errors).toEqual([]);
    expect(processor.isRunning).toBe(false);
    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([{ body: "next", deliveryCount: 0 }]);
  });

  it("resolves when the other handlers have ended", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const { passed, open } = gate();
    const story: unknown[] = [];
    const { handlers } = noting(async ({ body }: { readonly body: unknown }) => {
      if (body === "closes") await processor.close();
      else await passed;
      story.push(body);
    });
    const processor: Processor = client.startProcessor("orders", handlers, { maxConcurrentCalls: 2 });
    await client.createSender("orders").sendMessages([{ body: "closes" }, { body: "works" }]);
    await clock.advance(0);
    const before = [...story];

    open();
    await processor.close();

    expect(before).toEqual([]);
    expect(story).toEqual(["works", "closes"]);
  });

  it("resolves for all when every handler waits for it", async () => {
    const { client } = setup({ queues: ["orders"] });
    const { passed, open } = gate();
    let begun = 0;
    const { errors, handlers } = noting(async () => {
      if (++begun === 3) open();
      await passed;
      await processor.close();
    });
    const processor: Processor = client.startProcessor("orders", handlers, { maxConcurrentCalls: 3 });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);

    await passed;
    await processor.close();

    expect(errors).toEqual([]);
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("processError may await it too", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const told: string[] = [];
    const processor: Processor = client.startProcessor("orders", {
      processMessage: () => Promise.reject(new Error("broken")),
      async processError({ errorSource }) {
        await processor.close();
        told.push(errorSource);
      },
    });

    await clock.advance(0);
    await processor.close();

    expect(told).toEqual(["handler"]);
    expect(await client.createReceiver("orders").peekMessages(1)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("works in the handlers of sessions, several of one session and of several", async () => {
    const { client, clock } = setup({ queues: { talks: { requiresSession: true } } });
    await client
      .createSender("talks")
      .sendMessages(["a", "a", "b"].map((sessionId) => ({ sessionId, body: sessionId })));
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(async ({ body }: { readonly body: unknown }) => {
      await Promise.resolve();
      await processor.close();
      bodies.push(body);
    });
    const processor: Processor = client.startSessionProcessor("talks", handlers, { maxConcurrentCallsPerSession: 2 });

    await clock.advance(0);
    await processor.close();

    expect(bodies.length).toBeGreaterThanOrEqual(1);
    expect(errors).toEqual([]);
    expect(await client.createReceiver("talks/$DeadLetterQueue").peekMessages(1)).toEqual([]);
  });

  it("lets a responder that closes itself still send its reply", async () => {
    const { client } = setup({ queues: ["prices", "replies"] });
    const responder: Processor = client.startResponder("prices", {
      async processRequest() {
        await responder.close();
        return { body: "bye" };
      },
      processError: vi.fn(),
    });

    const reply = await client.request("prices", { body: 1 }, { replyTo: "replies" });

    expect(reply.body).toBe("bye");
  });

  it("takes the whole client along", async () => {
    const { client, clock, engine } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const { errors, handlers } = noting(async () => {
      await client.close();
    });
    const processor = client.startProcessor("orders", handlers);

    await clock.advance(0);
    await processor.close();

    expect(errors).toEqual([]);
    expect(await engine.peek("orders", { maxMessages: 1 })).toEqual([]);
  });
});

describe("closing a session whose handlers overlap", () => {
  it("waits for all of them, though one loop has lost its link", async () => {
    const { client, clock, faults } = setup({ queues: { talks: { requiresSession: true } } });
    const { passed, open } = gate();
    let ended = 0;
    const { handlers } = noting(async () => {
      await passed;
      ended++;
    });
    await client.createSender("talks").sendMessages({ sessionId: "a", body: 1 });
    const options = { maxConcurrentCallsPerSession: 2, maxConcurrentSessions: 1 };
    const processor = client.startSessionProcessor("talks", handlers, options);
    await clock.advance(0);
    await faults.cut();

    const closing = processor.close();
    open();
    await closing;

    expect(ended).toBe(1);
  });
});

describe("closing a receiver", () => {
  it.each([0, 3])("ends its iteration, prefetching %i", async (prefetchCount) => {
    const { client, clock } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders", { prefetchCount });
    const bodies: unknown[] = [];
    const iterating = (async () => {
      for await (const message of receiver.getMessageIterator()) bodies.push(message.body);
    })();
    await clock.advance(0);

    await receiver.close();
    await iterating;

    expect(bodies).toEqual([1]);
    expect((await rejection(receiver.getMessageIterator().next())).code).toBe("Closed");
  });
});

describe("closing a session from its own handler", () => {
  it("settles the message first, and frees the session then", async () => {
    const { client, clock } = setup({ queues: { talks: { requiresSession: true } } });
    await client.createSender("talks").sendMessages({ body: 1, sessionId: "a" });
    const session = await client.acceptSession("talks", "a");
    const { errors, handlers } = noting(async () => {
      await session.close();
    });

    session.subscribe(handlers);
    await clock.advance(0);
    const again = await client.acceptSession("talks", "a", { maxWaitTimeInMs: 0 });

    expect(errors).toEqual([]);
    expect(await again.peekMessages(1)).toEqual([]);
  });
});

describe("a closed receiver", () => {
  it.each<readonly [string, (receiver: Receiver) => unknown]>([
    ["receives", (receiver) => receiver.receiveMessages(1)],
    ["receives deferred ones", (receiver) => receiver.receiveDeferredMessages(1n)],
    ["peeks", (receiver) => receiver.peekMessages(1)],
    ["deletes", (receiver) => receiver.deleteMessages(1)],
    ["starts a processor", (receiver) => receiver.subscribe(noting(() => undefined).handlers)],
  ])("no longer %s", async (_what, act) => {
    const { client } = setup({ queues: ["orders"] });
    const receiver = client.createReceiver("orders");
    await receiver.close();

    expect((await rejection((async () => act(receiver))())).code).toBe("Closed");
  });
});

describe("a closed sender", () => {
  it.each<readonly [string, (sender: Sender) => Promise<unknown>]>([
    ["sends", (sender) => sender.sendMessages({ body: 1 })],
    ["makes batches", (sender) => sender.createMessageBatch()],
    ["schedules", (sender) => sender.scheduleMessages({ body: 1 }, new Date(2_000_000_000_000))],
    ["cancels", (sender) => sender.cancelScheduledMessages(1n)],
  ])("no longer %s", async (_what, act) => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    await sender.close();

    expect((await rejection(act(sender))).code).toBe("Closed");
  });
});

describe("closing a client", () => {
  it.each([undefined, new AbortController().signal])(
    "ends the waiting for a session, also with a signal: %o",
    async (abortSignal) => {
      const { client, clock } = setup({ queues: { talks: { requiresSession: true } } });
      const accepting = rejection(client.acceptNextSession("talks", { abortSignal }));
      await clock.advance(0);

      await client.close();

      expect((await accepting).code).toBe("Closed");
    },
  );
});

describe("a closed client", () => {
  it("begins nothing", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.close();

    expect((await rejection(client.redrive("orders/$DeadLetterQueue"))).code).toBe("Closed");
    expect((await rejection(client.beginTransaction())).code).toBe("Closed");
    expect((await rejection(client.acceptSession("orders", "a"))).code).toBe("Closed");
    expect((await rejection(client.request("orders", { body: 1 }, { replyTo: "orders" }))).code).toBe("Closed");
  });
});
