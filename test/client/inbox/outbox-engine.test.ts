import { describe, expect, it } from "vitest";
import { engineSuite, runEngineCase } from "../../../src/broker/conformance/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { memoryOutbox, startOutbox } from "../../../src/client/inbox/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

/** Its links are opened by the first send that needs one, so that sends are kept while the broker is away. */
const refusedLater: readonly string[] = [
  "message-size",
  "send-bound",
  "refusals-are-tracked",
  "dead-letter-queue-takes-no-sends",
  "missing-entity",
  "recreated-queue-is-new",
  "arguments-entity",
  "arguments-options",
  "connection-abort-ends",
  "connection-closed",
];

const deviations = Object.fromEntries(
  refusedLater.map((name) => [name, "A wrong sender is refused by its first send."]),
);

describe("the engine of an outbox", () => {
  it.each(engineSuite)("keeps the promise of the engine below: $name", async (engineCase) => {
    const result = await runEngineCase(engineCase, {
      deviations,
      async open() {
        const clock = new ManualClock();
        const { engine } = startOutbox(memoryEngine({ clock }), memoryOutbox({ clock }), { relays: false });
        return { engine, advance: (milliseconds) => clock.advance(milliseconds) };
      },
    });

    expect(result.outcome).toBe(refusedLater.includes(engineCase.name) ? "deviation" : "passed");
  });
});
