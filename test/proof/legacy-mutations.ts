import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { mutatedReaders } from "../codecs/legacy-mutated-readers.ts";
import type { MutationCounts } from "../codecs/legacy-mutation.ts";

const total = 1_000_000;
/** Milliseconds that one input may take. */
const most = 50;
/** How many of them a reader reads and refuses at least, or else the mutations prove nothing. */
const least = 10_000;

/**
 * A million mutated payloads for each reader of legacy formats are read or refused with code and offset, none of them
 * slowly, and no prototype is touched.
 */
export async function prove(): Promise<string> {
  const waiting = mutatedReaders.map((name, index) => ({ name, seed: 20_261_121 + index }));
  const told: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const counts = await mutated(next.name, next.seed);
      const refused = Object.values(counts.refused).reduce((sum, count) => sum + count, 0);
      if (counts.read < least || refused < least || counts.read + refused !== total) {
        throw new Error(`${next.name}: ${counts.read} were read and ${refused} refused of ${total}.`);
      }
      told.push(`${next.name} read ${counts.read}, slowest ${counts.slowestMilliseconds.toFixed(1)} ms`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(2, availableParallelism())) }, work));
  return `${total} mutated payloads each: ${told.join("; ")}; the others refused with code and offset`;
}

function mutated(name: string, seed: number): Promise<MutationCounts> {
  const worker = new Worker(new URL("../codecs/legacy-mutation-worker.ts", import.meta.url), {
    workerData: { name, total, seed, most },
  });
  return new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`The worker for ${name} ended with ${code}.`)));
  });
}
