import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import type { Client, ProcessorHandlers } from "../../../src/client/client/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { Life } from "./mortal-engine.ts";

/** A queue and a processor on it. */
export interface Shape {
  readonly detectsDuplicates: boolean;
  readonly prefetchCount: number;
  /**
   * Whether the messages are of sessions, in which they are handled in order: `hold` with retries that are over too
   * early, so that the session waits for dead letters to be re-driven.
   */
  readonly sessions?: "wait" | "hold" | undefined;
}

/** The outcome for the messages. */
export interface Lives {
  readonly kills: number;
  /** Messages that a handler took to its end more than once. */
  readonly doubled: number;
  readonly steps: number;
}

const queue = "orders";
const dead = `${queue}/$DeadLetterQueue`;
const retries = { immediate: 1, delayed: ["5s", "20s", "1m", "5m"], jitter: 0 } as const;
const fewRetries = { immediate: 0, delayed: ["5s"], jitter: 0, holdSession: true } as const;
const sessionCount = 2;
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
  const requiresSession = shape.sessions !== undefined;
  const options = {
    requiresDuplicateDetection,
    ...(requiresDuplicateDetection && { duplicateDetectionHistoryTimeWindow: 60_000 }),
    requiresSession,
    lockDuration: 20_000,
    maxDeliveryCount: 1_000,
  };
  const engine = memoryEngine({ clock, queues: { [queue]: options } });
  const serializer = createSerializer({ codecs: [json()] });
  await using sending = createClient({ engine, clock, serializer });
  const ids = failures.map((_, index) => `order-${index}`);
  await sending.createSender(queue).sendMessages(
    ids.map((messageId, index) => ({
      body: messageId,
      messageId,
      ...(requiresSession && { sessionId: String(index % sessionCount) }),
    })),
  );
  const tries = new Map<string, number>();
  const done = new Map<string, number>();
  const inOrder = requiresSession ? new Order(ids) : undefined;
  const handle = async (id: string): Promise<void> => {
    const tried = (tries.get(id) ?? 0) + 1;
    tries.set(id, tried);
    const index = ids.indexOf(id);
    inOrder?.check(index, done);
    if (tried <= (failures[index] ?? NaN)) throw new Error("transient");
    done.set(id, (done.get(id) ?? 0) + 1);
  };
  let steps = 0;
  let killed = 0;
  let waited = 0;
  const isEmpty = async (entity: string): Promise<boolean> =>
    (await engine.peek(entity, { maxMessages: 1 })).length === 0;
  const isOver = async (): Promise<boolean> =>
    done.size === ids.length && (await isEmpty(queue)) && (shape.sessions !== "hold" || (await isEmpty(dead)));
  for (const left of [...kills, Infinity]) {
    const life = new Life(await engine.connect(), left);
    const client = start(life, clock, shape, handle);
    while (!life.isDead && !(await isOver())) {
      if (waited++ > patience) throw new Error(lost(ids, done, shape, kills));
      await clock.advance(1_000);
      // The window of duplicates is over by then.
      if (shape.sessions === "hold" && waited % 200 === 0) await sending.redrive(dead, { messageIds: "keep" });
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
  if (inOrder?.broken !== undefined)
    throw new Error(`${inOrder.broken} with ${JSON.stringify(shape)}, killed after ${kills.join(", ")} half steps.`);
  await engine.close();
  return { kills: killed, doubled: [...done.values()].filter((count) => count > 1).length, steps };
}

function start(
  life: Life,
  clock: ManualClock,
  { prefetchCount, sessions }: Shape,
  handle: (id: string) => Promise<void>,
): Client {
  const client = createClient({ engine: life.engine, clock, serializer: createSerializer({ codecs: [json()] }) });
  const handlers: ProcessorHandlers = {
    processMessage: ({ messageId, body }) =>
      life.step(() => {
        if (messageId !== body) throw new Error("A message has another id.");
        return handle(String(messageId));
      }),
    processError: () => undefined,
  };
  if (sessions === undefined) client.startProcessor(queue, handlers, { retries, prefetchCount, maxConcurrentCalls: 2 });
  else
    client.startSessionProcessor(queue, handlers, {
      retries: sessions === "hold" ? fewRetries : retries,
      maxConcurrentSessions: 2,
      sessionIdleTimeout: 1_000,
    });
  return client;
}

/** That messages of a session are handled in order: none before all that were sent before it have been, at least once. */
class Order {
  readonly #ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  check(index: number, done: ReadonlyMap<string, number>): void {
    for (let before = index - sessionCount; before >= 0; before -= sessionCount)
      if (!done.has(this.#ids[before] ?? "")) this.broken ??= `${this.#ids[index]} overtook ${this.#ids[before]}`;
  }

  broken: string | undefined;
}

async function check(
  engine: Engine,
  ids: readonly string[],
  done: ReadonlyMap<string, number>,
  shape: Shape,
): Promise<void> {
  const [letter] = await engine.peek(dead, { maxMessages: 1 });
  if (letter !== undefined)
    throw new Error(`A message is dead: ${letter.deadLetterReason}, with ${JSON.stringify(shape)}.`);
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
