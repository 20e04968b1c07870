import { describe, expect, it, vi } from "vitest";
import { setup } from "./setup.support.ts";

describe("an engine that answers at once that no session is free", () => {
  it("is asked less often", async () => {
    const { client, clock, engine, faults } = setup({ queues: { talks: { requiresSession: true } } });
    const accept = vi.spyOn(engine, "acceptSession");
    faults.refuse("acceptSession", "ServiceTimeout", { times: Infinity });
    const processor = client.startSessionProcessor(
      "talks",
      { processMessage: vi.fn(), processError: vi.fn() },
      { maxConcurrentSessions: 1 },
    );

    await clock.advance(10_000);
    await processor.close();

    expect(accept.mock.calls.length).toBeLessThan(20);
  });
});
