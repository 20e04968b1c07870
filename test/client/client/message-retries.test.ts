import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/engine/index.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import {
  clientAgain,
  eventually,
  failing,
  inMemory,
  left,
  minute,
  peeked,
  places,
  queues,
  second,
} from "./message-retries.support.ts";

describe.each(places)("retries of a processor, %s,", (_where, open) => {
  describe.each(["plain", "dedup"])("on a queue that is %s,", (queue) => {
    it("come at once first, then after each wait, with the counts and the id on the message", async () => {
      const place = await open(queues);
      const retries = { immediate: 1, delayed: ["10s", minute], jitter: 0 } as const;
      const { seen, errors, until } = await failing(place, queue, { retries }, 5);

      await until(2);
      await until(4, second);
      await until(6, second);

      expect(seen.map(({ immediate = 0, delayed = 0 }) => `${Number(delayed)}.${Number(immediate)}`)).toEqual([
        "0.0",
        "0.1",
        "1.0",
        "1.1",
        "2.0",
        "2.1",
      ]);
      expect(new Set(seen.map(({ messageId }) => messageId))).toEqual(new Set(["order-7"]));
      // Commits and sockets take real time: a wait may be longer by any time of the broker, never shorter.
      const waits = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? NaN));
      expect(waits[1]).toBeGreaterThanOrEqual(10 * second);
      expect(waits[3]).toBeGreaterThanOrEqual(minute);
      expect(errors.map(({ errorSource }) => errorSource)).toEqual(Array.from({ length: 5 }, () => "handler"));
      expect(await left(place, queue, 0)).toEqual([]);
      expect(await peeked(place.client, `${queue}/$DeadLetterQueue`)).toEqual([]);
    });

    it("end in the dead-letter queue, with the cause and the counts", async () => {
      const place = await open(queues);
      const { until } = await failing(place, queue, { retries: { immediate: 1, delayed: ["1s"] } }, Infinity);

      await until(4, second / 4);

      expect(await left(place, `${queue}/$DeadLetterQueue`, 1)).toMatchObject([
        {
          messageId: "order-7",
          body: { id: 7 },
          deadLetterReason: "RetriesExhausted",
          applicationProperties: {
            "sobre-failure": "Error: database away",
            "sobre-immediate-retries": 1,
            "sobre-delayed-retries": 1,
          },
        },
      ]);
      expect(await left(place, queue, 0)).toEqual([]);
    });

    it("survive the processor: another one goes on with the counts", async () => {
      const place = await open(queues);
      const retries = { immediate: 0, delayed: ["10s", "10s"] };
      const first = await failing(place, queue, { retries }, Infinity);
      await first.until(1);
      // The message with its timer, or its copy alone.
      const waiting = queue === "plain" ? 1 : 2;
      expect(await left(place, queue, waiting)).toHaveLength(waiting);
      await place.client.close();

      const next = await failing({ ...place, client: clientAgain(place) }, queue, { retries }, Infinity, {
        sends: false,
      });
      await next.until(2, second);

      expect(next.seen.map(({ delayed = 0 }) => Number(delayed))).toEqual([1, 2]);
    });
  });
});

