import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";
import { compare, compareTakeovers, someOf, visitsOf } from "./rights/matrix.ts";
import { models, startWorld } from "./rights/worlds.ts";

/** Clients of each way in, alone and after another one, in a share and in full; there are 40,000 in all. */
const share = 8;
const fullShare = 150;

/** Pairs of clients that have links of one name, in a share and in full. */
const takeovers = 64;
const fullTakeovers = 960;

/**
 * Lets clients try every operation on every entity of three servers: with each credential, under each host name, over each
 * way in, alone and after another credential on the same connection. What was done, and in which namespace, is compared
 * with a model of rights.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const random = seeded(seed);
  let decisions = 0;
  let clients = 0;
  for (const [name, model] of Object.entries(models)) {
    const world = await startWorld(name, model, full ? 4000 : 400);
    try {
      const chosen = someOf(visitsOf(world), full ? fullShare : share, random);
      decisions += await compare(world, chosen);
      decisions += await compareTakeovers(world, full ? fullTakeovers : takeovers, random);
      clients += chosen.length;
    } finally {
      await world.server.close();
    }
  }
  if (decisions < 2000) throw new Error(`There were only ${decisions} decisions.`);
  return `${decisions} decisions on what ${clients} clients tried, on three servers: each as the model says`;
}
