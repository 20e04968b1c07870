import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/codec/index.ts";
import { createClient } from "../../../src/create-client.ts";
import type { Client } from "../../../src/client/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import { memoryEngine } from "../../../src/engines/memory/index.ts";
import { ManualClock } from "../../../src/time/index.ts";
import { Life } from "./mortal-engine.ts";

/** A queue and a processor on it. */
export interface Shape {
  readonly detectsDuplicates: boolean;
  readonly prefetchCount: number;
}

/** The outcome for the messages. */
export interface Lives {
  readonly kills: number;
  /** Messages that a handler took to its end more than once. */
  readonly doubled: number;
  readonly steps: number;
}

const queue = "orders";
const retries = { immediate: 1, delayed: ["5s", "20s", "1m", "5m"], jitter: 0 } as const;
/** Seconds in which everything is done, however often a processor was killed. */
const patience = 4 * 3600;

/** The half steps of one message that fails three times and is not disturbed. */
export async function stepsOf(shape: Shape): Promise<number> {
  return (await runLives(shape, [3], [])).steps;
}

/**
 * Handles messages that fail so often each, in one processor after another: each is killed after so many half steps,
 * the last one is not.
 *
 * @throws an error when a message is lost, dead or another one.
 */
export async function runLives(shape: Shape, failures: readonly number[], kills: readonly number[]): Promise<Lives> {
  const clock = new ManualClock();
  const requiresDuplicateDetection = shape.detectsDuplicates;
  const options = { requiresDuplicateDetection, lockDuration: 20_000, maxDeliveryCount: 1_000 };
  const engine = memoryEngine({ clock, queues: { [queue]: options } });
  const serializer = createSerializer({ codecs: [json()] });
  await using sending = createClient({ engine, clock, serializer });
  const ids = failures.map((_, index) => `order-${index}`);
  await sending.createSender(queue).sendMessages(ids.map((messageId) => ({ body: messageId, messageId })));
  const tries = new Map<string, number>();
  const done = new Map<string, number>();
  const handle = async (id: string): Promise<void> => {
    const tried = (tries.get(id) ?? 0) + 1;
    tries.set(id, tried);
    const index = ids.indexOf(id);
    if (tried <= (failures[index] ?? NaN)) throw new Error("transient");
    done.set(id, (done.get(id) ?? 0) + 1);
  };
  let steps = 0;
  let killed = 0;
  let waited = 0;
  const isOver = async (): Promise<boolean> =>
    done.size === ids.length && (await engine.peek(queue, { maxMessages: 1 })).length === 0;
  for (const left of [...kills, Infinity]) {
    const life = new Life(await engine.connect(), left);
    const client = start(life, clock, shape, handle);
    while (!life.isDead && !(await isOver())) {
      if (waited++ > patience) throw new Error(lost(ids, done, shape, kills));
      await clock.advance(1_000);
    }
    steps += life.steps;
    if (!life.isDead) {
      life.spare();
      await client.close();
      break;
    }
    killed++;
  }
  await check(engine, ids, done, shape);
  await engine.close();
  return { kills: killed, doubled: [...done.values()].filter((count) => count > 1).length, steps };
}

function start(
  life: Life,
  clock: ManualClock,
  { prefetchCount }: Shape,
  handle: (id: string) => Promise<void>,
): Client {
  const client = createClient({ engine: life.engine, clock, serializer: createSerializer({ codecs: [json()] }) });
  client.startProcessor(
    queue,
    {
      processMessage: ({ messageId, body }) =>
        life.step(() => {
          if (messageId !== body) throw new Error("A message has another id.");
          return handle(String(messageId));
        }),
      processError: () => undefined,
    },
    { retries, prefetchCount, maxConcurrentCalls: 2 },
  );
  return client;
}

async function check(
  engine: Engine,
  ids: readonly string[],
  done: ReadonlyMap<string, number>,
  shape: Shape,
): Promise<void> {
  const dead = await engine.peek(`${queue}/$DeadLetterQueue`, { maxMessages: 1 });
  if (dead.length > 0)
    throw new Error(`A message is dead: ${dead[0]?.deadLetterReason}, with ${JSON.stringify(shape)}.`);
  const strange = [...done.keys()].find((id) => !ids.includes(id));
  if (strange !== undefined) throw new Error(`${strange} was never sent.`);
}

function lost(
  ids: readonly string[],
  done: ReadonlyMap<string, number>,
  shape: Shape,
  kills: readonly number[],
): string {
  const missing = ids.filter((id) => !done.has(id));
  const what = missing.length > 0 ? `${missing.join(", ")} lost` : "something is left in the queue";
  return `${what} with ${JSON.stringify(shape)}, killed after ${kills.join(", ")} half steps.`;
}
