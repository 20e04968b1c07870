import { describe, expect, it, vi } from "vitest";
import { noting, setup } from "./setup.support.ts";

describe("locks", () => {
  it("are renewed while a handler runs, and no longer than the maximum", async () => {
    const { client, clock } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    const calls: (() => void)[] = [];
    const { errors, handlers } = noting(() => new Promise<void>((resolve) => calls.push(resolve)));
    const processor = client.startProcessor("orders", handlers, {
      maxAutoLockRenewalDurationInMs: 60_000,
      maxConcurrentCalls: 2,
    });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(59_000);
    const within = calls.length;
    await clock.advance(15_000);
    const beyond = calls.length;
    for (const finish of calls) finish();
    await processor.close();

    expect([within, beyond]).toEqual([1, 2]);
    expect(errors).toMatchObject([{ errorSource: "settle", code: "MessageLockLost" }]);
  });

  it("are renewed again when renewing fails with a transient error", async () => {
    const { client, clock, faults } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    const calls: (() => void)[] = [];
    const { errors, handlers } = noting(() => new Promise<void>((resolve) => calls.push(resolve)));
    client.startProcessor("orders", handlers, { maxConcurrentCalls: 2 });
    faults.refuse("renew", "ServiceBusy", { times: 2 });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(60_000);
    for (const finish of calls) finish();
    await clock.advance(0);

    expect(calls).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it("that are lost are reported, and the settlement is not repeated", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] });
    const { errors, handlers } = noting(vi.fn());
    faults.loseLock();
    client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(errors).toMatchObject([{ errorSource: "settle", code: "MessageLockLost" }]);
    expect(handlers.processMessage).toHaveBeenCalledTimes(2);
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });
});

describe("a lost link", () => {
  it.each([0, 4])("is reported and opened again, with prefetchCount %i", async (prefetchCount) => {
    const { client, clock, faults } = setup({ queues: ["orders"] });
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(({ body }: { readonly body: unknown }) => void bodies.push(body));
    const processor = client.startProcessor("orders", handlers, { prefetchCount, maxConcurrentCalls: 3 });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);
    await faults.cut();
    await clock.advance(0);
    faults.refuse("receive", "ServiceCommunicationProblem", { times: 5 });
    await clock.advance(60_000);
    await client.createSender("orders").sendMessages({ body: 2 });
    await clock.advance(60_000);

    expect(bodies).toEqual([1, 2]);
    expect(errors.length).toBeGreaterThan(0);
    expect(new Set(errors.map(({ errorSource, code }) => `${errorSource} ${code}`))).toEqual(
      new Set(["receive ServiceCommunicationProblem"]),
    );
    expect(processor.isRunning).toBe(true);
  });

  it("that cannot be opened again ends the processor", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const { errors, handlers } = noting(vi.fn());
    const processor = client.startProcessor("nowhere", handlers);

    await clock.advance(0);

    expect(errors).toMatchObject([{ errorSource: "receive", code: "MessagingEntityNotFound" }]);
    expect(processor.isRunning).toBe(false);
  });
});

describe("what ends a processor", () => {
  it("is reported once, however many calls or sessions it would have had", async () => {
    const { client, clock } = setup({ queues: { orders: {}, talks: { requiresSession: true } } });
    const { errors, handlers } = noting(() => undefined);

    const processors = [
      client.startProcessor("talks", handlers, { maxConcurrentCalls: 4 }),
      client.startProcessor("missing", handlers, { maxConcurrentCalls: 4, prefetchCount: 3 }),
      client.startSessionProcessor("orders", handlers),
    ];
    await clock.advance(0);

    expect(
      errors.map(({ entityPath, errorSource, code }) => `${entityPath} ${errorSource} ${code}`).toSorted(),
    ).toEqual([
      "missing receive MessagingEntityNotFound",
      "orders acceptSession InvalidOperation",
      "talks receive InvalidOperation",
    ]);
    expect(processors.map(({ isRunning }) => isRunning)).toEqual([false, false, false]);
  });
});
