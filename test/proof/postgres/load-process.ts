import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../../src/core/engine/delivery.ts";
import type { Engine, EngineSender, EngineSessionReceiver } from "../../../src/core/engine/engine.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { seeded } from "../../random.support.ts";
import { say } from "./lines.ts";
import { lockDuration, sessionsOf } from "./setup.ts";

/**
 * One of several processes that send, receive and settle in one namespace until they are killed:
 * `node load-process.ts CONNECTION SCHEMA PROCESS LIFE MESSAGES SEED`. It sends as many messages as are asked, and
 * receives until it is killed.
 */
const [connectionString = "", schema = "", name = "0", life = "0", messages = "0", seed = "0"] = process.argv.slice(2);
const random = seeded(Number(seed));

/** Failures after which a worker goes on: the database was away, or somebody else holds the lock now. */
const survived: ReadonlySet<string> = new Set([
  "ServiceCommunicationProblem",
  "ServiceBusy",
  "ServiceTimeout",
  "MessageLockLost",
  "SessionLockLost",
  "SessionCannotBeLocked",
  "MessageNotFound",
]);

/** Failures that say that the call had no effect. */
const harmless: ReadonlySet<string> = new Set(["MessageLockLost", "SessionLockLost", "MessageNotFound"]);

/** Runs a call that may fail for the faults around it; resolves to whether it was acknowledged. */
async function tried(work: () => Promise<unknown>, refused: () => void = () => {}): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const code = error instanceof SobreError ? error.code : String(error);
    if (!survived.has(code)) {
      const text = error instanceof Error ? `${code} ${error.message} ${String(error.cause)}` : code;
      say("failed", "done", "-", [text.replaceAll(/[\n,]/g, " ")]);
      process.exit(1);
    }
    if (harmless.has(code)) refused();
    else await sleep(20 + random.integer(80));
    return false;
  }
}

let count = 0;
let unsent = Number(messages);

const message = (id: string, sessionId?: string): Envelope =>
  createEnvelope({
    payload: new Uint8Array(100 + random.integer(400)),
    brokerProperties: { messageId: id, ...(sessionId === undefined ? {} : { sessionId }) },
  });

const idOf = ({ envelope }: Delivery): string => String(envelope.brokerProperties.messageId);

async function sender(engine: Engine, queue: "plain" | "ordered", session?: string): Promise<void> {
  let link: EngineSender | undefined;
  while (unsent > 0) {
    await tried(async () => (link ??= await engine.openSender(queue)));
    if (link === undefined) continue;
    const opened = link;
    const size = Math.min(unsent, 1 + random.integer(20));
    unsent -= size;
    const ids = Array.from({ length: size }, () => {
      count++;
      return session === undefined ? `${name}-${life}-${count}` : `${session}:${life}:${count}`;
    });
    say("send", "begun", queue, ids);
    if (await tried(() => opened.send(ids.map((id) => message(id, session))))) say("send", "done", queue, ids);
  }
}

/** Settles in one of many ways, and sometimes so late that the lock is another's; resolves to whether it is known to have worked. */
async function settleSomehow(engine: Engine, queue: string, delivery: Delivery): Promise<boolean> {
  const { lockToken, sequenceNumber } = delivery;
  if (lockToken === undefined) throw new Error("A delivery under peek-lock has no token.");
  const id = idOf(delivery);
  const settle = (kind: "complete" | "deadLetter"): Promise<boolean> => {
    const since = say(kind, "begun", queue, [id]);
    return tried(
      async () => {
        await engine.settle(queue, lockToken, kind === "complete" ? { kind } : { kind, deadLetterReason: "Chosen" });
        say(kind, "done", queue, [id], since);
      },
      () => say(kind, "refused", queue, [id]),
    );
  };
  const choice = random.integer(100);
  if (choice < 3) await sleep(lockDuration + random.integer(300));
  if (choice >= 20 || choice < 3) return settle("complete");
  if (choice < 12) return tried(() => engine.settle(queue, lockToken, { kind: "abandon" }));
  if (choice < 15) return settle("deadLetter");
  if (queue === "plain" && choice < 18) {
    const isDeferred = await tried(() => engine.settle(queue, lockToken, { kind: "defer" }));
    if (isDeferred) await settleDeferred(engine, sequenceNumber);
  } else if (queue === "plain") await tried(() => engine.renew(queue, lockToken));
  return false;
}

async function settleDeferred(engine: Engine, sequenceNumber: bigint): Promise<void> {
  await tried(async () => {
    const since = process.hrtime.bigint();
    const [again] = await engine.receiveDeferred("plain", [sequenceNumber], { receiveMode: "peekLock" });
    if (again === undefined) return;
    say("receive", "done", "plain", [idOf(again)], since);
    await settleSomehow(engine, "plain", again);
  });
}

async function receiver(engine: Engine): Promise<never> {
  for (;;)
    await tried(async () => {
      const link = await engine.openReceiver("plain", { receiveMode: "peekLock" });
      for (let turns = 0; turns < 20; turns++) {
        const since = process.hrtime.bigint();
        const deliveries = await link.receive({ maxMessages: 1 + random.integer(20), maxWaitTimeInMs: 500 });
        say("receive", "done", "plain", deliveries.map(idOf), since);
        await Promise.all(deliveries.map((delivery) => settleSomehow(engine, "plain", delivery)));
      }
      await link.close();
    });
}

async function sessionReceiver(engine: Engine): Promise<never> {
  for (;;)
    await tried(async () => {
      const options = { receiveMode: "peekLock", sessionId: undefined, maxWaitTimeInMs: 500 } as const;
      const link = await engine.acceptSession("ordered", options);
      try {
        await inSession(engine, link);
      } finally {
        await tried(() => link.close());
      }
    });
}

async function inSession(engine: Engine, link: EngineSessionReceiver): Promise<void> {
  const { sessionId } = link;
  const begun = process.hrtime.bigint();
  say("seen", "done", sessionId, [Buffer.from((await link.getSessionState()) ?? []).toString()], begun);
  for (let turns = random.integer(12); turns >= 0; turns--) {
    const since = process.hrtime.bigint();
    const [delivery] = await link.receive({ maxMessages: 1, maxWaitTimeInMs: 50 });
    if (delivery === undefined) return;
    const id = idOf(delivery);
    say("receive", "done", "ordered", [id], since);
    const setting = say("state", "begun", sessionId, [id]);
    const isSet = await tried(
      () => link.setSessionState(Buffer.from(id)),
      () => say("state", "refused", sessionId, [id], setting),
    );
    if (!isSet) return;
    say("state", "done", sessionId, [id], setting);
    // A message that is left behind comes after the one taken next.
    if (!(await settleSomehow(engine, "ordered", delivery))) return;
  }
}

const setup = { connectionString, schema, maxConnections: 4, statementTimeout: 10_000 };

async function open(): Promise<Engine> {
  let engine: Engine | undefined;
  for (;;) {
    await tried(async () => (engine = await postgresEngine(setup)));
    if (engine !== undefined) return engine;
  }
}

const engine = await open();
const senders = [sender(engine, "plain"), ...sessionsOf(name).map((session) => sender(engine, "ordered", session))];
await Promise.all([...senders, receiver(engine), receiver(engine), sessionReceiver(engine), sessionReceiver(engine)]);