describe("retries of a processor", () => {
  it("are not made for an error that says so, nor where the option says so", async () => {
    const place = await inMemory(queues);
    const permanent = Object.assign(new Error("no such customer"), { retryable: false });
    const own = await failing(place, "plain", { retries: { immediate: 5 } }, Infinity, { fail: () => permanent });
    const asked: unknown[] = [];
    const retryable = (error: unknown, message: Delivery): boolean => {
      asked.push([error instanceof Error && error.message, message.envelope.brokerProperties.messageId]);
      return false;
    };
    const other = await failing(place, "dedup", { retries: { delayed: ["1s"], retryable } }, Infinity);
    await own.until(1);
    await other.until(1);
    for (const queue of ["plain", "dedup"]) await left(place, `${queue}/$DeadLetterQueue`, 1);

    expect(asked).toEqual([["database away", "order-7"]]);
    for (const queue of ["plain", "dedup"])
      expect(await peeked(place.client, `${queue}/$DeadLetterQueue`)).toMatchObject([
        { deadLetterReason: "NotRetryable" },
      ]);
    expect([own.seen.length, other.seen.length]).toEqual([1, 1]);
  });

  it("may differ for a message type", async () => {
    const place = await inMemory(queues);
    const Paid = defineMessage("acme.paid", { 1: jsonSchema({ type: "object" }) });
    const Sent = defineMessage("acme.sent", { 1: jsonSchema({ type: "object" }) });
    const calls: string[] = [];
    place.client.startProcessor(
      "plain",
      {
        processMessage: ({ messageType }) => {
          calls.push(messageType);
          throw new Error("no");
        },
        processError: () => undefined,
      },
      { messageTypes: [Paid, Sent], retries: { immediate: 2, types: { "acme.sent": { immediate: 0 } } } },
    );
    await place.client.createSender("plain").sendMessages([Paid.message({}), Sent.message({})]);
    await place.advance(0);

    expect(calls.toSorted()).toEqual(["acme.paid", "acme.paid", "acme.paid", "acme.sent"]);
    expect(await peeked(place.client, "plain/$DeadLetterQueue")).toHaveLength(2);
  });

  it("are prolonged by at most the jitter", async () => {
    const place = await inMemory(queues);
    const { seen, until } = await failing(
      place,
      "plain",
      { retries: { delayed: Array.from({ length: 40 }, () => 1_000), jitter: 0.5 } },
      40,
    );
    await until(41, 1);
    await until(41, 60_000);
    const waits = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0));

    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_501);
    expect(new Set(waits).size).toBeGreaterThan(10);
  });

  it("hold no lock and no delivery of the message while it waits", async () => {
    const place = await inMemory({ plain: { lockDuration: 5 * second } });
    const { seen, until } = await failing(place, "plain", { retries: { delayed: ["10m"] } }, 1);
    await until(1);
    const look = (): ReturnType<typeof peeked> => peeked(place.client, "plain");
    const [waiting] = await eventually(place, look, ([message]) => message?.state === "scheduled");
    await until(2, 30 * second);

    expect(waiting).toMatchObject({ state: "scheduled", deliveryCount: 0, messageId: "order-7" });
    expect(seen.map(({ at }) => Math.round(at / minute))).toEqual([0, 10]);
  });

  it("leave the time to live as it was, and end where it would be over", async () => {
    const place = await inMemory({ plain: { deadLetteringOnMessageExpiration: true } });
    const { client, advance } = place;
    client.startProcessor(
      "plain",
      { processMessage: () => Promise.reject(new Error("no")), processError: () => undefined },
      { retries: { delayed: ["10s"], jitter: 0 } },
    );
    await client.createSender("plain").sendMessages([
      { body: 1, timeToLive: 25_000 },
      { body: 2, timeToLive: 5_000 },
    ]);
    await advance(0);
    await advance(1);
    const kept = (await peeked(client, "plain")).find(({ body }) => body === 1);
    await advance(30_000);

    expect(kept?.timeToLive).toBe(15_000);
    const letters = await peeked(client, "plain/$DeadLetterQueue");
    expect(letters.map(({ body, deadLetterErrorDescription }) => [body, deadLetterErrorDescription])).toEqual([
      [2, "The handler failed, and the message would expire before its next delayed retry."],
      [1, "The handler failed in every retry: 0 immediate ones a round, 1 delayed ones."],
    ]);
  });

  it("keep a message whose handler has settled it", async () => {
    const place = await inMemory(queues);
    place.client.startProcessor(
      "plain",
      {
        async processMessage(message, context) {
          await context.completeMessage(message);
          throw new Error("too late");
        },
        processError: () => undefined,
      },
      { retries: { immediate: 3 } },
    );
    await place.client.createSender("plain").sendMessages({ body: 1 });
    await place.advance(0);

    expect(await peeked(place.client, "plain")).toEqual([]);
    expect(await peeked(place.client, "plain/$DeadLetterQueue")).toEqual([]);
  });

  it("stay deferred when the handler defers the message itself", async () => {
    const place = await inMemory(queues);
    let calls = 0;
    place.client.startProcessor(
      "dedup",
      {
        async processMessage(message, context) {
          if (calls++ === 0) throw new Error("first");
          await context.deferMessage(message);
        },
        processError: () => undefined,
      },
      { retries: { delayed: ["1s"] } },
    );
    await place.client.createSender("dedup").sendMessages({ body: 1 });
    await place.advance(0);
    await place.advance(10 * minute);

    expect(calls).toBe(2);
    expect(await peeked(place.client, "dedup")).toMatchObject([{ state: "deferred", body: 1 }]);
  });

  it.each(["peekLock", "receiveAndDelete"] as const)(
    "go on in a processor without the option, in %s: no message is left behind a timer",
    async (receiveMode) => {
      const place = await inMemory(queues);
      const first = await failing(place, "dedup", { retries: { delayed: ["1m"] } }, Infinity);
      await first.until(1);
      await left(place, "dedup", 2);
      await place.client.close();
      const next = clientAgain(place);
      const bodies: unknown[] = [];
      const note = ({ body }: { readonly body: unknown }): void => void bodies.push(body);
      next.startProcessor(
        "dedup",
        { processMessage: note, processUnreadable: note, processError: () => undefined },
        { receiveMode },
      );
      await place.advance(2 * minute);

      expect(bodies).toEqual([{ id: 7 }]);
      expect(await peeked(next, "dedup")).toEqual([]);
    },
  );

  it("begin again for a message that is re-driven", async () => {
    const place = await inMemory(queues);
    const { seen, until } = await failing(place, "plain", { retries: { immediate: 1, delayed: ["1s"] } }, 4);
    await until(4, second);
    await left(place, "plain/$DeadLetterQueue", 1);
    await place.client.redrive("plain/$DeadLetterQueue");
    await until(5);

    expect(seen[4]).toMatchObject({ immediate: undefined, delayed: undefined });
  });
});
