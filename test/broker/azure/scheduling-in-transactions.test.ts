import { describe, expect, it } from "vitest";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { serveAzure, type Served } from "./served.support.ts";

const minute = 60_000;
const payload = new Uint8Array(1);

async function inMemory(): Promise<Omit<Served, "server">> {
  const clock = new ManualClock();
  const engine = memoryEngine({ clock });
  return {
    engine,
    clock,
    advance: (milliseconds) => clock.advance(milliseconds),
    close: () => engine.close(),
  };
}

const ids = (found: readonly { readonly envelope: Envelope }[]): unknown[] =>
  found.map(({ envelope }) => envelope.brokerProperties.messageId);
const ready = (messageId: string): Envelope =>
  createEnvelope({ payload, brokerProperties: { messageId, partitionKey: "k" } });

describe.each([
  ["in memory", inMemory],
  ["over AMQP", serveAzure],
])("what is scheduled in a transaction, %s,", (_where, open) => {
  it.each([false, true])("has its number at once and is there from the commit on (partitioned: %s)", async (parts) => {
    const { engine, clock, advance, close } = await open();
    await engine.admin.createQueue("q", { enablePartitioning: parts });
    const sender = await engine.openSender("q");
    const at = new Date(clock.now() + 10 * minute);
    const later = (messageId: string): Envelope =>
      createEnvelope({ payload, brokerProperties: { messageId, scheduledEnqueueTimeUtc: at, partitionKey: "k" } });
    const [done, undone] = [await engine.begin(), await engine.begin()];

    const numbers = await engine.schedule("q", [later("a"), later("b")], { transaction: done });
    await engine.schedule("q", [later("never")], { transaction: undone });
    // More than one segment of the log lies between the numbers and the commit.
    await sender.send(Array.from({ length: 150 }, (_, index) => ready(`${index}`)));
    const before = await engine.peek("q", { maxMessages: 3 });
    await done.commit();
    await undone.rollback();

    expect(ids(before)).toEqual(["0", "1", "2"]);
    const after = await engine.peek("q", { maxMessages: 1000 });
    expect(ids(after).slice(0, 3)).toEqual(["a", "b", "0"]);
    expect(after).toHaveLength(152);
    expect(after.slice(0, 2).map(({ sequenceNumber }) => sequenceNumber)).toEqual(numbers);
    await engine.cancel("q", numbers.slice(0, 1));
    await advance(11 * minute);
    expect(ids(await engine.peek("q", { maxMessages: 1000 })).at(-1)).toBe("b");
    await close();
  });

  it("is refused with a transaction that is over", async () => {
    const { engine, clock, close } = await open();
    await engine.admin.createQueue("q");
    const transaction = await engine.begin();
    await transaction.rollback();
    const late = createEnvelope({
      payload,
      brokerProperties: { scheduledEnqueueTimeUtc: new Date(clock.now() + minute) },
    });

    await expect(engine.schedule("q", [late], { transaction })).rejects.toMatchObject({ code: "InvalidOperation" });
    await close();
  });
});
