import { describe, expect, it } from "vitest";
import { Outage, Turn } from "../../../src/client/client/outage.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { setup } from "./setup.support.ts";

const second = 1_000;
const numbers = Array.from({ length: 30 }, (_, index) => index + 1);

describe("a processor in receiveAndDelete that pauses", () => {
  it.each([1, 4])("handles each message once, also those that come in a trial, with %i calls", async (calls) => {
    const { client, clock } = setup({ queues: ["orders"] });
    const seen: unknown[] = [];
    const processMessage = ({ body }: { readonly body: unknown }): void => {
      seen.push(body);
      if (seen.length <= 8) throw new Error("database away");
    };
    client.startProcessor(
      "orders",
      { processMessage, processError: () => undefined, processUnreadable: () => undefined },
      { receiveMode: "receiveAndDelete", maxConcurrentCalls: calls, pauseWhen: { consecutiveFailures: 1 } },
    );
    await client.createSender("orders").sendMessages(numbers.map((body) => ({ body })));
    for (let turn = 0; turn < 60; turn++) await clock.advance(10 * second);

    expect(seen.toSorted((one, other) => Number(one) - Number(other))).toEqual(numbers);
  });

  it("handles each message of its sessions once", async () => {
    const { client, clock } = setup({ queues: { carts: { requiresSession: true } } });
    const seen: unknown[] = [];
    const processMessage = ({ body }: { readonly body: unknown }): void => {
      seen.push(body);
      if (seen.length <= 8) throw new Error("database away");
    };
    client.startSessionProcessor(
      "carts",
      { processMessage, processError: () => undefined, processUnreadable: () => undefined },
      {
        receiveMode: "receiveAndDelete",
        maxConcurrentSessions: 8,
        maxConcurrentCallsPerSession: 2,
        sessionIdleTimeout: 100,
        pauseWhen: { consecutiveFailures: 2 },
      },
    );
    await client.createSender("carts").sendMessages(numbers.map((body) => ({ body, sessionId: `cart-${body % 10}` })));
    for (let turn = 0; turn < 600; turn++) await clock.advance(second);

    expect(seen.toSorted((one, other) => Number(one) - Number(other))).toEqual(numbers);
  });
});

describe("the trial after a pause", () => {
  it("belongs to the call that took it, not to one that had an earlier trial", async () => {
    const clock = new ManualClock();
    const signals = { paused: () => undefined, resumed: () => undefined };
    const outage = new Outage({ clock, delay: () => second, signals }, new AbortController().signal);
    const [earlier, later] = [new Turn(outage), new Turn(outage)];
    outage.begin();
    await clock.advance(second);
    await earlier.come();
    outage.ended();

    outage.begin();
    await clock.advance(second);
    await later.come();

    expect([earlier.isTrial, earlier.waits]).toEqual([false, true]);
    expect([later.isTrial, later.waits]).toEqual([true, false]);
  });
});
