import type { Delivery } from "../../../src/core/engine/delivery.ts";
import type { Engine, EngineReceiver, EngineSender } from "../../../src/core/engine/engine.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import type { Random } from "../../random.support.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { tokenlessPool } from "./tokenless-pool.ts";

/** Messages that race at the same time. */
const atOnce = 250;

const lockDuration = 1000;

/** A node with a clock of its own: it may believe that its locks hold when another believes that they have run out. */
interface Node {
  readonly clock: ManualClock;
  readonly engine: Engine;
  readonly receiver: EngineReceiver;
}

/**
 * Two nodes settle the same messages at the same time: one with tokens that have expired, or expire at that moment for
 * the other, and one with new tokens. Of each message only one settlement takes effect.
 */
export async function races(count: number, random: Random, mutant?: "tokenless"): Promise<string> {
  await using server = await PostgresServer.create(18);
  const { connectionString } = server;
  const nodes: Node[] = [];
  for (let node = 0; node < 2; node++) {
    const clock = new ManualClock();
    const connection =
      mutant !== undefined && node === 0
        ? { pool: tokenlessPool(connectionString), listenConnectionString: connectionString }
        : { connectionString };
    const engine = await postgresEngine({ ...connection, schema: "races", migrate: true, clock });
    if (node === 0) await engine.admin.createQueue("q", { lockDuration, maxDeliveryCount: 2000 });
    nodes.push({ clock, engine, receiver: await engine.openReceiver("q", { receiveMode: "peekLock" }) });
  }
  const [one, two] = nodes;
  if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
  const sender = await one.engine.openSender("q");
  let old = 0;
  let fresh = 0;
  try {
    for (let done = 0; done < count; done += atOnce) {
      const winners = random.chance(0.5)
        ? await afterTheClaim({ one, two, sender }, random)
        : await duringTheClaim({ one, two, sender });
      old += winners.old;
      fresh += winners.fresh;
      const left = await one.engine.peek("q", { maxMessages: 1 });
      if (left.length > 0) throw new Error("A message is left that one of two holders has settled.");
    }
  } finally {
    await Promise.all(nodes.map(({ engine }) => engine.close()));
  }
  return `${old + fresh} settlement races, ${old} won by the first holder and ${fresh} by the second`;
}

interface Field {
  readonly one: Node;
  readonly two: Node;
  readonly sender: EngineSender;
}

interface Winners {
  readonly old: number;
  readonly fresh: number;
}

async function sendAndReceive({ one, sender }: Field): Promise<readonly Delivery[]> {
  await sender.send(Array.from({ length: atOnce }, () => createEnvelope({ payload: Uint8Array.of(1) })));
  return receive(one, atOnce);
}

/** Receives as many messages as are there, at most as many as are due. */
async function receive({ receiver }: Node, due: number): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  for (;;) {
    const taken = await receiver.receive({ maxMessages: due, maxWaitTimeInMs: 0 });
    if (taken.length === 0) return all;
    all.push(...taken);
  }
}

/** The second holder has its new tokens before both settle; only those hold anything. */
async function afterTheClaim(field: Field, random: Random): Promise<Winners> {
  const { one, two } = field;
  const old = await sendAndReceive(field);
  await advance(field);
  const fresh = await receive(two, atOnce);
  if (fresh.length !== atOnce)
    throw new Error(`${fresh.length} of ${atOnce} messages came back after their locks ran out.`);
  const [first, second] = random.chance(0.5)
    ? await Promise.all([settle(one, old), settle(two, fresh)])
    : (await Promise.all([settle(two, fresh), settle(one, old)])).toReversed();
  if (first === undefined || first.size > 0)
    throw new Error(`${first?.size} settlements with expired tokens took effect.`);
  if (second?.size !== atOnce) throw new Error(`${second?.size} of ${atOnce} settlements with new tokens took effect.`);
  return { old: 0, fresh: atOnce };
}

/** The first holder settles while the second takes the messages over, as its clock is ahead. */
async function duringTheClaim(field: Field): Promise<Winners> {
  const { one, two } = field;
  const old = await sendAndReceive(field);
  await two.clock.advance(lockDuration);
  const [first, taken] = await Promise.all([settle(one, old), receive(two, 50)]);
  const late = await receive(two, atOnce);
  const fresh = [...taken, ...late];
  for (const { sequenceNumber } of fresh)
    if (first.has(sequenceNumber)) throw new Error(`#${sequenceNumber} was delivered again after its settlement.`);
  const second = await settle(two, fresh);
  await one.clock.advance(lockDuration);
  if (first.size + second.size !== atOnce)
    throw new Error(`${first.size} and ${second.size} of ${atOnce} messages were settled.`);
  return { old: first.size, fresh: second.size };
}

async function advance({ one, two }: Field): Promise<void> {
  await one.clock.advance(lockDuration);
  await two.clock.advance(lockDuration);
}

/** Settles every delivery, all at the same time; returns the numbers of those whose token held. */
async function settle({ engine }: Node, deliveries: readonly Delivery[]): Promise<ReadonlySet<bigint>> {
  const held = new Set<bigint>();
  await Promise.all(
    deliveries.map(async ({ lockToken, sequenceNumber }) => {
      if (lockToken === undefined) throw new Error("A delivery under peek-lock has no token.");
      try {
        await engine.settle("q", lockToken, { kind: "complete" });
        held.add(sequenceNumber);
      } catch (error) {
        if (!(error instanceof SobreError) || error.code !== "MessageLockLost") throw error;
      }
    }),
  );
  return held;
}
