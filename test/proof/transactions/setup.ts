import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { durableEngine } from "../../../src/broker/durable/durable-engine.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { faultyEngine } from "../../../src/client/testing/faulty-engine.ts";
import { systemClock } from "../../../src/core/time/index.ts";
import type { Random } from "../../random.support.ts";
import { lateEngine } from "../../serve/server/amqp/late-engine.support.ts";
import { installPostgres } from "../../external/installed.support.ts";
import { PostgresServer, type PostgresVersion } from "../../external/postgres-server.support.ts";

/** The queue that clients receive from, and its dead letters. */
export const source = "in";
export const deadLetters = "in/$DeadLetterQueue";
const queues = {
  [source]: { maxDeliveryCount: 2000, lockDuration: "PT5M" },
  out: {},
  far: {},
  ordered: { requiresSession: true },
  small: { maxMessageSizeInBytes: 1024 },
};
const subscriptions = ["t/Subscriptions/a", "t/Subscriptions/b"] as const;

/** Where messages can be. */
export const entities: readonly string[] = [...Object.keys(queues), deadLetters, ...subscriptions];

/** A place that messages are sent to in transactions. */
export interface Target {
  readonly address: string;
  /** Where the messages of a link to the address go instead. */
  readonly destination?: string;
  readonly arrivesIn: readonly string[];
  readonly sessionId?: string;
}

export const targets: readonly Target[] = [
  { address: source, arrivesIn: [source] },
  { address: "out", arrivesIn: ["out"] },
  { address: "t", arrivesIn: subscriptions },
  { address: source, destination: "far", arrivesIn: ["far"] },
  { address: "ordered", arrivesIn: ["ordered"], sessionId: "one" },
];

/** An engine that the proof runs on. */
export interface Subject {
  readonly name: string;
  /** For the messages that clients find, and for the checks. */
  readonly engine: Engine;
  /** The engine that is served. */
  readonly served: Engine;
  /** Lets something fail once in a while, if it can. */
  fault(): void;
  close(): Promise<void>;
}

/** The memory engine behind one that carries calls out late, and fails now and then. */
export async function lateMemory(random: Random): Promise<Subject> {
  const engine = memoryEngine();
  const faulty = faultyEngine(engine, systemClock);
  const wait = async (): Promise<void> => {
    if (random.chance(0.3)) return;
    for (let turns = random.integer(8); turns > 0; turns--) await Promise.resolve();
    if (random.chance(0.3)) await setImmediate();
    if (random.chance(0.05)) await setTimeout(random.integer(3));
  };
  return opened("memory, late", {
    engine,
    served: lateEngine(faulty.engine, wait),
    fault() {
      const operation = random.pick(["send", "settle", "schedule"] as const);
      if (random.chance(0.5)) faulty.faults.refuse(operation, "ServiceBusy");
      else faulty.faults.loseAnswer(operation);
    },
    close: () => faulty.engine.close(),
  });
}

export async function durable(): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), "sobre-transactions-"));
  const engine = await durableEngine({ directory });
  return opened("durable", {
    engine,
    served: engine,
    fault: () => undefined,
    async close() {
      await engine.close();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

/** The version of PostgreSQL that the machine has, or that is installed; `undefined` when it cannot be. */
export async function postgresVersion(): Promise<PostgresVersion | undefined> {
  if (existsSync("/usr/lib/postgresql/15/bin/postgres")) return 15;
  try {
    await installPostgres();
    return 18;
  } catch {
    return undefined;
  }
}

export async function postgres(version: PostgresVersion): Promise<Subject> {
  const server = await PostgresServer.create(version);
  const engine = await postgresEngine({ connectionString: server.connectionString, migrate: true });
  return opened(`PostgreSQL ${version}`, {
    engine,
    served: engine,
    fault: () => undefined,
    async close() {
      await engine.close();
      await server[Symbol.asyncDispose]();
    },
  });
}

async function opened(name: string, subject: Omit<Subject, "name">): Promise<Subject> {
  const { admin } = subject.engine;
  for (const [queue, options] of Object.entries(queues)) await admin.createQueue(queue, options);
  await admin.createTopic("t");
  for (const subscription of ["a", "b"]) await admin.createSubscription("t", subscription);
  return { name, ...subject };
}

/** Sends messages to the source. */
export async function feed(engine: Engine, ids: readonly string[]): Promise<void> {
  const sender = await engine.openSender(source);
  for (let first = 0; first < ids.length; first += 200)
    await sender.send(
      ids
        .slice(first, first + 200)
        .map((messageId) => createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } })),
    );
  await sender.close();
}

/** Empties every entity. */
export async function clear(engine: Engine): Promise<void> {
  for (const entity of entities) await engine.admin.clear?.(entity);
}
