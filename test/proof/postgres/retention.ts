import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { Administrator } from "./administrator.ts";

const backlog = 1000;
const schema = "retention";

/** Messages after which the server gets time to vacuum: a fast machine sends a whole share between two of its rounds. */
const paced = 3000;
const pause = 1200;

/**
 * How many times the median size of the first third that of the last may be. When a vacuum comes changes a single size by half;
 * tables that only grow are five times as large by then.
 */
const mostGrowth = 1.5;

/** Messages pass through a backlog: the tables stop growing, and with a server that never vacuums they do not. */
export async function retention(messages: number, mutantMessages: number): Promise<string> {
  const { first, last } = await pass(messages, []);
  if (last > first * mostGrowth)
    throw new Error(
      `The tables grew from ${megabytes(first)} in the first third of ${messages} messages to ${megabytes(last)} in the last.`,
    );
  const mutant = await pass(mutantMessages, ["autovacuum=off"]);
  if (mutant.last <= mutant.first * mostGrowth) throw new Error("Tables that are never vacuumed were not caught.");
  return `${messages} messages through a backlog of ${backlog}: ${megabytes(first)} of tables in the first third, ${megabytes(last)} in the last`;
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

/** Returns the median of the bytes of the tables in the first third, and in the last. */
async function pass(
  messages: number,
  settings: readonly string[],
): Promise<{ readonly first: number; readonly last: number }> {
  // Rows die here in a second as they do in a minute at full speed.
  const options = ["fsync=off", "synchronous_commit=off", "autovacuum_naptime=1s", ...settings];
  await using server = await PostgresServer.create(18, options);
  const engine = await postgresEngine({ connectionString: server.connectionString, schema, migrate: true });
  try {
    await engine.admin.createQueue("q", { lockDuration: 300_000 });
    await send(engine, backlog);
    await using administrator = await Administrator.connect(server.connectionString);
    const third = async (): Promise<number> => {
      const sizes: number[] = [];
      await passThrough(
        engine,
        Math.floor(messages / 3),
        async () => void sizes.push(await administrator.bytesOf(schema)),
      );
      return sizes.toSorted((one, other) => one - other)[sizes.length >> 1] ?? 0;
    };
    const first = await third();
    await third();
    return { first, last: await third() };
  } finally {
    await engine.close();
  }
}

/** Passes messages on, and measures after each pause and at the end. */
async function passThrough(engine: Engine, messages: number, measure: () => Promise<void>): Promise<void> {
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  for (let passed = 0, resting = paced; passed < messages;) {
    if (passed >= resting) {
      await sleep(pause);
      await measure();
      resting += Math.max(paced, messages / 100);
    }
    const [deliveries] = await Promise.all([
      receiver.receive({ maxMessages: 250, maxWaitTimeInMs: 10_000 }),
      send(engine, 250),
    ]);
    passed += deliveries.length;
    await Promise.all(
      deliveries.map(async ({ lockToken }) => {
        if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "complete" });
      }),
    );
  }
  await receiver.close();
  await measure();
}

async function send(engine: Engine, count: number): Promise<void> {
  const sender = await engine.openSender("q");
  await sender.send(Array.from({ length: count }, () => createEnvelope({ payload: new Uint8Array(1024) })));
  await sender.close();
}
