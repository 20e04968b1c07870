import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded, type Random } from "../random.support.ts";
import { installPostgres } from "../external/installed.support.ts";
import { crashes } from "./postgres/crashes.ts";
import { load } from "./postgres/load.ts";
import { races } from "./postgres/races.ts";
import { retention } from "./postgres/retention.ts";
import type { Proof } from "./proof-run.ts";

const share = { messages: 1500, races: 4000, kills: 3, passing: 30_000 } as const;

const whole = { messages: 100_000, races: 100_000, kills: 50, passing: 10_000_000 } as const;

/** Messages in which a table that is never vacuumed must be found. */
const mutantPassing = 10_000;

/** Nothing that the PostgreSQL engine acknowledged is lost or done twice, whatever ends: connections, processes, the server. */
export const prove: Proof = async ({ seed, full, verbose }) => {
  await installPostgres();
  const counts = full ? whole : share;
  const random = seeded(seed);
  const scratch = await mkdtemp(join(tmpdir(), "sobre-postgres-proof-"));
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
    if (verbose) console.log(`  ${text}`);
  };
  try {
    say(await load(scratch, counts.messages, random));
    say(await races(counts.races, random));
    say(await tokensMatter(random));
    say(await crashes(counts.kills, random));
    say(await retention(counts.passing, mutantPassing));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return said.join("; ");
};

/** An engine whose completions go by positions alone does not pass the races. */
async function tokensMatter(random: Random): Promise<string> {
  try {
    await races(5000, random, "tokenless");
  } catch {
    return "an engine that ignores tokens was caught";
  }
  throw new Error("An engine that ignores tokens was not caught.");
}
