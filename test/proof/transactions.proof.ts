import { seeded, type Random } from "../random.support.ts";
import type { Proof } from "./proof-run.ts";
import { checkRound, type Tally } from "./transactions/ledger.ts";
import { Peer } from "./transactions/peer.ts";
import type { TransactionRecord } from "./transactions/record.ts";
import { clear, durable, feed, lateMemory, postgres, postgresVersion, type Subject } from "./transactions/setup.ts";
import { Work } from "./transactions/work.ts";

const share = { memory: 800, durable: 400, postgres: 400 } as const;
const whole = { memory: 40_000, durable: 30_000, postgres: 30_000 } as const;

/** Transactions of a round, after which everything is checked, and the connections among which they are divided. */
const perRound = 400;
const peers = 8;

/** Milliseconds after which a round without an end has hung. */
const longestRound = 120_000;

/**
 * Clients write messages, outcomes of ranges, requests and discharges of many transactions without a pause, over
 * several sessions and links; some of the work fails, and some connections are cut. Each transaction happens as a whole
 * or not at all, as its answer says.
 */
export const prove: Proof = async ({ seed, full, verbose }) => {
  const counts = full ? whole : share;
  const random = seeded(seed);
  const said: string[] = [];
  const version = await postgresVersion();
  if (version === undefined && full) throw new Error("PostgreSQL is not installed, and cannot be.");
  const subjects: (readonly [() => Promise<Subject>, number])[] = [
    [() => lateMemory(random), counts.memory],
    [durable, counts.durable],
  ];
  if (version === undefined) said.push("left out: PostgreSQL, which cannot be installed");
  else subjects.push([() => postgres(version), counts.postgres]);
  for (const [open, count] of subjects) {
    const subject = await open();
    try {
      said.push(`${subject.name}: ${await hold(subject, count, random)}`);
      if (verbose) console.log(`  ${said.at(-1)}`);
    } finally {
      await subject.close();
    }
  }
  return `each transaction a whole or nothing; ${said.join("; ")}`;
};

async function hold(subject: Subject, count: number, random: Random): Promise<string> {
  const total: Tally = { committed: 0, rolledBack: 0, rejected: 0, refused: 0, inDoubt: 0, work: 0 };
  let faults = 0;
  let done = 0;
  for (let round = 0; done < count; round++) {
    const records: TransactionRecord[] = [];
    const delivered = new Set<string>();
    const fed = Array.from({ length: perRound * 4 }, (_, index) => `fed ${round}.${index}`);
    await feed(subject.engine, fed);
    for (; faults * 40 < done; faults++) subject.fault();
    await inTime(
      Promise.all(
        Array.from({ length: peers }, (_, index) => live(subject, `${round}.${index}`, random, { records, delivered })),
      ),
    );
    const tally = await checkRound(subject.engine, records, { fed, delivered });
    for (const name of ["committed", "rolledBack", "rejected", "refused", "inDoubt", "work"] as const)
      total[name] += tally[name];
    done += records.length;
    await clear(subject.engine);
  }
  if (total.committed * 3 < count) throw new Error(`Only ${total.committed} of ${count} transactions were committed.`);
  if (total.refused > faults) throw new Error(`${total.refused} transactions were rejected after ${faults} faults.`);
  const { committed, rolledBack, rejected, inDoubt, work } = total;
  return `${done} transactions, ${committed} committed, ${rolledBack} rolled back, ${rejected} rejected, ${inDoubt} cut off, with ${work} messages and outcomes`;
}

/** The life of a client, which ends with an orderly close or a cut. */
async function live(
  { served }: Subject,
  name: string,
  random: Random,
  { records, delivered }: { readonly records: TransactionRecord[]; readonly delivered: Set<string> },
): Promise<void> {
  const peer = new Peer(served, name, random, delivered);
  await peer.open();
  const work = new Work(peer, random, records);
  const doomed = random.chance(0.15);
  if (doomed) setTimeout(() => peer.cut(), random.integer(500));
  await work.run(perRound / peers);
  if (!peer.isCut && !doomed) await peer.close();
  else if (!peer.isCut) peer.cut();
}

async function inTime(round: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("Transactions of a round got no answer.")), longestRound);
  await Promise.race([round, late.promise]).finally(() => clearTimeout(timer));
}
