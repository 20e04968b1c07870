import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../random.support.ts";
import { installPostgres } from "../servers/installed.support.ts";
import { load } from "./postgres/load.ts";
import type { Proof } from "./proof-run.ts";

const share = { messages: 4000 } as const;
const whole = { messages: 100_000 } as const;

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
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return said.join("; ");
};
