import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Arrivals } from "../../../src/broker/postgres/arrivals.ts";
import type { ListenerEvents, DatabaseSession } from "../../../src/broker/postgres/database.ts";
import { Wakes } from "../../../src/broker/postgres/wakes.ts";

/** The queue whose messages receivers of this process wait for. */
const awaited = 4;

const arrivals = (queue: number, ...positions: readonly (bigint | undefined)[]): Arrivals => {
  const made = new Arrivals();
  for (const position of positions) made.add(queue, position);
  return made;
};

/** Wake-ups, what they announce, up to where the receivers of this process have come, and what others say. */
async function announcing(listens = false) {
  const announced: string[] = [];
  const woken: Arrivals[] = [];
  const passed = { to: 0n };
  const calls = { waiting: true };
  const listeners: ListenerEvents[] = [];
  const session: DatabaseSession = {
    async query(_statement, values = []) {
      announced.push(String(values[1]).split(" ").slice(2).join(" "));
      return [];
    },
  };
  const wakes = new Wakes({
    session,
    schema: "s",
    listen: listens
      ? async (_channel, events) => {
          listeners.push(events);
          return { close: async () => {} };
        }
      : undefined,
    onWake: (heard) => void (heard !== undefined && woken.push(heard)),
    isAwaited: () => calls.waiting,
    isTaking: (queue) => queue === awaited,
    isPassed: (_queue, position) => position < passed.to,
  });
  await wakes.start();
  return { wakes, announced, woken, passed, calls, hear: (text: string) => listeners[0]?.onPayload(`other s ${text}`) };
}

/** The wake-ups of a process that has listened long enough to know everyone who waits. */
async function listening() {
  const made = await announcing(true);
  vi.advanceTimersByTime(10_000);
  return made;
}

describe("the wake-ups of other processes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("come at once for what no receiver of this process waits for, and the next ones 5 milliseconds later together", async () => {
    const { wakes, announced } = await announcing();

    wakes.notify(arrivals(8, 3n, 2n));
    const atOnce = [...announced];
    wakes.notify(arrivals(8, 5n));
    wakes.notify(arrivals(12, undefined));
    vi.advanceTimersByTime(5);

    expect(atOnce).toEqual(["8:2"]);
    expect(announced).toEqual(["8:2", "8:5 12"]);
  });

  it("do not come for messages that receivers of this process take", async () => {
    const { wakes, announced, passed } = await announcing();

    wakes.notify(arrivals(awaited, 1n, 2n));
    passed.to = 3n;
    vi.advanceTimersByTime(5);

    expect(announced).toEqual([]);
  });

  it("come 5 milliseconds later when receivers of this process leave some of the messages", async () => {
    const { wakes, announced, passed } = await announcing();

    wakes.notify(arrivals(awaited, 1n, 2n));
    passed.to = 2n;
    const atOnce = [...announced];
    vi.advanceTimersByTime(5);

    expect(atOnce).toEqual([]);
    expect(announced).toEqual([`${awaited}:1`]);
  });

  it("come at once for messages that have come back, wherever receivers wait", async () => {
    const { wakes, announced } = await announcing();

    wakes.notify(arrivals(awaited, 7n, undefined));

    expect(announced).toEqual([`${awaited}:7`]);
  });

  it("come to no process before one has said that it waits, and then with what has come just before", async () => {
    const { wakes, announced, hear } = await listening();

    wakes.notify(arrivals(8, 3n));
    wakes.notify(arrivals(12, 1n));
    const before = [...announced];
    hear("?8");
    const asked = [...announced];
    wakes.notify(arrivals(8, 4n));
    vi.advanceTimersByTime(5);

    expect(before).toEqual([]);
    expect(asked).toEqual(["8:3"]);
    expect(announced).toEqual(["8:3", "8:4"]);
  });

  it("do not come for what came long before, nor to a process that has not said for long that it waits", async () => {
    const { wakes, announced, hear } = await listening();

    wakes.notify(arrivals(8, 3n));
    vi.advanceTimersByTime(1001);
    hear("?8");
    vi.advanceTimersByTime(20_000);
    wakes.notify(arrivals(8, 4n));

    expect(announced).toEqual([]);
  });

  it("come to every process while some may wait that have not been heard yet", async () => {
    const { wakes, announced } = await announcing(true);

    vi.advanceTimersByTime(8500);
    wakes.notify(arrivals(8, 3n));

    expect(announced).toEqual(["8:3"]);
  });

  it("are asked for when a call waits, and every 8 seconds while one does", async () => {
    const { wakes, announced, calls } = await listening();

    wakes.wait(8);
    wakes.wait(8);
    const atOnce = [...announced];
    vi.advanceTimersByTime(8000);
    const later = [...announced];
    calls.waiting = false;
    vi.advanceTimersByTime(80_000);

    expect(atOnce).toEqual(["?8"]);
    expect(later).toEqual(["?8", "?8"]);
    expect(announced).toEqual(later);
  });

  it("are not taken for arrivals when others ask for them", async () => {
    const { woken, hear } = await listening();

    hear("?8");
    hear("12:3");

    expect(woken.map((heard) => [...heard])).toEqual([[[12, { lowest: 3n, highest: 3n }]]]);
  });

  it("come for messages that have come back although others of the queue were taken", async () => {
    const { wakes, announced, passed } = await announcing();
    passed.to = 8n;

    wakes.notify(arrivals(awaited, 7n, undefined));

    expect(announced).toEqual([`${awaited}:7`]);
  });
});
