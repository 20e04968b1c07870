import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { after, attach, begin, frame, header, open, performative } from "./hostile-peer.support.ts";

const asking = (id: string | null): Buffer =>
  attach(0, {
    isReceiver: true,
    address: "missing",
    filter: new AmqpMap([[typed.symbol("com.microsoft:session-filter"), id]]),
  });
const detach = performative(0x16, typed.uint(0), true);
/** Frames without meaning, so that the engine is asked in between. */
const idle = Array.from({ length: 5 }, () => frame(Buffer.alloc(0)));
/** How frames begin: an attach, and a detach. */
const [attached, detached] = ["\u0000\u0053\u0012", "\u0000\u0053\u0016"];

describe("a link that asks for a session by its id, and is refused", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is attached without a source only, and gets the reason once its client has detached", async () => {
    const before = await after([header(0), open, begin(), asking("a"), ...idle]);
    const { told } = await after([header(0), open, begin(), asking("a"), ...idle, detach]);

    expect(before.told).toContain(attached);
    expect(before.told).not.toContain(detached);
    expect(told.split(detached)).toHaveLength(2);
    expect(told.slice(told.indexOf(detached))).toContain("amqp:not-found");
  });

  it("gets the reason after 50 milliseconds when its client waits", async () => {
    const { connection } = await after([header(0), open, begin(), asking("a"), ...idle]);

    vi.advanceTimersByTime(49);
    const early = connection.wire.take().byteLength;
    vi.advanceTimersByTime(1);
    const late = Buffer.from(connection.wire.take()).toString("latin1");
    connection.wire.receive(detach);

    expect(early).toBe(0);
    expect(late).toContain("amqp:not-found");
    expect(connection.wire.take().byteLength).toBe(0);
  });

  it("is refused in one write when it asks for any session", async () => {
    const { told } = await after([header(0), open, begin(), asking(null), ...idle]);

    expect(told).toContain("amqp:not-found");
  });
});
