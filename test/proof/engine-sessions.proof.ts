import type { Engine, EngineSessionReceiver } from "../../src/core/engine/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { Random } from "./engine/random.ts";
import { SimulatedClock } from "./engine/simulated-clock.ts";
import type { ProofRun } from "./proof-run.ts";

const total = { share: 3_000, full: 10_000 };
const perSession = 100;
const consumers = 64;
const lockDuration = 1000;

/** The counts of a checker of queues, in the words of Jepsen's total-queue. */
interface Tally {
  /** Accepted, and never completed. */
  lost: number;
  /** Completed twice. */
  duplicated: number;
  /** Completed on a later delivery, after its first consumer died. */
  recovered: number;
  /** Delivered, and never sent. */
  unexpected: number;
  deaths: number;
}

/** Where a session's consumers have got to, and who holds it. */
class Ledger {
  readonly tally: Tally = { lost: 0, duplicated: 0, recovered: 0, unexpected: 0, deaths: 0 };
  readonly #next = new Map<string, number>();
  readonly #holders = new Map<string, EngineSessionReceiver>();

  /** A holder that does not know yet that its time is over holds nothing. */
  take(holder: EngineSessionReceiver, now: number): void {
    const other = this.#holders.get(holder.sessionId);
    if (other !== undefined && other.sessionLockedUntilUtc().getTime() > now)
      throw new Error(`${holder.sessionId} has two holders.`);
    this.#holders.set(holder.sessionId, holder);
  }

  give(holder: EngineSessionReceiver): void {
    if (this.#holders.get(holder.sessionId) === holder) this.#holders.delete(holder.sessionId);
  }

  /** A consumer has completed a message; messages of a session are completed in order, each once. */
  complete(session: string, index: number, deliveryCount: number): void {
    const next = this.#next.get(session) ?? 0;
    if (index < next) this.tally.duplicated++;
    else if (index > next) throw new Error(`${session}: message ${index} came before ${next}.`);
    else this.#next.set(session, index + 1);
    if (deliveryCount > 0) this.tally.recovered++;
  }

  check(session: string, index: number): void {
    if (!(index >= 0 && index < perSession)) this.tally.unexpected++;
    const next = this.#next.get(session) ?? 0;
    if (index < next) throw new Error(`${session}: message ${index} was delivered after it was completed.`);
  }

  close(sessions: number): void {
    for (let session = 0; session < sessions; session++)
      this.tally.lost += perSession - (this.#next.get(`s${session}`) ?? 0);
  }
}

/** Many consumers, many sessions, deaths at random: order holds, and nobody shares a session. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  Error.stackTraceLimit = 0;
  const sessions = full ? total.full : total.share;
  const clock = new SimulatedClock();
  const engine = memoryEngine({
    clock,
    queues: { q: { requiresSession: true, lockDuration, maxDeliveryCount: 2 ** 31 - 1, maxSizeInMegabytes: 100_000 } },
  });
  const ledger = new Ledger();
  await fill(engine, sessions);
  const random = new Random(seed);
  await Promise.all(Array.from({ length: consumers }, () => consume(engine, clock, ledger, random)));
  ledger.close(sessions);
  const { lost, duplicated, recovered, unexpected, deaths } = ledger.tally;
  if (lost + duplicated + unexpected > 0 || deaths === 0 || recovered === 0)
    throw new Error(`lost ${lost}, duplicated ${duplicated}, unexpected ${unexpected}, deaths ${deaths}`);
  const messages = (sessions * perSession).toLocaleString("en");
  return `${messages} messages, ${deaths.toLocaleString("en")} deaths: 0 order breaks, 0 moments with two holders; lost 0, duplicated 0, recovered ${recovered.toLocaleString("en")}, unexpected 0`;
}

async function fill(engine: Engine, sessions: number): Promise<void> {
  const sender = await engine.openSender("q");
  const payload = new Uint8Array(0);
  for (let index = 0; index < perSession; index++) {
    const batch = Array.from({ length: sessions }, (_, session) =>
      createEnvelope({ payload, brokerProperties: { messageId: String(index), sessionId: `s${session}` } }),
    );
    await sender.send(batch);
  }
}

async function consume(engine: Engine, clock: SimulatedClock, ledger: Ledger, random: Random): Promise<void> {
  for (;;) {
    const session = await accept(engine);
    if (session === undefined) return;
    ledger.take(session, clock.time);
    const dies = await work(engine, session, ledger, random);
    if (!dies) {
      ledger.give(session);
      await session.close();
    } else {
      ledger.tally.deaths++;
      // Nobody notices a death but the clock.
      clock.time += lockDuration;
      clock.fire();
    }
  }
}

async function accept(engine: Engine): Promise<EngineSessionReceiver | undefined> {
  try {
    return await engine.acceptSession("q", { sessionId: undefined, receiveMode: "peekLock", maxWaitTimeInMs: 0 });
  } catch (error) {
    if (error instanceof SobreError && error.code === "ServiceTimeout") return undefined;
    throw error;
  }
}

/** Works on a session for a while; says whether the consumer died with unsettled messages in its hands. */
async function work(engine: Engine, session: EngineSessionReceiver, ledger: Ledger, random: Random): Promise<boolean> {
  for (let round = 0; round < 1 + random.below(20); round++) {
    try {
      const deliveries = await session.receive({ maxMessages: 1 + random.below(10), maxWaitTimeInMs: 0 });
      if (deliveries.length === 0) return false;
      if (random.chance(1)) return true;
      for (const { lockToken, envelope, deliveryCount } of deliveries) {
        const index = Number(envelope.brokerProperties.messageId);
        ledger.check(session.sessionId, index);
        if (lockToken === undefined) throw new Error("A delivery has no token.");
        await engine.settle("q", lockToken, { kind: "complete" });
        ledger.complete(session.sessionId, index, deliveryCount);
      }
    } catch (error) {
      // Another one's death has moved the clock beyond this lock too.
      if (error instanceof SobreError && error.code === "SessionLockLost") return false;
      throw error;
    }
  }
  return false;
}
