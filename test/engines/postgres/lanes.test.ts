import { describe, expect, it } from "vitest";
import { LaneState } from "../../../src/engines/postgres/lanes.ts";
import { startWait } from "../../../src/engines/postgres/waits.ts";
import { ManualClock } from "../../../src/time/index.ts";

/** Resolves when every promise that could be settled is. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls that wait for the texts of a queue, each of whose attempts takes one when it is let go on. */
function queue() {
  const clock = new ManualClock();
  const lane = new LaneState(clock, undefined);
  const texts: string[] = [];
  const running: (() => void)[] = [];
  const receive = (): Promise<string | undefined> =>
    startWait(lane, {
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
  return { lane, texts, receive, goOn, attempts: () => running.length };
}

describe("receives that wait for a queue", () => {
  it("are served in the order in which they began when the messages arrive during their first attempts", async () => {
    const { lane, texts, receive, goOn } = queue();
    const waiting = [receive(), receive(), receive()];

    texts.push("a", "b", "c");
    lane.wake();
    await goOn();

    expect(await Promise.all(waiting)).toEqual(["a", "b", "c"]);
  });

  it("try together once the queue had something", async () => {
    const { texts, receive, goOn, attempts } = queue();
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
