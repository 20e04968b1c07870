import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../src/core/time/index.ts";
import { type Deadline, Deadlines } from "../../../src/core/time/deadlines.ts";

class Named implements Deadline<Named> {
  readonly name: string;
  dueAt: number = Infinity;
  previous: Named | undefined = undefined;
  next: Named | undefined = undefined;

  constructor(name: string) {
    this.name = name;
  }
}

function setup(): {
  readonly clock: ManualClock;
  readonly deadlines: Deadlines<Named>;
  readonly due: string[];
  readonly timers: () => number;
} {
  const clock = new ManualClock(0);
  let timers = 0;
  const counting = {
    now: () => clock.now(),
    setTimer: (at: number, ring: () => void) => (timers++, clock.setTimer(at, ring)),
  };
  const due: string[] = [];
  const deadlines = new Deadlines<Named>(counting, ({ name }, now) => due.push(`${name} at ${now}`));
  return { clock, deadlines, due, timers: () => timers };
}

describe("deadlines", () => {
  it("are due in their time, whatever the order they were added in", async () => {
    const { clock, deadlines, due } = setup();

    deadlines.add(new Named("late"), 30);
    deadlines.add(new Named("early"), 10);
    deadlines.add(new Named("never"), Infinity);
    await clock.advance(100);

    expect(due).toEqual(["early at 10", "late at 30"]);
  });

  it("are not due once they are removed, and removing says whether they were there", async () => {
    const { clock, deadlines, due } = setup();
    const removed = new Named("removed");
    deadlines.add(removed, 10);
    deadlines.add(new Named("left"), 20);

    expect(deadlines.remove(removed)).toBe(true);
    expect(deadlines.remove(removed)).toBe(false);
    await clock.advance(100);

    expect(due).toEqual(["left at 20"]);
  });

  it("share one timer, which is set again only for a time that is nearer", async () => {
    const { deadlines, timers } = setup();

    for (let dueAt = 1_000; dueAt < 2_000; dueAt++) {
      const passing = new Named("passing");
      deadlines.add(passing, dueAt);
      deadlines.remove(passing);
    }

    expect(timers()).toBe(1);
  });

  it("may end one another, and begin again, when they are due", async () => {
    const clock = new ManualClock(0);
    const due: string[] = [];
    const [first, second] = [new Named("first"), new Named("second")];
    const deadlines = new Deadlines<Named>(clock, (one, now) => {
      due.push(`${one.name} at ${now}`);
      if (one !== first) return;
      deadlines.remove(second);
      if (now < 20) deadlines.add(first, now + 10);
    });
    deadlines.add(first, 10);
    deadlines.add(second, 10);

    await clock.advance(100);

    expect(due).toEqual(["first at 10", "first at 20"]);
  });

  it("are all forgotten when they are cleared, and others may follow", async () => {
    const { clock, deadlines, due } = setup();
    deadlines.add(new Named("cleared"), 10);

    deadlines.clear();
    deadlines.add(new Named("following"), 50);
    await clock.advance(100);

    expect(due).toEqual(["following at 50"]);
    expect([...deadlines]).toEqual([]);
  });
});
