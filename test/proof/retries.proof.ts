import { seeded, type Random } from "../random.support.ts";
import type { Proof } from "./proof-run.ts";
import { loaded } from "./retries/load.ts";
import { runLives, type Shape, stepsOf } from "./retries/lives.ts";
import { killProcesses } from "./retries/processes.ts";

/** Where processors with retries are killed: copies on a plain queue, timers where duplicates are detected and in sessions. */
const shapes: readonly Shape[] = [
  { detectsDuplicates: false, prefetchCount: 0 },
  { detectsDuplicates: true, prefetchCount: 0 },
  { detectsDuplicates: false, prefetchCount: 5 },
  { detectsDuplicates: true, prefetchCount: 5 },
  { detectsDuplicates: false, prefetchCount: 0, sessions: "wait" },
  { detectsDuplicates: true, prefetchCount: 0, sessions: "hold" },
];

/**
 * Processors that retry are killed before and after every step of one message, and at random ones of many messages;
 * processes on the durable engine are killed at any time. No message is lost, and one that is handled twice has its
 * message id.
 */
export const prove: Proof = async ({ seed, full, verbose }) => {
  const random = seeded(seed);
  let kills = 0;
  let doubled = 0;
  let messages = 0;
  for (const shape of shapes) {
    const steps = await stepsOf(shape);
    for (let at = 0; at < steps; at++) {
      const run = await runLives(shape, [3], [at]);
      kills += run.kills;
      doubled += run.doubled;
      messages++;
    }
    if (verbose) console.log(`  ${steps} half steps of one message, each cut`);
  }
  const everyStep = kills;
  const wanted = everyStep + (full ? 1_000 : 300);
  for (let run = 0; kills < wanted; run++) {
    const failures = Array.from({ length: 12 }, () => random.integer(6));
    const shape = shapes[run % shapes.length] ?? random.pick(shapes);
    const done = await runLives(shape, failures, killsAt(random));
    kills += done.kills;
    doubled += done.doubled;
    messages += failures.length;
  }
  const real = await killProcesses(full ? 100 : 8, random);
  const load = [await loaded(false), await loaded(true)].join("; ");
  return `${messages} messages, of which ${doubled} were handled twice, in ${kills} kills (${everyStep} of them at every half step); ${real}; ${load}`;
};

/** After how many half steps each of the lives ends. */
function killsAt(random: Random): readonly number[] {
  return Array.from({ length: 8 }, () => random.integer(60));
}
