import { rm } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/codec/index.ts";
import { createClient } from "../../src/create-client.ts";
import {
  type Client,
  delayedRetriesProperty,
  immediateRetriesProperty,
  type ProcessErrorArgs,
  type ProcessorOptions,
  type ReceivedMessage,
} from "../../src/client/index.ts";
import type { Delivery, Engine, QueueOptions } from "../../src/engine/index.ts";
import { durableEngine } from "../../src/engines/durable/index.ts";
import { memoryEngine } from "../../src/engines/memory/index.ts";
import { jsonSchema } from "../../src/json-schema/index.ts";
import { defineMessage } from "../../src/message/index.ts";
import { ManualClock } from "../../src/time/index.ts";
import { serveAzure } from "../engines/azure/served.support.ts";
import { storeDirectory } from "../engines/durable/store-directory.support.ts";
import { refusal } from "../refusal.support.ts";
import { one } from "./setup.support.ts";

const second = 1_000;
const minute = 60 * second;

/** A client, and the time of its broker. */
interface Place {
  readonly engine: Engine;
  readonly client: Client;
  readonly clock: ManualClock;
  advance(milliseconds: number): Promise<void>;
}

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

type Queues = Readonly<Record<string, QueueOptions>>;

async function inMemory(queues: Queues): Promise<Place> {
  const clock = new ManualClock();
  const engine = memoryEngine({ clock, queues });
  return clientOver({ engine, clock, advance: (milliseconds) => clock.advance(milliseconds) });
}

async function onDisk(queues: Queues): Promise<Place> {
  const clock = new ManualClock();
  const directory = await storeDirectory();
  ends.push(() => rm(directory, { recursive: true }));
  const engine = await durableEngine({ directory, clock, queues });
  const advance = async (milliseconds: number): Promise<void> => {
    // Answers wait for commits, which take real time.
    for (let turn = 0; turn < 20; turn++) {
      await engine.peek(one(Object.keys(queues)), { maxMessages: 1 });
      await clock.advance(turn === 10 ? milliseconds : 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return clientOver({ engine, clock, advance });
}

async function served(queues: Queues): Promise<Place> {
  const { engine, clock, advance, close } = await serveAzure({ queues });
  ends.push(close);
  return clientOver({ engine, clock, advance });
}

function clientOver(place: Omit<Place, "client">): Place {
  ends.push(() => place.engine.close());
  const client = clientAgain(place);
  return { ...place, client };
}

function clientAgain({ engine, clock }: Omit<Place, "client">): Client {
  const client = createClient({ engine, clock, serializer: createSerializer({ codecs: [json()] }) });
  ends.push(() => client.close());
  return client;
}

/** A queue of each kind: the first takes copies, the second would drop them. */
const queues = { plain: {}, dedup: { requiresDuplicateDetection: true } } as const;

/** One call of a handler that fails. */
interface Seen {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly messageId: unknown;
  readonly immediate: unknown;
  readonly delayed: unknown;
}

interface Failing {
  readonly seen: Seen[];
  readonly errors: ProcessErrorArgs[];
  /** Advances the time in steps until the handler has been called so often. */
  until(calls: number, step?: number): Promise<void>;
}

/** A processor whose handler fails the first times, and one message. */
async function failing(
  { client, clock, advance }: Place,
  queue: string,
  options: ProcessorOptions,
  failures: number,
  fail: () => unknown = () => new Error("database away"),
): Promise<Failing> {
  const seen: Seen[] = [];
  const errors: ProcessErrorArgs[] = [];
  const start = clock.now();
  client.startProcessor(
    queue,
    {
      processMessage: ({ messageId, applicationProperties }) => {
        const { [immediateRetriesProperty]: immediate, [delayedRetriesProperty]: delayed } = applicationProperties;
        seen.push({ at: clock.now() - start, messageId, immediate, delayed });
        if (seen.length <= failures) throw fail();
      },
      processError: (args) => void errors.push(args),
    },
    options,
  );
  await client.createSender(queue).sendMessages({ body: { id: 7 }, messageId: "order-7" });
  const until = async (calls: number, step = 0): Promise<void> => {
    for (let turn = 0; seen.length < calls && turn < 300; turn++) await advance(step);
    // The settlement after the last call has happened, too.
    for (let turn = 0; turn < 10; turn++) await advance(0);
  };
  return { seen, errors, until };
}

const peeked = async (client: Client, queue: string): Promise<readonly ReceivedMessage[]> =>
  client.createReceiver(queue).peekMessages(10);

const places = [
  ["in memory", inMemory],
  ["on disk", onDisk],
  ["over AMQP", served],
] as const;

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
      expect(seen.map(({ at }) => Math.floor(at / (5 * second)) * 5)).toEqual([0, 0, 10, 10, 70, 70]);
      expect(errors.map(({ errorSource }) => errorSource)).toEqual(Array.from({ length: 5 }, () => "handler"));
      expect(await peeked(place.client, queue)).toEqual([]);
      expect(await peeked(place.client, `${queue}/$DeadLetterQueue`)).toEqual([]);
    });

    it("end in the dead-letter queue, with the cause and the counts", async () => {
      const place = await open(queues);
      const { until } = await failing(place, queue, { retries: { immediate: 1, delayed: ["1s"] } }, Infinity);

      await until(4, second / 4);

      expect(await peeked(place.client, `${queue}/$DeadLetterQueue`)).toMatchObject([
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
      expect(await peeked(place.client, queue)).toEqual([]);
    });

    it("survive the processor: another one goes on with the counts", async () => {
      const place = await open(queues);
      const retries = { immediate: 0, delayed: ["10s", "10s"] };
      const first = await failing(place, queue, { retries }, Infinity);
      await first.until(1);
      expect(await peeked(place.client, queue)).toHaveLength(queue === "plain" ? 1 : 2);

      await first.until(3, second);

      expect(first.seen.map(({ delayed = 0 }) => Number(delayed))).toEqual([0, 1, 2]);
    });
  });
});

