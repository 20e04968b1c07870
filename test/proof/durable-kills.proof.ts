import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../random.support.ts";
import { kills, poison } from "./durable/kills.ts";
import type { Proof } from "./proof-run.ts";

/** Killed at random moments under load, a durable engine keeps what it acknowledged; runs of other seeds add up. */
export const prove: Proof = async ({ seed, full }) => {
  const scratch = await mkdtemp(join(tmpdir(), "sobre-durable-kills-"));
  try {
    const dead = await poison(join(scratch, "poison"), 3);
    return `${await kills(join(scratch, "kills"), full ? 1000 : 40, seeded(seed))}; ${dead}`;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
