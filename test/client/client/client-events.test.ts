import { describe, expect, it, vi } from "vitest";
import type { ClientEvent } from "../../../src/client/client/index.ts";
import { notify } from "../../../src/client/client/process-error.ts";
import { noting, type Setup, setup } from "./setup.support.ts";

/** A client whose events are noted, without the errors. */
function observed(queues: Parameters<typeof setup>[0]["queues"]): Setup & { readonly events: ClientEvent[] } {
  const events: ClientEvent[] = [];
  return { ...setup({ queues }, { onEvent: (event) => void events.push(event) }), events };
}

const types = (events: readonly ClientEvent[]): readonly string[] => events.map(({ type }) => type);

describe("the events of a client", () => {
  it("report once that a link is connected, lost and connected again", async () => {
    const { client, clock, faults, events } = observed(["orders"]);
    const sender = client.createSender("orders");
    client.startProcessor("orders", noting(vi.fn()).handlers);
    await sender.sendMessages({ body: 1 });
    await clock.advance(0);

    await faults.cut();
    faults.refuse("open", "ServiceCommunicationProblem", { times: 2 });
    await clock.advance(60_000);

    const received = events.filter((event) => "link" in event && event.link === "receiver");
    expect(types(received)).toEqual(["connected", "disconnected", "connected"]);
    expect(received[1]).toMatchObject({ entityPath: "orders", error: { code: "ServiceCommunicationProblem" } });
    expect(events).toContainEqual({ type: "connected", entityPath: "orders", link: "sender" });
  });

  it("report each retry of a call, with the wait before it", async () => {
    const { client, clock, faults, events } = observed(["orders"]);
    const sender = client.createSender("orders");
    faults.refuse("send", "ServiceBusy", { times: 2 });
    const sending = sender.sendMessages({ body: 1 });
    await clock.advance(10_000);
    await sending;

    const retries = events.filter((event) => event.type === "retrying");
    expect(retries).toMatchObject([
      { entityPath: "orders", attempt: 1, error: { code: "ServiceBusy" } },
      { entityPath: "orders", attempt: 2, error: { code: "ServiceBusy" } },
    ]);
    expect(retries.every(({ delayInMs }) => delayInMs >= 800)).toBe(true);
  });

  it("say whose lock was lost", async () => {
    const { client, clock, faults, events } = observed(["orders"]);
    faults.loseLock();
    client.startProcessor("orders", noting(vi.fn()).handlers);
    await client.createSender("orders").sendMessages({ body: 1, messageId: "order-1" });
    await clock.advance(0);

    expect(events.filter(({ type }) => type === "lockLost")).toMatchObject([
      { entityPath: "orders", messageId: "order-1", sessionId: undefined, error: { code: "MessageLockLost" } },
    ]);
  });

  it("say whose session lock was lost", async () => {
    const { client, clock, faults, events } = observed({ carts: { requiresSession: true, lockDuration: 10_000 } });
    const finish: (() => void)[] = [];
    const { handlers } = noting(() => new Promise<void>((resolve) => finish.push(resolve)));
    client.startSessionProcessor("carts", handlers, { maxConcurrentSessions: 1 });
    await client.createSender("carts").sendMessages({ body: 1, sessionId: "cart-1" });
    await clock.advance(0);
    faults.refuse("renew", "SessionLockLost");
    await clock.advance(5_000);
    for (const end of finish) end();

    expect(events.filter(({ type }) => type === "lockLost")).toMatchObject([
      { entityPath: "carts", sessionId: "cart-1", error: { code: "SessionLockLost" } },
    ]);
  });

  it("report each pause, and once that the processor goes on", async () => {
    const { client, clock, events } = observed(["orders"]);
    const backAt = clock.now() + 60_000;
    client.startProcessor(
      "orders",
      {
        processMessage: () => (clock.now() < backAt ? Promise.reject(new Error("database away")) : undefined),
        processError: () => undefined,
      },
      { pauseWhen: { consecutiveFailures: 1 } },
    );
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    for (let seconds = 0; seconds < 180; seconds++) await clock.advance(1_000);

    const told = events.filter(({ type }) => type === "paused" || type === "resumed");
    expect(types(told).at(-1)).toBe("resumed");
    expect(
      types(told)
        .slice(0, -1)
        .every((type) => type === "paused"),
    ).toBe(true);
    expect(told.slice(0, 3)).toMatchObject([{ failures: 1 }, { failures: 2 }, { failures: 3 }]);
  });

  it.each(["startProcessor", "startSessionProcessor"] as const)(
    "tell that %s has ended, because its entity is missing",
    async (start) => {
      const { client, clock, events } = observed({});
      const { errors, handlers } = noting(vi.fn());
      client[start]("nowhere", handlers);
      await clock.advance(0);

      expect(events.filter(({ type }) => type === "processorEnded")).toMatchObject([
        { entityPath: "nowhere", error: { code: "MessagingEntityNotFound" } },
      ]);
      expect(errors).toMatchObject([{ code: "MessagingEntityNotFound" }]);
    },
  );

  it("do not report a processor that was closed", async () => {
    const { client, clock, events } = observed(["orders"]);
    const processor = client.startProcessor("orders", noting(vi.fn()).handlers);
    await clock.advance(0);
    await processor.close();

    expect(types(events)).toEqual(["connected"]);
  });

  it("are not affected when the listener throws", async () => {
    const { client } = setup(
      { queues: ["orders"] },
      {
        onEvent: () => {
          throw new Error("wrong");
        },
      },
    );

    await expect(client.createSender("orders").sendMessages({ body: 1 })).resolves.toBeUndefined();
  });
});

describe("an asynchronous listener", () => {
  it("may reject: nobody has to handle it", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const away = new Error("log away");
    // A mock would handle its rejections.
    const calls: unknown[] = [];
    const listener = (told: unknown): Promise<void> => {
      calls.push(told);
      return Promise.reject(away);
    };
    const { client, clock } = setup({ queues: ["orders"] }, { onEvent: listener });

    await client.createSender("orders").sendMessages({ body: 1 });
    notify(listener, new Error("lost"));
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);

    expect(calls.length).toBeGreaterThan(1);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a processor that ends without a listener", () => {
  it("is a warning of the process, with the name of its entity", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const { client, clock } = setup({});
    client.startProcessor("nowhere", noting(vi.fn()).handlers);
    await clock.advance(0);

    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining('The processor on "nowhere" has ended'),
        expect.objectContaining({ type: "SobreWarning" }),
      ],
    ]);
    warn.mockRestore();
  });
});
