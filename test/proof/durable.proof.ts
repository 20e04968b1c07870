import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../random.support.ts";
import { damage } from "./durable/damage.ts";
import { faults } from "./durable/faults.ts";
import { images } from "./durable/images.ts";
import { checkOrder } from "./durable/order.ts";
import { buildRecorder, record } from "./durable/record.ts";
import { restarts } from "./durable/restarts.ts";
import type { Proof } from "./proof-run.ts";

const shares = {
  acknowledgements: 2000,
  images: 300,
  sendsOfImages: 300,
  damages: 500,
  restarts: 0.15,
} as const;

const whole = {
  acknowledgements: 10_000,
  images: 1000,
  sendsOfImages: 300,
  damages: 10_000,
  restarts: 1,
} as const;

/** Restarts, losses of power, damaged files and failing disks lose nothing that the durable engine acknowledged. */
export const prove: Proof = async ({ seed, full, verbose }) => {
  const counts = full ? whole : shares;
  const random = seeded(seed);
  const scratch = await mkdtemp(join(tmpdir(), "sobre-durable-proof-"));
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
    if (verbose) console.log(`  ${text}`);
  };
  try {
    const recorder = buildRecorder(scratch);
    say(await restarts(counts.restarts, random));
    say(await order(scratch, recorder, counts.acknowledgements));
    const sends = await record({ directory: join(scratch, "power"), recorder }, counts.sendsOfImages);
    const { acknowledged } = await images(sends, scratch, counts.images, random);
    say(`${counts.images} losses of power kept ${acknowledged} acknowledged messages`);
    say(await faults(join(scratch, "faults"), recorder));
    say(await damage(join(scratch, "damage"), counts.damages, random));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return said.join("; ");
};

/** Every acknowledgement left after the sync that covers it; those of an engine that answers early did not. */
async function order(scratch: string, recorder: string, acknowledgements: number): Promise<string> {
  const { count, early } = checkOrder(await record({ directory: join(scratch, "order"), recorder }, acknowledgements));
  if (early !== undefined) throw new Error(`${early} was acknowledged before its commit was synced.`);
  if (count < acknowledgements * 0.99) throw new Error(`Only ${count} acknowledgements were recorded.`);
  const mutant = await record({ directory: join(scratch, "early"), recorder, mutant: "early" }, 500);
  if (checkOrder(mutant).early === undefined) throw new Error("An engine that answers before the sync was not caught.");
  return `${count} acknowledgements after their syncs, and an engine that answers early was caught`;
}
