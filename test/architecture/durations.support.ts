import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "../../codecs/json/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { engineSuite, runEngineCase } from "../../src/broker/conformance/index.ts";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { idempotent, memoryInbox } from "../../src/client/client/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { memoryOutbox, postgresInbox, sqliteInbox, startOutbox } from "../../src/client/inbox/index.ts";
import { filePayloadStore } from "../../src/client/stages/index.ts";
import { createTestHarness, testEngine } from "../../src/client/testing/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { toMilliseconds } from "../../src/core/engine/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { startServer } from "../../src/serve/server/index.ts";

/** How an option is given a value, and the values of its own that it accepts, where five seconds are too few. */
export interface DurationOption {
  readonly use: (value: unknown) => unknown;
  readonly samples?: readonly unknown[];
}

type Use = (value: unknown) => unknown;

const closers: (() => unknown)[] = [];

/** Closes all that was made. */
export async function closeDurationSubjects(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Calls as JavaScript does, which gives values of any type. */
const call = (target: object, method: string, ...args: readonly unknown[]): unknown =>
  Reflect.apply(Reflect.get(target, method), target, args);
const callOf = (made: (...args: never) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(made, undefined, args);

const folder = mkdtempSync(join(tmpdir(), "sobre-durations-"));
closers.push(() => rmSync(folder, { recursive: true }));

const clock = new ManualClock();
const serializer = createSerializer({ codecs: [json()] });
const queues = { a: {}, s: { requiresSession: true } };
const engine = memoryEngine({ clock, queues });
const client = createClient({ engine, clock, serializer, closeEngine: true });
closers.push(() => client.close());
const handlers = { processMessage: () => undefined, processError: () => undefined };
const noDatabase = (): Promise<never> => Promise.reject(new Error("There is no database."));
const pool = { connect: noDatabase, query: noDatabase, on: () => undefined };
const connectionString = "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=v;UseDevelopmentEmulator=true";

async function closed(made: unknown): Promise<void> {
  const one = await made;
  if (typeof one === "object" && one !== null && "close" in one) await call(one, "close");
}

const inQueue =
  (option: string): Use =>
  (value) =>
    closed(callOf(memoryEngine, { queues: { a: { [option]: value } } }));
const inServer =
  (option: string): Use =>
  (value) =>
    closed(callOf(startServer, { port: 0, limits: { [option]: value } }));
const inAzure =
  (option: string): Use =>
  (value) =>
    closed(callOf(azureEngine, { connectionString, [option]: value }));
// Without a connection string or pool nothing is opened.
const inPostgres =
  (option: string): Use =>
  (value) =>
    callOf(postgresEngine, { [option]: value });
// With a URL of another protocol nothing is opened.
const inRabbitmq =
  (option: string): Use =>
  (value) =>
    callOf(rabbitmqEngine, { url: "http://localhost", [option]: value });
const inProcessor =
  (options: (value: unknown) => object): Use =>
  (value) =>
    closed(call(client, "startProcessor", "a", handlers, options(value)));
const inSessions =
  (option: string): Use =>
  (value) =>
    closed(call(client, "startSessionProcessor", "s", handlers, { [option]: value }));
const inOutbox =
  (option: string): Use =>
  (value) =>
    closed(callOf(startOutbox, engine, memoryOutbox(), { relays: false, [option]: value }));

const harness = createTestHarness({ serializer, queues });
closers.push(() => harness.close());
const { faults } = testEngine({ queues });

const openMemory = (): object => ({ engine: memoryEngine({ clock }), advance: () => undefined });

/** Every public option that takes a `DurationLike`. */
export const durationOptions: Readonly<Record<string, DurationOption>> = {
  "AzureEngineSettings.idleTimeout": { use: inAzure("idleTimeout") },
  "AzureEngineSettings.minWaitTime": { use: inAzure("minWaitTime") },
  "AzureEngineSettings.timeout": { use: inAzure("timeout") },
  "ConnectionLimits.handshakeTimeout": { use: inServer("handshakeTimeout") },
  "ConnectionLimits.idleTimeout": { use: inServer("idleTimeout") },
  "EngineTarget.patience": {
    use: (patience) => callOf(runEngineCase, engineSuite[0], { open: openMemory, patience }),
  },
  "EntityOptions.autoDeleteOnIdle": { use: inQueue("autoDeleteOnIdle"), samples: ["10m", "PT10M", 600_000] },
  "EntityOptions.defaultMessageTimeToLive": { use: inQueue("defaultMessageTimeToLive") },
  "Faults.delay.duration": { use: (value) => call(faults, "delay", value) },
  "FilePayloadStore.removeOlderThan.age": {
    use: (value) => call(filePayloadStore({ folder }), "removeOlderThan", value),
  },
  "IdempotentOptions.claimDuration": {
    use: (claimDuration) => callOf(idempotent, memoryInbox(), () => undefined, { claimDuration }),
  },
  "IdleOptions.step": { use: (step) => call(harness, "idle", { step }) },
  "MemoryInboxOptions.retention": { use: (retention) => callOf(memoryInbox, { retention }) },
  "MessageRetries.delayed": { use: inProcessor((value) => ({ retries: { delayed: [value] } })) },
  "OutboxOptions.leaseDuration": { use: inOutbox("leaseDuration") },
  "OutboxOptions.pollInterval": { use: inOutbox("pollInterval") },
  "PauseWhen.maxPause": { use: inProcessor((maxPause) => ({ pauseWhen: { maxPause } })) },
  "PauseWhen.pause": { use: inProcessor((pause) => ({ pauseWhen: { pause } })) },
  "PostgresEngineOptions.statementTimeout": { use: inPostgres("statementTimeout") },
  "PostgresEngineOptions.sweepInterval": { use: inPostgres("sweepInterval") },
  "PostgresInboxOptions.retention": { use: (retention) => callOf(postgresInbox, { pool, retention }) },
  "RabbitmqEngineOptions.heartbeat": { use: inRabbitmq("heartbeat"), samples: ["10s", "PT10S", 10_000] },
  "ReceivableOptions.lockDuration": { use: inQueue("lockDuration") },
  "RedriveOptions.settleTime": {
    use: (settleTime) => call(client, "redrive", "a/$DeadLetterQueue", { settleTime }),
  },
  "SendableOptions.duplicateDetectionHistoryTimeWindow": { use: inQueue("duplicateDetectionHistoryTimeWindow") },
  "SessionProcessorOptions.sessionIdleTimeout": { use: inSessions("sessionIdleTimeout") },
  "SqliteInboxOptions.retention": {
    use: (retention) => closed(callOf(sqliteInbox, { path: join(folder, "inbox.db"), retention })),
  },
  "ManualClock.advance.duration": { use: (value) => call(new ManualClock(), "advance", value) },
  "toMilliseconds.duration": { use: (value) => callOf(toMilliseconds, value, "duration") },
};

const receiver = client.createReceiver("a", { receiveMode: "peekLock" });
const engineReceiver = engine.openReceiver("a", { receiveMode: "peekLock" });

/** Waits are aborted at once: only what the option is refused for matters. */
const abortSignal = AbortSignal.abort();

const inClient =
  (option: string): Use =>
  (value) =>
    closed(callOf(createClient, { engine, serializer, retryOptions: { [option]: value } }));

/** Every public option in milliseconds: the names of `@azure/service-bus`, and the SPI's. */
export const millisecondOptions: Readonly<Record<string, Use>> = {
  "AcceptSessionOptions.maxWaitTimeInMs": (maxWaitTimeInMs) =>
    engine
      .connect()
      .then((own) => call(own, "acceptSession", "s", { receiveMode: "peekLock", maxWaitTimeInMs, abortSignal })),
  "CloseOptions.timeoutInMs": (timeoutInMs) => call(createClient({ engine, serializer }), "close", { timeoutInMs }),
  "IdleOptions.maxWaitTimeInMs": (maxWaitTimeInMs) => call(harness, "idle", { maxWaitTimeInMs }),
  "ProcessorOptions.maxAutoLockRenewalDurationInMs": inProcessor((maxAutoLockRenewalDurationInMs) => ({
    maxAutoLockRenewalDurationInMs,
  })),
  "ReceiveMessagesOptions.maxWaitTimeInMs": (maxWaitTimeInMs) =>
    call(receiver, "receiveMessages", 1, { maxWaitTimeInMs, abortSignal }),
  "ReceiveOptions.maxWaitTimeInMs": async (maxWaitTimeInMs) =>
    call(await engineReceiver, "receive", { maxMessages: 1, maxWaitTimeInMs, abortSignal }),
  "ReceiverOptions.maxAutoLockRenewalDurationInMs": (maxAutoLockRenewalDurationInMs) =>
    call(client, "createReceiver", "a", { maxAutoLockRenewalDurationInMs }),
  "RequestOptions.timeoutInMs": (timeoutInMs) =>
    call(client.createRequester("a", { replyTo: "a" }), "request", { body: 1 }, { timeoutInMs, abortSignal }),
  "RetryOptions.maxRetryDelayInMs": inClient("maxRetryDelayInMs"),
  "RetryOptions.retryDelayInMs": inClient("retryDelayInMs"),
  "RetryOptions.timeoutInMs": inClient("timeoutInMs"),
  "SessionReceiverOptions.maxAutoLockRenewalDurationInMs": (maxAutoLockRenewalDurationInMs) =>
    call(client, "acceptSession", "s", "x", { maxAutoLockRenewalDurationInMs, abortSignal }),
  "SessionReceiverOptions.maxWaitTimeInMs": (maxWaitTimeInMs) =>
    call(client, "acceptSession", "s", "x", { maxWaitTimeInMs, abortSignal }),
};
