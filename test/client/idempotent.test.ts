import { describe, expect, it } from "vitest";
import { idempotent, memoryIdempotencyStore } from "../../src/client/index.ts";
import { refusal } from "../refusal.support.ts";
import { setup } from "./setup.support.ts";

describe("an idempotent handler", () => {
  it("fails for a message without a key, instead of taking all of them for one", async () => {
    const { client, engine, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);

    client.startProcessor("orders", {
      processMessage: idempotent(memoryIdempotencyStore(), () => undefined, { key: keyless }),
      processError: () => undefined,
    });
    await clock.advance(0);

    const letters = await engine.peek("orders/$DeadLetterQueue", { maxMessages: 5 });
    expect(letters).toHaveLength(2);
    expect(letters[1]?.envelope.applicationProperties["sobre-failure"]).toContain("key must return a non-empty string");
  });

  it.each([[null], [{ capacity: 0 }], [{ size: 5 }]])("wants a store in memory of some capacity, not %o", (options) => {
    expect(refusal(() => Reflect.apply(memoryIdempotencyStore, undefined, [options])).code).toBe("InvalidArgument");
  });

  it("wants a store, a handler and a key of the right kind", () => {
    const store = memoryIdempotencyStore();
    const wrong = [
      ["store", [{}, () => undefined]],
      ["handler", [store, undefined]],
      ["key", [store, () => undefined, { key: "id" }]],
    ] as const;

    for (const [option, given] of wrong) {
      expect(refusal(() => Reflect.apply(idempotent, undefined, given)).path).toBe(`$.${option}`);
    }
  });
});

/** A key of a message that has none. */
const keyless = (): string => Reflect.get({}, "id");
