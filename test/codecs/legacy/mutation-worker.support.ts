import { parentPort, workerData } from "node:worker_threads";
import { decodeMutated } from "./mutation.support.ts";
import { mutatedReader } from "./mutated-readers.support.ts";

const { name, total, seed, most }: { name: string; total: number; seed: number; most: number } = workerData;
// Nearly every payload is refused, and nobody reads where.
Error.stackTraceLimit = 0;
const { decoder, seeds } = mutatedReader(name);

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origins
parentPort?.postMessage(decodeMutated(decoder, seeds, { total, seed, most }));
