import { array, assert, constantFrom, integer, nat, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { type TimedEvent, Timeline } from "../../../src/broker/memory/timeline.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const pending = (log: string[], name: string): TimedEvent => ({
  dueIndex: -1,
  due: (now) => void log.push(`${name}@${now}`),
});

describe("Timeline", () => {
  it("lets everything happen at its time, in the order of time", async () => {
    const clock = new ManualClock(0);
    const timeline = new Timeline(clock);
    const log: string[] = [];
    timeline.schedule(pending(log, "late"), 20);
    timeline.schedule(pending(log, "early"), 10);

    await clock.advance(30);

    expect(log).toEqual(["early@10", "late@20"]);
  });

  it("applies everything that is due before it returns the time, however late the timer is", () => {
    let now = 0;
    const timeline = new Timeline({ now: () => now, setTimer: () => ({ cancel() {} }) });
    const log: string[] = [];
    timeline.schedule(pending(log, "a"), 10);
    now = 15;

    const told = timeline.now();

    expect(told).toBe(15);
    expect(log).toEqual(["a@15"]);
  });

  it("lets 5,000 things happen in a turn, and the rest in the next ones", async () => {
    let now = 0;
    const turns: (() => void)[] = [];
    const timeline = new Timeline({
      now: () => now,
      setTimer(_, due) {
        turns.push(due);
        return { cancel: () => void turns.pop() };
      },
    });
    let happened = 0;
    const last: TimedEvent = { dueIndex: -1, due: () => void happened++ };
    for (let item = 0; item < 11_999; item++) timeline.schedule({ dueIndex: -1, due: () => void happened++ }, 10);
    timeline.schedule(last, 10);
    now = 10;

    timeline.now();
    timeline.now();
    expect(happened).toBe(5000);

    timeline.catchUp(last);
    expect(happened).toBe(5001);
    while (turns.length > 0) turns.shift()?.();
    expect(happened).toBe(12_000);
  });

  it("arms one timer, and moves it only for something earlier", () => {
    const armed: number[] = [];
    const timeline = new Timeline({
      now: () => 0,
      setTimer(at) {
        armed.push(at);
        return { cancel() {} };
      },
    });

    for (const at of [50, 60, 70, 40, 80]) timeline.schedule(pending([], "x"), at);

    expect(armed).toEqual([50, 40]);
  });

  it("agrees with a sorted list, whatever is added, moved and removed", () => {
    const command = record({
      item: nat(30),
      at: integer({ min: 1, max: 1000 }),
      kind: constantFrom("schedule", "schedule", "cancel"),
    });
    assert(
      property(array(command, { maxLength: 200 }), (commands) => {
        let now = 0;
        const timeline = new Timeline({ now: () => now, setTimer: () => ({ cancel() {} }) });
        const happened: number[] = [];
        const items = Array.from({ length: 31 }, (_, index): TimedEvent => ({
          dueIndex: -1,
          due: () => void happened.push(index),
        }));
        const model = new Map<number, number>();
        for (const { item, at, kind } of commands) {
          const due = items[item];
          if (due === undefined) continue;
          if (kind === "schedule") {
            timeline.schedule(due, at);
            model.set(item, at);
          } else {
            timeline.cancel(due);
            model.delete(item);
          }
        }
        expect(timeline.size).toBe(model.size);
        for (now = 100; now <= 1000; now += 100) {
          timeline.now();
          const due = [...model].filter(([, at]) => at <= now && at > now - 100);
          const times = happened.splice(0).map((item) => model.get(item));
          expect(times).toEqual(due.map(([, at]) => at).toSorted((left, right) => left - right));
        }
      }),
    );
  });
});
