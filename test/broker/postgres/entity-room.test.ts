import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queueSettings } from "../../../src/core/engine/entity-settings.ts";
import type { DatabaseSession, StatementValues } from "../../../src/broker/postgres/database.ts";
import type { EntityRow } from "../../../src/broker/postgres/entities.ts";
import type { QueueEntity } from "../../../src/broker/policy/entities.ts";
import { EntityRoom } from "../../../src/broker/postgres/entity-room.ts";
import type { ResultRow } from "../../../src/broker/postgres/rows.ts";
import { codeOf } from "../../external/code-of.support.ts";

const megabyte = 2 ** 20;

const queue: QueueEntity<EntityRow> = {
  type: "queue",
  id: 1,
  address: "orders",
  createdAt: 0,
  modifiedAt: 0,
  settings: queueSettings({ maxSizeInMegabytes: 1024 }),
};

/** A connection whose counts end when they are answered. */
class Counted implements DatabaseSession {
  readonly asked: { readonly values: StatementValues; readonly answer: (bytes: number, low?: bigint) => void }[] = [];

  query(_statement: string, values: StatementValues = []): Promise<readonly ResultRow[]> {
    return new Promise((resolve) => {
      const answer = (bytes: number, low = 0n): void =>
        resolve([4n, 5n, 6n].map((number) => ({ queue: number, bytes: number === 4n ? BigInt(bytes) : 0n, low })));
      this.asked.push({ values, answer });
    });
  }

  /** Ends the count that was asked for first. */
  async answer(bytes: number, low?: bigint): Promise<void> {
    this.asked.shift()?.answer(bytes, low);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A room that has counted the bytes of the queue once. */
async function counted() {
  const session = new Counted();
  const room = new EntityRoom(session, '"s"');
  const first = room.check(queue, 1);
  await session.answer(0);
  await first;
  return { session, room };
}

describe("the count of an entity's bytes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("is shared by sends that wait for the first one", async () => {
    const session = new Counted();
    const room = new EntityRoom(session, '"s"');

    const sends = [room.check(queue, 1), room.check(queue, 1)];
    const counts = session.asked.length;
    await session.answer(0);

    await Promise.all(sends);
    expect(counts).toBe(1);
  });

  it("is renewed in the background after 5 seconds: sends go on", async () => {
    const { session, room } = await counted();

    vi.advanceTimersByTime(5001);
    await room.check(queue, 1);

    expect(session.asked).toHaveLength(1);
  });

  it("is renewed in the background outside the transaction of a send, which goes on with its own statements", async () => {
    const { session, room } = await counted();
    const transaction = new Counted();

    vi.advanceTimersByTime(5001);
    for (let send = 0; send < 2; send++) await room.within(transaction).check(queue, 1);

    expect([session.asked.length, transaction.asked.length]).toEqual([1, 0]);
  });

  it("takes a hundredth of the time while little is sent, and a twentieth while the room fills", async () => {
    const session = new Counted();
    const room = new EntityRoom(session, '"s"');
    const first = room.check(queue, 1);
    vi.advanceTimersByTime(1000);
    await session.answer(0);
    await first;

    vi.advanceTimersByTime(99_000);
    await room.check(queue, 1);
    const whileQuiet = session.asked.length;
    room.added(queue, 200 * megabyte);
    await room.check(queue, 1);

    expect([whileQuiet, session.asked.length]).toEqual([0, 1]);
  });

  it("begins at the lowest row that the one before has found, and from time to time at the first", async () => {
    const session = new Counted();
    const room = new EntityRoom(session, '"s"');
    const first = room.check(queue, 1);
    vi.advanceTimersByTime(1000);
    await session.answer(0, 700n);
    await first;

    vi.advanceTimersByTime(100_001);
    await room.check(queue, 1);
    const [second] = session.asked;
    await session.answer(0, 700n);
    vi.advanceTimersByTime(200_000);
    await room.check(queue, 1);

    expect(second?.values[1]).toEqual([700n, 700n, 700n]);
    expect(session.asked[0]?.values[1]).toEqual([0n, 0n, 0n]);
  });

  it("refuses a message only when it began after the call", async () => {
    const session = new Counted();
    const room = new EntityRoom(session, '"s"');
    const refused = codeOf(room.check(queue, 1));

    const second = room.check(queue, 1);
    await session.answer(1024 * megabyte);
    await vi.waitFor(() => expect(session.asked).toHaveLength(1));
    await session.answer(0);

    expect(await refused).toBe("QuotaExceeded");
    await second;
  });

  it("keeps what was sent while several counts in transactions overlap", async () => {
    const { session, room } = await counted();
    const [one, other] = [new Counted(), new Counted()];
    room.added(queue, 1024 * megabyte);
    const earlier = room.within(one).check(queue, 1);
    const later = room
      .within(other)
      .check(queue, 1)
      .catch(() => {});
    await one.answer(0);
    await earlier;
    room.added(queue, 1024 * megabyte);

    await other.answer(0);
    await later;
    const sending = codeOf(room.check(queue, 1));
    await vi.waitFor(() => expect(session.asked).toHaveLength(1));
    await session.answer(1024 * megabyte);

    expect(await sending).toBe("QuotaExceeded");
  });
});
