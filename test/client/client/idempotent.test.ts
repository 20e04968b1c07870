import { describe, expect, it, vi } from "vitest";
import { idempotent, type Inbox, memoryInbox } from "../../../src/client/client/index.ts";
import type { ManualClock } from "../../../src/core/time/index.ts";
import { refusal } from "../../refusal.support.ts";
import { setup } from "./setup.support.ts";

const minute = 60_000;
const processError = (): void => undefined;

/** Two processors on one queue, as in two processes, each with a handler of its own on the inbox. */
function twoProcesses(
  handler: (which: string) => Promise<void> | void,
  inboxOf: (clock: ManualClock) => Inbox = (clock) => memoryInbox({ clock }),
): ReturnType<typeof setup> {
  const all = setup({ queues: { orders: { lockDuration: 5_000, maxDeliveryCount: 100 } } });
  const { client, clock } = all;
  const inbox = inboxOf(clock);
  for (const which of ["first", "second"])
    client.startProcessor(
      "orders",
      {
        processMessage: idempotent(inbox, () => handler(which), { clock, claimDuration: minute }),
        processError,
      },
      { maxConcurrentCalls: 2, maxAutoLockRenewalDurationInMs: 2_000 },
    );
  return all;
}

describe("two idempotent handlers on one inbox", () => {
  it("never run one message twice, even when its lock is lost while its handler runs", async () => {
    const runs: string[] = [];
    const finish: (() => void)[] = [];
    const { client, clock } = twoProcesses((which) => {
      runs.push(which);
      return new Promise<void>((resolve) => finish.push(resolve));
    });
    await client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    for (let seconds = 0; seconds < 300; seconds++) await clock.advance(1_000);
    const before = runs.length;
    for (const end of finish) end();
    for (let seconds = 0; seconds < 30; seconds++) await clock.advance(1_000);

    expect([before, runs.length]).toEqual([1, 1]);
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("run copies with the same message id once", async () => {
    const handler = vi.fn();
    const { client, clock } = twoProcesses(handler);
    await client.createSender("orders").sendMessages(Array.from({ length: 20 }, () => ({ body: 1, messageId: "a" })));
    await clock.advance(minute);

    expect(handler).toHaveBeenCalledTimes(1);
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("run a message again that failed, at once", async () => {
    const handler = vi.fn(() => {
      if (handler.mock.calls.length === 1) throw new Error("first");
    });
    const { client, clock } = twoProcesses(handler);
    await client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await clock.advance(0);

    expect(handler).toHaveBeenCalledTimes(2);
  });

  it("take the message of a process that was killed when its claim is over, not before", async () => {
    const times: number[] = [];
    const { client, clock } = twoProcesses(
      () => void times.push(clock.now()),
      (time) => {
        const inbox = memoryInbox({ clock: time });
        void inbox.claim("id:a", "killed", minute);
        return inbox;
      },
    );
    const start = clock.now();
    await client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    for (let seconds = 0; seconds < 120; seconds++) await clock.advance(1_000);

    expect(times).toHaveLength(1);
    expect((times[0] ?? 0) - start).toBeGreaterThanOrEqual(minute);
    expect((times[0] ?? 0) - start).toBeLessThan(minute + 15_000);
  });
});

describe("an idempotent handler", () => {
  it("rejects when its claim was lost, so that its work is rolled back", async () => {
    const { clock } = setup({});
    const inbox = memoryInbox({ clock });
    const lost: unknown[] = [];
    const handle = idempotent(
      { ...inbox, renew: () => false },
      async (_message, _context, claim) => {
        await clock.advance(2 * minute);
        await inbox.claim("id:a", "other", minute);
        try {
          await Reflect.apply(Reflect.get(claim, "complete"), claim, [undefined]);
        } catch (error) {
          lost.push(error);
        }
      },
      { clock, claimDuration: minute },
    );
    const handling = handle(Object.assign(Object.create(null), { messageId: "a" }), undefined);

    await expect(handling).rejects.toMatchObject({ code: "MessageLockLost" });
    expect(lost).toMatchObject([{ code: "MessageLockLost" }]);
    expect(await inbox.complete("id:a", "other")).toBe(true);
  });

  it("is waited for no longer than the lock of the second delivery", async () => {
    const { clock } = setup({});
    const inbox = memoryInbox({ clock });
    await inbox.claim("id:a", "other", minute);
    const abort = new AbortController();
    const handler = vi.fn();
    const handling = idempotent(inbox, handler, { clock })(Object.assign(Object.create(null), { messageId: "a" }), {
      abortSignal: abort.signal,
    });
    abort.abort();

    await expect(handling).rejects.toMatchObject({ code: "Aborted" });
    expect(handler).not.toHaveBeenCalled();
  });

  it("is not called for a copy whose message was given up while the first copy was handled", async () => {
    const { clock } = setup({});
    const finish: (() => void)[] = [];
    const handler = vi.fn(() => new Promise<void>((_resolve, reject) => finish.push(() => reject(new Error("first")))));
    const handle = idempotent(memoryInbox({ clock }), handler, { clock });
    const abort = new AbortController();
    const message = Object.assign(Object.create(null), { messageId: "a" });
    const first = handle(message, undefined).catch(String);
    const second = handle(message, { abortSignal: abort.signal });
    await clock.advance(0);
    abort.abort();
    for (const end of finish) end();

    await expect(second).rejects.toMatchObject({ code: "Aborted" });
    expect(await first).toContain("first");
    expect(handler).toHaveBeenCalledOnce();
  });

  it("releases a claim whose answer was lost", async () => {
    const { clock } = setup({});
    const inbox = memoryInbox({ clock });
    const claim: Inbox["claim"] = async (...claimed) => {
      await inbox.claim(...claimed);
      throw new Error("answer lost");
    };
    const message = Object.assign(Object.create(null), { messageId: "a" });

    await expect(idempotent({ ...inbox, claim }, vi.fn(), { clock })(message, undefined)).rejects.toThrow(
      "answer lost",
    );
    expect(await inbox.claim("id:a", "other", minute)).toBe("claimed");
  });

  it("claims for as long as the broker's lock lasts, but no longer than the longest lock", async () => {
    const { clock } = setup({});
    const durations: number[] = [];
    const inbox = {
      ...memoryInbox({ clock }),
      claim: (_key: string, _owner: string, duration: number) => (durations.push(duration), "handled" as const),
    };
    const handle = idempotent(inbox, vi.fn(), { clock, claimDuration: 10_000 });
    for (const lock of [5_000, 200_000, 3_600_000])
      await handle(
        Object.assign(Object.create(null), { messageId: "a", lockedUntilUtc: new Date(clock.now() + lock) }),
        undefined,
      );

    expect(durations).toEqual([10_000, 200_000, 300_000]);
  });

  it("is refused with retries that outlast the memory of its inbox", () => {
    const { client } = setup({ queues: ["orders"] });
    const inbox = memoryInbox({ retention: 3_600_000 });
    const handlers = { processMessage: idempotent(inbox, vi.fn()), processError };

    const error = refusal(() => client.startProcessor("orders", handlers, { retries: { delayed: ["50m", "20m"] } }));
    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.retries.delayed" });
    expect(refusal(() => idempotent(memoryInbox({ retention: 1_000 }), vi.fn())).path).toBe("$.claimDuration");
    expect(() => client.startProcessor("orders", handlers, { retries: { delayed: ["50m"] } })).not.toThrow();
  });

  it("fails for a message without a key, rather than treating all of them as one", async () => {
    const { client, engine, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);

    client.startProcessor("orders", {
      processMessage: idempotent(memoryInbox(), () => undefined, { key: keyless }),
      processError,
    });
    await clock.advance(0);

    const letters = await engine.peek("orders/$DeadLetterQueue", { maxMessages: 5 });
    expect(letters).toHaveLength(2);
    expect(letters[1]?.envelope.applicationProperties["sobre-failure"]).toContain("key must return a non-empty string");
  });

  it.each([[null], [{ retention: -1 }], [{ size: 5 }]])(
    "requires an inbox in memory with a retention, not %o",
    (options) => {
      expect(refusal(() => Reflect.apply(memoryInbox, undefined, [options])).code).toBe("InvalidArgument");
    },
  );

  it("requires an inbox, a handler and a key of the right kind", () => {
    const inbox = memoryInbox();
    const wrong = [
      ["inbox", [{}, () => undefined]],
      ["handler", [inbox, undefined]],
      ["key", [inbox, () => undefined, { key: "id" }]],
      ["claimDuration", [inbox, () => undefined, { claimDuration: 0 }]],
    ] as const;

    for (const [option, given] of wrong) {
      expect(refusal(() => Reflect.apply(idempotent, undefined, given)).path).toBe(`$.${option}`);
    }
  });
});

/** A key of a message that has none. */
const keyless = (): string => Reflect.get({}, "id");
