import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { QueueState } from "../../../src/broker/postgres/queue-state.ts";
import { startWait } from "../../../src/broker/postgres/waits.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

/** Resolves when every promise that could be settled is. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls that wait for the texts of a queue, each of whose attempts takes one when it is let go on. */
function waitedFor() {
  const clock = new ManualClock();
  const queue = new QueueState(clock, undefined);
  const texts: string[] = [];
  const running: (() => void)[] = [];
  const receive = (): Promise<string | undefined> =>
    startWait(queue, {
      key: "queue",
      clock,
      deadline: Infinity,
      attempt: async () => {
        await new Promise<void>((resolve) => running.push(resolve));
        return texts.shift();
      },
      giveUp: async () => {},
    }).outcome;
  /** Ends the attempts under way, the last to begin first, and those that follow. */
  const goOn = async (): Promise<void> => {
    for (await settled(); running.length > 0; await settled()) running.pop()?.();
  };
  return { queue, texts, receive, goOn, attempts: () => running.length };
}

describe("receives that wait for a queue", () => {
  it("are served in the order in which they began when the messages arrive during their first attempts", async () => {
    const { queue, texts, receive, goOn } = waitedFor();
    const waiting = [receive(), receive(), receive()];

    texts.push("a", "b", "c");
    queue.wake();
    await goOn();

    expect(await Promise.all(waiting)).toEqual(["a", "b", "c"]);
  });

  it("try together once the queue had something", async () => {
    const { texts, receive, goOn, attempts } = waitedFor();
    texts.push("a", "b", "c");
    const first = receive();
    await goOn();
    await first;

    const waiting = [receive(), receive()];
    await settled();
    const together = attempts();
    await goOn();

    expect(together).toBe(2);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["b", "c"]));
  });
});

/** A claim that gets past every position below; returns where it began. */
function claimTo(queue: QueueState, to: bigint): bigint {
  queue.lookBack();
  const from = queue.at;
  queue.advance(queue.read(), to);
  return from;
}

/** A queue whose claims get past positions, 100 milliseconds one after the other. */
function claimedTo(...positions: readonly bigint[]): QueueState {
  const queue = new QueueState(new ManualClock(), undefined);
  for (const [index, to] of positions.entries()) {
    if (index > 0) vi.advanceTimersByTime(100);
    claimTo(queue, to);
  }
  return queue;
}

describe("the cursor of a queue", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("goes back after 100 milliseconds to where it was at the look before the last one", () => {
    const queue = claimedTo(10n, 20n, 40n);

    vi.advanceTimersByTime(100);
    const looked = claimTo(queue, 50n);
    const next = claimTo(queue, 60n);

    expect([looked, next]).toEqual([10n, 50n]);
  });

  it("finds what is committed within 100 milliseconds of a claim that passed it, whenever that was between two looks", () => {
    const queue = claimedTo(10n, 20n, 30n);
    vi.advanceTimersByTime(99);
    claimTo(queue, 40n);
    vi.advanceTimersByTime(1);
    claimTo(queue, 40n);

    vi.advanceTimersByTime(100);
    const looked = claimTo(queue, 50n);

    expect(looked).toBeLessThanOrEqual(30n);
  });

  it("takes the lowest position of returned messages along", () => {
    const queue = claimedTo(10n, 20n, 30n);
    queue.low = 30n;

    vi.advanceTimersByTime(100);
    queue.lookBack();

    expect(queue.low).toBe(10n);
  });

  it("stays back when a claim that began before ends after the look", () => {
    const queue = claimedTo(10n, 20n, 30n);
    const earlier = queue.read();

    vi.advanceTimersByTime(100);
    queue.lookBack();
    queue.advance(earlier, 40n);

    expect(queue.at).toBe(10n);
  });
});
