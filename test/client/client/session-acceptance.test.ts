import { describe, expect, it, vi } from "vitest";
import { setup } from "./setup.support.ts";

describe("an engine that answers at once that no session is free", () => {
  it("is asked again about once a second", async () => {
    const { client, clock, engine, faults } = setup({ queues: { talks: { requiresSession: true } } });
    const asked: number[] = [];
    const accept = engine.acceptSession.bind(engine);
    vi.spyOn(engine, "acceptSession").mockImplementation((...request) => {
      asked.push(clock.now());
      return accept(...request);
    });
    faults.refuse("acceptSession", "ServiceTimeout", { times: Infinity });
    const processor = client.startSessionProcessor(
      "talks",
      { processMessage: vi.fn(), processError: vi.fn() },
      { maxConcurrentSessions: 1 },
    );

    await clock.advance(10_000);
    await processor.close();

    const pauses = asked.slice(1).map((time, index) => time - (asked[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(6);
    expect(Math.min(...pauses)).toBeGreaterThan(500);
    expect(Math.max(...pauses)).toBeLessThan(2000);
  });
});
