import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EngineCase,
  engineSuite,
  type EngineTarget,
  runEngineCase,
} from "../../../src/broker/conformance/index.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { type End, type Held, type Open, RestartingEngine } from "../../broker/durable/restarting-engine.support.ts";
import type { Random } from "../../random.support.ts";

const lostCodes: ReadonlySet<string> = new Set([
  "MessageLockLost",
  "SessionLockLost",
  "Closed",
  "MessagingEntityNotFound",
]);

const isBusy = ({ held, sessions, transactions }: Open): boolean =>
  held.size > 0 || sessions.size > 0 || transactions > 0;

/** Ends the engine between the steps of every case: where nothing is open, and once where something is. */
export async function restarts(share: number, random: Random): Promise<string> {
  let restarted = 0;
  let broken = 0;
  for (const engineCase of engineSuite) {
    for (const end of ["close", "kill"] as const) {
      if (!random.chance(share)) continue;
      const between = async (open: Open): Promise<boolean> => {
        const idle = !isBusy(open) && open.waiting === 0 && open.lasting === 0;
        if (idle) restarted++;
        return idle;
      };
      const result = await runEngineCase(engineCase, target(end, between));
      if (result.outcome === "failed") throw new Error(`${engineCase.name}, after ${end}`, { cause: result.error });
      try {
        if (await breaksOnce(engineCase, end, random.integer(4))) broken++;
      } catch (error) {
        throw new Error(`${engineCase.name}, after ${end} with something open`, { cause: error });
      }
    }
  }
  return `${restarted} restarts with nothing open and ${broken} with locks, sessions or transactions open`;
}

/** Runs a case up to a step at which something is open, and leaves it there. */
async function breaksOnce(engineCase: EngineCase, end: End, step: number): Promise<boolean> {
  let left = step;
  return new Promise((resolve, reject) => {
    const between = async (open: Open, engine: RestartingEngine): Promise<boolean> => {
      if (!isBusy(open) || open.waiting > 0 || open.lasting > 0 || left-- > 0) return false;
      left = Infinity;
      try {
        await checkBroken(open, engine, end);
        resolve(true);
      } catch (error) {
        reject(error);
      }
      await engine.close();
      // The case has nothing to go on with.
      return new Promise(() => {});
    };
    runEngineCase(engineCase, target(end, between)).then(() => resolve(false), reject);
  });
}

/** Ends the engine while something is open, and holds it to what is promised of that. */
async function checkBroken(open: Open, engine: RestartingEngine, end: End): Promise<void> {
  const held: Held[] = [];
  for (const one of open.held.values()) if (await isHeld(one, engine.current)) held.push(one);
  const inTransaction = open.transactions > 0;
  const before = new Map<string, Awaited<ReturnType<Engine["peek"]>>>();
  for (const { entity } of held) before.set(entity, await engine.current.peek(entity, { maxMessages: 1000 }));
  const sessions = [...open.sessions];
  await engine.restart();
  for (const { entity, delivery } of held) {
    const { lockToken, sequenceNumber, deliveryCount } = delivery;
    const was = before.get(entity)?.some((message) => message.sequenceNumber === sequenceNumber);
    if (lockToken === undefined || was !== true) continue;
    await lost(engine.current.settle(entity, lockToken, { kind: "complete" }));
    const now = await engine.current.peek(entity, { maxMessages: 1000 });
    const found = now.find((message) => message.sequenceNumber === sequenceNumber);
    const due = deliveryCount + (end === "kill" ? 1 : 0);
    // The last delivery that was allowed leads to the dead-letter queue, and so may a time to live that is over.
    const isOver = (delivery.expiresAtUtc?.getTime() ?? Infinity) <= engine.now();
    if (found === undefined && (end === "kill" || isOver)) continue;
    if (found?.deliveryCount !== due && !inTransaction)
      throw new Error(`#${sequenceNumber} has ${found?.deliveryCount} deliveries after ${end}, and ${due} were due.`);
  }
  // Links of a killed process are gone with it.
  if (end === "close") for (const session of sessions) await lost(session.getSessionState());
}

/** Whether a lock is there still: a change of its entity has ended it, too. */
async function isHeld({ entity, delivery: { lockToken } }: Held, engine: Engine): Promise<boolean> {
  if (lockToken === undefined) return false;
  const error: unknown = await engine.renew(entity, lockToken).catch((refusal: unknown) => refusal);
  return !(error instanceof SobreError && lostCodes.has(error.code));
}

async function lost(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  if (!(error instanceof SobreError) || !lostCodes.has(error.code))
    throw new Error("What was held before a restart is still held after it.", { cause: error });
}

function target(end: End, between: (open: Open, engine: RestartingEngine) => Promise<boolean>): EngineTarget {
  return {
    async open() {
      const clock = new ManualClock();
      const directory = await mkdtemp(join(tmpdir(), "sobre-restarts-"));
      const engine = await RestartingEngine.open({ directory, clock, end, between });
      return {
        engine,
        async advance(milliseconds) {
          await engine.restarted();
          await clock.advance(milliseconds);
          await engine.settled();
        },
        async close() {
          await engine.close().catch(() => {});
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  };
}
