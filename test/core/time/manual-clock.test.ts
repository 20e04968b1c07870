import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../src/core/time/index.ts";

describe("ManualClock", () => {
  it("starts at the real time and does not move until it is advanced", async () => {
    const before = Date.now();
    const clock = new ManualClock();

    const start = clock.now();
    await clock.advance(60_000);

    expect(start).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBe(start + 60_000);
  });

  it("lets everything due happen in the order of time, each at its own time", async () => {
    const clock = new ManualClock(1000);
    const log: string[] = [];
    clock.setTimer(1030, () => log.push(`second ${clock.now()}`));
    clock.setTimer(1010, () => log.push(`first ${clock.now()}`));
    clock.setTimer(1051, () => log.push("too late"));

    await clock.advance(50);

    expect(log).toEqual(["first 1010", "second 1030"]);
  });

  it("includes what becomes due on the way, after promises that were waiting", async () => {
    const clock = new ManualClock(0);
    const log: number[] = [];
    clock.setTimer(10, () => {
      void Promise.resolve().then(() => clock.setTimer(20, () => log.push(clock.now())));
    });

    await clock.advance(30);

    expect(log).toEqual([20]);
  });

  it("forgets a call that was cancelled", async () => {
    const clock = new ManualClock(0);
    const log: string[] = [];
    const timer = clock.setTimer(10, () => log.push("called"));

    timer.cancel();
    await clock.advance(20);

    expect(log).toEqual([]);
  });

  it.each([-1, Number.NaN, Infinity])("refuses to move by %s", async (milliseconds) => {
    await expect(new ManualClock(0).advance(milliseconds)).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});
