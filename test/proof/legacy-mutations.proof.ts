import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { mutatedReaders } from "../codecs/legacy/mutated-readers.support.ts";
import type { MutationCounts } from "../codecs/legacy/mutation.support.ts";
import type { ProofRun } from "./proof-run.ts";

const counts = { share: 150_000, full: 1_000_000 };
/** Milliseconds that one input may take. */
const most = 50;
/** The part of them that a reader reads, and that it refuses, at least, or else the mutations prove nothing. */
const least = 0.01;

/**
 * A million mutated payloads, or a share of them, for each reader of legacy formats are read or refused with code and offset, none of them
 * slowly, and no prototype is touched.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const total = full ? counts.full : counts.share;
  const waiting = mutatedReaders.map((name, index) => ({ name, seed: seed + index }));
  const told: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const mutated = await mutate(next.name, next.seed, total);
      const refused = Object.values(mutated.refused).reduce((sum, count) => sum + count, 0);
      if (mutated.read < least * total || refused < least * total || mutated.read + refused !== total) {
        throw new Error(`${next.name}: ${mutated.read} were read and ${refused} refused of ${total}.`);
      }
      told.push(`${next.name} read ${mutated.read}, slowest ${mutated.slowestMilliseconds.toFixed(1)} ms`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(2, availableParallelism())) }, work));
  return `${total} mutated payloads each: ${told.join("; ")}; the others refused with code and offset`;
}

function mutate(name: string, seed: number, total: number): Promise<MutationCounts> {
  const worker = new Worker(new URL("../codecs/legacy/mutation-worker.support.ts", import.meta.url), {
    workerData: { name, total, seed, most },
  });
  return new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`The worker for ${name} ended with ${code}.`)));
  });
}
