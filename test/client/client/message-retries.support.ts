import { messageProperties } from "../../../src/client/client/index.ts";
import { rm } from "node:fs/promises";
import { afterEach } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import {
  type Client,
  type ProcessErrorArgs,
  type ProcessorOptions,
  type ReceivedMessage,
} from "../../../src/client/client/index.ts";
import type { Engine, QueueOptions } from "../../../src/core/engine/index.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { serveAzure } from "../../broker/azure/served.support.ts";
import { storeDirectory } from "../../broker/durable/store-directory.support.ts";
import { one } from "./setup.support.ts";

export const second = 1_000;
export const minute = 60_000;

/** A client, and the time of its broker. */
export interface Place {
  readonly engine: Engine;
  readonly client: Client;
  readonly clock: ManualClock;
  readonly advance: (milliseconds: number) => Promise<void>;
}

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

type Queues = Readonly<Record<string, QueueOptions>>;

export async function inMemory(queues: Queues): Promise<Place> {
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
  const broker = await serveAzure({ queues });
  ends.push(() => broker.close());
  return clientOver({
    engine: broker.engine,
    clock: broker.clock,
    advance: (milliseconds) => broker.advance(milliseconds),
  });
}

export function clientOver(place: Omit<Place, "client">): Place {
  ends.push(() => place.engine.close());
  const client = clientAgain(place);
  return { ...place, client };
}

export function clientAgain({ engine, clock }: Omit<Place, "client">): Client {
  const client = createClient({ engine, clock, serializer: createSerializer({ codecs: [json()] }) });
  ends.push(() => client.close());
  return client;
}

/** A queue of each kind: the first takes copies, the second would drop them. */
export const queues = { plain: {}, dedup: { requiresDuplicateDetection: true } } as const;

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
  readonly until: (calls: number, step?: number) => Promise<void>;
}

/** A processor whose handler fails the first times, and one message. */
export async function failing(
  { client, clock, advance }: Place,
  queue: string,
  options: ProcessorOptions,
  failures: number,
  {
    fail = () => new Error("database away"),
    sends = true,
  }: { readonly fail?: () => unknown; readonly sends?: boolean } = {},
): Promise<Failing> {
  const seen: Seen[] = [];
  const errors: ProcessErrorArgs[] = [];
  const start = clock.now();
  client.startProcessor(
    queue,
    {
      processMessage: ({ messageId, applicationProperties }) => {
        const { [messageProperties.immediateRetries]: immediate, [messageProperties.delayedRetries]: delayed } =
          applicationProperties;
        seen.push({ at: clock.now() - start, messageId, immediate, delayed });
        if (seen.length <= failures) throw fail();
      },
      processError: (args) => void errors.push(args),
    },
    options,
  );
  if (sends) await client.createSender(queue).sendMessages({ body: { id: 7 }, messageId: "order-7" });
  const until = async (calls: number, step = 0): Promise<void> => {
    for (let turn = 0; seen.length < calls && turn < 300; turn++) await advance(step);
  };
  return { seen, errors, until };
}

/** Looks until it is as expected, while commits and sockets take their time; gives what was seen last. */
export async function eventually<T>(
  { advance }: Place,
  look: () => Promise<T>,
  isThere: (seen: T) => boolean,
): Promise<T> {
  let seen = await look();
  for (let turn = 0; turn < 300 && !isThere(seen); turn++) {
    await advance(0);
    seen = await look();
  }
  return seen;
}

/** The messages of a queue, once there are so many. */
export const left = (place: Place, queue: string, count: number): Promise<readonly ReceivedMessage[]> =>
  eventually(
    place,
    () => peeked(place.client, queue),
    ({ length }) => length === count,
  );

export const peeked = async (client: Client, queue: string): Promise<readonly ReceivedMessage[]> =>
  client.createReceiver(queue).peekMessages(10);

export const places: readonly (readonly [where: string, open: (queues: Queues) => Promise<Place>])[] = [
  ["in memory", inMemory],
  ["on disk", onDisk],
  ["over AMQP", served],
];
