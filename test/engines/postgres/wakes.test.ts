import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Arrivals } from "../../../src/engines/postgres/arrivals.ts";
import type { Session } from "../../../src/engines/postgres/database.ts";
import { Wakes } from "../../../src/engines/postgres/wakes.ts";

/** The queue whose messages receivers of this process wait for. */
const awaited = 4;

const arrivals = (queue: number, ...positions: readonly (bigint | undefined)[]): Arrivals => {
  const made = new Arrivals();
  for (const position of positions) made.add(queue, position);
  return made;
};

/** Wake-ups, what they announce, and up to where the receivers of this process have come. */
function announcing() {
  const announced: string[] = [];
  const passed = { to: 0n };
  const session: Session = {
    async query(_statement, values = []) {
      announced.push(String(values[1]).split(" ").slice(2).join(" "));
      return [];
    },
  };
  const wakes = new Wakes({
    session,
    schema: "s",
    connectionString: undefined,
    onWake: () => {},
    isAwaited: (queue) => queue === awaited,
    isPassed: (_queue, position) => position < passed.to,
  });
  return { wakes, announced, passed };
}

describe("the wake-ups of other processes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("come at once for what no receiver of this process waits for, and the next ones 5 milliseconds later together", () => {
    const { wakes, announced } = announcing();

    wakes.notify(arrivals(8, 3n, 2n));
    const atOnce = [...announced];
    wakes.notify(arrivals(8, 5n));
    wakes.notify(arrivals(12, undefined));
    vi.advanceTimersByTime(5);

    expect(atOnce).toEqual(["8:2"]);
    expect(announced).toEqual(["8:2", "8:5 12"]);
  });

  it("do not come for messages that receivers of this process take", () => {
    const { wakes, announced, passed } = announcing();

    wakes.notify(arrivals(awaited, 1n, 2n));
    passed.to = 3n;
    vi.advanceTimersByTime(5);

    expect(announced).toEqual([]);
  });

  it("come 5 milliseconds later when receivers of this process leave some of the messages", () => {
    const { wakes, announced, passed } = announcing();

    wakes.notify(arrivals(awaited, 1n, 2n));
    passed.to = 2n;
    const atOnce = [...announced];
    vi.advanceTimersByTime(5);

    expect(atOnce).toEqual([]);
    expect(announced).toEqual([`${awaited}:1`]);
  });

  it("come at once for messages that have come back, wherever receivers wait", () => {
    const { wakes, announced } = announcing();

    wakes.notify(arrivals(awaited, 7n, undefined));

    expect(announced).toEqual([`${awaited}:7`]);
  });
});
