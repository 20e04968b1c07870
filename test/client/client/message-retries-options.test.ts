import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Client } from "../../../src/client/client/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { refusal } from "../../refusal.support.ts";
import { clientOver, failing, inMemory, left, queues, second } from "./message-retries.support.ts";

const Paid = defineMessage("acme.paid", { 1: z.object({ id: z.number() }) });

describe("the option retries", () => {
  it.each([
    [{ immediate: -1 }, "$.retries.immediate"],
    [{ delayed: ["1s", "soon"] }, "$.retries.delayed[1]"],
    [{ delayed: "10s" }, "$.retries.delayed"],
    [{ jitter: 2 }, "$.retries.jitter"],
    [{ retryable: true }, "$.retries.retryable"],
    [{ types: { "acme.paid": { attempts: 1 } } }, "$.retries.types.acme.paid.attempts"],
    [{ delay: ["1s"] }, "$.retries.delay"],
  ])("refuses %o", async (retries, path) => {
    const { client } = await inMemory(queues);
    const handlers = { processMessage: () => undefined, processError: () => undefined };
    const error = refusal(() => started(client, handlers, { retries }));

    expect(error.code).toBe("InvalidArgument");
    expect(error.path).toBe(path);
  });

  it("refuses types that the processor does not take", async () => {
    const { client } = await inMemory(queues);
    const handlers = { processMessage: () => undefined, processError: () => undefined };
    const options = { messageTypes: [Paid], retries: { types: { "acme.payed": { immediate: 1 } } } };
    const error = refusal(() => client.startProcessor("plain", handlers, options));

    expect([error.code, error.path]).toEqual(["InvalidArgument", "$.retries.types.acme.payed"]);
    expect(error.message).toBe("retries.types.acme.payed is not the name of one of the messageTypes.");
  });

  it.each([
    ["a subscription", "t/Subscriptions/s", {}, { delayed: ["1s"] }],
    ["a sub-queue", "plain/$DeadLetterQueue", {}, { immediate: 1 }],
    ["a message that is deleted at once", "plain", { receiveMode: "receiveAndDelete" as const }, { immediate: 1 }],
  ])("is refused for %s", async (_what, entity, options, retries) => {
    const { client } = await inMemory(queues);
    const handlers = {
      processMessage: () => undefined,
      processError: () => undefined,
      processUnreadable: () => undefined,
    };

    expect(refusal(() => client.startProcessor(entity, handlers, { ...options, retries })).code).toBe(
      "InvalidArgument",
    );
  });

  it("is refused on an engine that can neither schedule in a transaction nor defer", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues });
    const less = { ...engine.capabilities, transactions: { level: "refused" }, defer: { level: "refused" } } as const;
    Object.defineProperty(engine, "capabilities", { value: less });
    const { client } = clientOver({ engine, clock, advance: (milliseconds) => clock.advance(milliseconds) });
    const handlers = { processMessage: () => undefined, processError: () => undefined };

    expect(refusal(() => client.startProcessor("plain", handlers, { retries: { delayed: ["1s"] } })).code).toBe(
      "UnsupportedCapability",
    );
    await client.startProcessor("plain", handlers, { retries: { immediate: 1 } }).close();
  });

  it("defers, with a timer, on an engine without transactions", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues });
    const less = { ...engine.capabilities, transactions: { level: "refused" } } as const;
    Object.defineProperty(engine, "capabilities", { value: less });
    const place = clientOver({ engine, clock, advance: (milliseconds) => clock.advance(milliseconds) });
    const { seen, until } = await failing(place, "plain", { retries: { delayed: ["1s"] } }, 1);
    await until(1);
    expect((await left(place, "plain", 2)).map(({ state }) => state)).toEqual(["deferred", "scheduled"]);
    await until(2, second);

    expect(seen).toHaveLength(2);
    expect(await left(place, "plain", 0)).toEqual([]);
  });
});

/** Starts a processor with options that no type allows. */
function started(client: Client, ...given: readonly unknown[]): unknown {
  return Reflect.apply(Reflect.get(client, "startProcessor"), client, ["plain", ...given]);
}
