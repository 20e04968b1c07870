import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../../src/core/time/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { request } from "./broker-requests.support.ts";

describe("the link of a session", () => {
  it("ends with the session's lock, although its client is not receiving", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues: { q: { requiresSession: true, lockDuration: "30s" } } });
    const pair = new BrokerPair(engine, {}, { clock });
    await pair.acceptSession(await pair.session(), "q", "a");

    await clock.advance(29_000);
    pair.server.tick();
    await pair.run();
    const before = [...pair.detached];
    await request(pair, "q", "renew-session-lock", { "session-id": "a" });
    await clock.advance(29_000);
    pair.server.tick();
    await pair.run();
    const renewed = [...pair.detached];
    await clock.advance(2000);
    pair.server.tick();
    await pair.run();

    expect([before, renewed]).toEqual([[], []]);
    expect(pair.detached).toMatchObject([{ condition: "com.microsoft:session-lock-lost" }]);
    expect(pair.server.sessions.size).toBe(0);
  });
});
