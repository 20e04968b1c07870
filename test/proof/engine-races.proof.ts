import type { Delivery, Engine } from "../../src/core/engine/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { Random } from "./engine/random.ts";
import { SimulatedClock } from "./engine/simulated-clock.ts";
import type { ProofRun } from "./proof-run.ts";

const total = { share: 250_000, full: 1_000_000 };
const lockDuration = 1000;
const message = createEnvelope({ payload: new Uint8Array(0), brokerProperties: { messageId: "m" } });

/** The ways in which a contestant may use the lock it has, or had. */
const deeds = ["complete", "abandon", "renew"] as const;

/**
 * Races of expiry, completion, renewal and abandonment on one message: in each, old and new holders act at once,
 * around the very end of the lock. Only the token of the newest delivery may win, and only once.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  Error.stackTraceLimit = 0;
  const races = full ? total.full : total.share;
  const random = new Random(seed);
  const clock = new SimulatedClock();
  const engine = memoryEngine({ clock, queues: { q: { lockDuration, maxDeliveryCount: 2 ** 31 - 1 } } });
  const sender = await engine.openSender("q");
  const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
  let stale: Delivery[] = [];
  let [won, lost] = [0, 0];
  await sender.send([message]);
  for (let race = 0; race < races; race++) {
    const [live] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (live === undefined) throw new Error(`Race ${race}: the message is lost.`);
    // A third of the races ends just before the lock does, a third just then, a third after.
    clock.time += lockDuration - 1 + random.below(3);
    if (random.chance(50)) clock.fire();
    const expired = clock.time >= (live.lockedUntilUtc?.getTime() ?? 0);
    const contestants = [live, live, ...stale];
    const outcomes = await Promise.all(contestants.map(async (delivery) => act(engine, delivery, random)));
    const winners = outcomes.filter((outcome, index) => outcome.won && index >= 2).length;
    if (winners > 0) throw new Error(`Race ${race}: a stale token won.`);
    if (expired && outcomes.some((outcome) => outcome.won)) throw new Error(`Race ${race}: an expired token won.`);
    const settled = outcomes.filter((outcome) => outcome.won && outcome.deed !== "renew").length;
    if (settled > 1) throw new Error(`Race ${race}: a message was settled ${settled} times.`);
    if (!expired && !outcomes[0]?.won) throw new Error(`Race ${race}: the live token lost.`);
    won += outcomes.filter((outcome) => outcome.won).length;
    lost += outcomes.filter((outcome) => !outcome.won).length;
    stale = [live, ...stale].slice(0, 3);
    // The next race begins with the message unlocked: redelivered, or sent again.
    if (outcomes.some((outcome) => outcome.won && outcome.deed === "complete")) await sender.send([message]);
    else if (!expired && settled === 0) clock.time += 2 * lockDuration;
  }
  return `${races.toLocaleString("en")} races, ${won.toLocaleString("en")} won by the live token, ${lost.toLocaleString("en")} refused, 0 won by a stale one`;
}

async function act(
  engine: Engine,
  { lockToken }: Delivery,
  random: Random,
): Promise<{ readonly deed: (typeof deeds)[number]; readonly won: boolean }> {
  const deed = random.pick(deeds) ?? "complete";
  if (lockToken === undefined) throw new Error("A delivery has no token.");
  try {
    await (deed === "renew" ? engine.renew("q", lockToken) : engine.settle("q", lockToken, { kind: deed }));
    return { deed, won: true };
  } catch (error) {
    if (error instanceof SobreError && error.code === "MessageLockLost") return { deed, won: false };
    throw error;
  }
}
