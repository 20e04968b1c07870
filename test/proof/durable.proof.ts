import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../random.support.ts";
import { damage } from "./durable/damage.ts";
import { faults } from "./durable/faults.ts";
import { images } from "./durable/images.ts";
import { order } from "./durable/order.ts";
import { shortLog } from "./durable/order-faults.ts";
import { buildRecorder, record } from "./durable/record.ts";
import { restarts } from "./durable/restarts.ts";
import type { Proof } from "./proof-run.ts";

const shares = {
  order: { due: 800, mutant: 1500 },
  images: 300,
  callsOfImages: 600,
  damages: 500,
  restarts: 0.15,
} as const;

const whole = {
  order: { due: 4000, mutant: 2000 },
  images: 1000,
  callsOfImages: 1500,
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
    say(await order(scratch, { recorder, seed }, counts.order));
    const power = { directory: join(scratch, "power"), recorder, seed, callers: 4, faults: shortLog };
    const calls = await record({ ...power, acknowledgements: counts.callsOfImages });
    const { checked } = await images(calls, counts.images, random);
    say(`${counts.images} losses of power kept ${checked} acknowledged facts`);
    say(await faults(join(scratch, "faults"), recorder));
    say(await damage(join(scratch, "damage"), counts.damages, random));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return said.join("; ");
};