describe("retries of a processor", () => {
  it("are not made for an error that says so, nor where the option says so", async () => {
    const place = await inMemory(queues);
    const permanent = Object.assign(new Error("no such customer"), { retryable: false });
    const own = await failing(place, "plain", { retries: { immediate: 5 } }, Infinity, () => permanent);
    const asked: unknown[] = [];
    const retryable = (error: unknown, message: Delivery): boolean => {
      asked.push([error instanceof Error && error.message, message.envelope.brokerProperties.messageId]);
      return false;
    };
    const other = await failing(place, "dedup", { retries: { delayed: ["1s"], retryable } }, Infinity);
    await own.until(1);
    await other.until(1);

    expect(asked).toEqual([["database away", "order-7"]]);
    for (const queue of ["plain", "dedup"])
      expect(await peeked(place.client, `${queue}/$DeadLetterQueue`)).toMatchObject([
        { deadLetterReason: "NotRetryable" },
      ]);
    expect([own.seen.length, other.seen.length]).toEqual([1, 1]);
  });

  it("may be other ones for a message type", async () => {
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
    const [waiting] = await peeked(place.client, "plain");
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
    const [kept] = (await peeked(client, "plain")).filter(({ body }) => body === 1);
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

  it("go on in a processor without the option: no message is left behind a timer", async () => {
    const place = await inMemory(queues);
    const first = await failing(place, "dedup", { retries: { delayed: ["1m"] } }, Infinity);
    await first.until(1);
    await place.client.close();
    const next = clientAgain(place);
    const bodies: unknown[] = [];
    next.startProcessor("dedup", {
      processMessage: ({ body }) => void bodies.push(body),
      processError: () => undefined,
    });
    await place.advance(2 * minute);

    expect(bodies).toEqual([{ id: 7 }]);
    expect(await peeked(next, "dedup")).toEqual([]);
  });

  it("begin anew for a message that is re-driven", async () => {
    const place = await inMemory(queues);
    const { seen, until } = await failing(place, "plain", { retries: { immediate: 1, delayed: ["1s"] } }, 4);
    await until(4, second);
    await place.client.redrive("plain/$DeadLetterQueue");
    await until(5);

    expect(seen[4]).toMatchObject({ immediate: undefined, delayed: undefined });
  });
});

describe("the option retries", () => {
  it.each([
    [{ immediate: -1 }, "$.retries.immediate"],
    [{ delayed: ["soon"] }, undefined],
    [{ delayed: "10s" }, "$.retries.delayed"],
    [{ jitter: 2 }, "$.retries.jitter"],
    [{ retryable: true }, "$.retries.retryable"],
    [{ types: { "acme.paid": { attempts: 1 } } }, "$.retries.types.acme.paid.attempts"],
    [{ delay: ["1s"] }, "$.retries.delay"],
  ])("refuses %o", async (retries, path) => {
    const { client } = await inMemory(queues);
    const handlers = { processMessage: () => undefined, processError: () => undefined };
    const error = refusal(() => Reflect.apply(client.startProcessor, client, ["plain", handlers, { retries }]));

    expect(error.code).toBe("InvalidArgument");
    expect(error.path).toBe(path);
  });

  it.each([
    ["a subscription", "t/Subscriptions/s", {}, { delayed: ["1s"] }],
    ["a sub-queue", "plain/$DeadLetterQueue", {}, { immediate: 1 }],
    ["a message that is deleted at once", "plain", { receiveMode: "receiveAndDelete" as const }, { immediate: 1 }],
  ])("is refused for %s", async (_what, entity, options, retries) => {
    const { client } = await inMemory(queues);
    const handlers = {
      processMessage: () => undefined,
      processError: () => undefined,
      processUnreadable: () => undefined,
    };

    expect(refusal(() => client.startProcessor(entity, handlers, { ...options, retries })).code).toBe(
      "InvalidArgument",
    );
  });

  it("is refused on an engine that can neither schedule in a transaction nor defer", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues });
    const less = { ...engine.capabilities, transactions: { level: "refused" }, defer: { level: "refused" } } as const;
    Object.defineProperty(engine, "capabilities", { value: less });
    const { client } = clientOver({ engine, clock, advance: (milliseconds) => clock.advance(milliseconds) });
    const handlers = { processMessage: () => undefined, processError: () => undefined };

    expect(refusal(() => client.startProcessor("plain", handlers, { retries: { delayed: ["1s"] } })).code).toBe(
      "UnsupportedCapability",
    );
    await client.startProcessor("plain", handlers, { retries: { immediate: 1 } }).close();
  });

  it("defers, with a timer, on an engine without transactions", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues });
    const less = { ...engine.capabilities, transactions: { level: "refused" } } as const;
    Object.defineProperty(engine, "capabilities", { value: less });
    const place = clientOver({ engine, clock, advance: (milliseconds) => clock.advance(milliseconds) });
    const { seen, until } = await failing(place, "plain", { retries: { delayed: ["1s"] } }, 1);
    await until(1);
    expect((await peeked(place.client, "plain")).map(({ state }) => state)).toEqual(["deferred", "scheduled"]);
    await until(2, second);

    expect(seen).toHaveLength(2);
    expect(await peeked(place.client, "plain")).toEqual([]);
  });
});
