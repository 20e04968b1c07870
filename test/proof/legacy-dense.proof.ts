import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { densePayloads, type DensePayload } from "../codecs/legacy/dense.support.ts";
import { decodedBy } from "../codecs/legacy/reading.support.ts";
import { SobreError } from "../../src/core/errors/index.ts";

const size = 2 ** 20;
/** Milliseconds of processor time that a mebibyte may take, on a machine as fast as the one on which this was asked for. */
const mostMilliseconds = 50;
/**
 * On a slower one, so many times what `JSON.parse` takes for a mebibyte of small objects, in turns with the reader: readers
 * of one commit took 42 ms on the first machine and 75 ms on another, in step with it.
 */
const timesSmallObjects = 7;
/** MiB that the heap may grow by meanwhile. */
const mostMegabytes = 64;
/** A payload that takes the engine itself long may take so many times as long as `JSON.parse` takes for the same text. */
const timesTheEngine = 2;
/** At least, so that the least of them says something, and at most while it takes too long. */
const turns = [6, 40] as const;
/** Turns in which the growth of the heap counts: after them, collecting garbage in between hides what was taken. */
const turnsOfHeap = 3;
/** Rounds in which what took too much is tried again, each time in their own threads. */
const rounds = 6;

/** Payloads that the engine's own reader can take as well: an object of very many names, and very many objects of a name each. */
const engines: ReadonlySet<string> = new Set(["json different names", "json objects of a name each"]);

/**
 * A mebibyte that is as full of one thing as its format allows is read, or refused as beyond the limit of items, within
 * 50 ms of processor time outside the kernel (on a slower machine, more in proportion) and 64 MiB. The least of several turns counts: the first ones are compiled, some are stopped to
 * collect garbage, and other processes take turns as well. Trying again never lets pass what takes more, since one turn must
 * take less; so what takes more here is tried again behind all others, when a busy machine may be free again, and in threads of
 * its own, since what a compiler makes of a function differs from one to the next, and stays.
 */
export async function prove(): Promise<string> {
  const costs = new Map(densePayloads.map((dense) => [dense.name, costOf(dense)]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, cost] of costs) if (isTooMuch(cost)) costs.set(name, await costInThread(name));
  }
  const slow: string[] = [];
  const beside: string[] = [];
  let slowest = { name: "", milliseconds: 0 };
  let largest = { name: "", megabytes: 0 };
  for (const [name, cost] of costs) {
    const { milliseconds, megabytes, floor } = cost;
    const besides = `${cost.smallObjects.toFixed(1)} ms of small objects`;
    if (isTooMuch(cost))
      slow.push(`${name} ${milliseconds.toFixed(1)} ms beside ${besides}, ${megabytes.toFixed(0)} MiB`);
    if (floor > 0) beside.push(`${name} ${milliseconds.toFixed(1)} ms beside ${floor.toFixed(1)} of JSON.parse`);
    else if (milliseconds > slowest.milliseconds) slowest = { name, milliseconds };
    if (megabytes > largest.megabytes) largest = { name, megabytes };
  }
  if (slow.length > 0) throw new Error(`These take too much: ${slow.join("; ")}.`);
  const most = `slowest ${slowest.name}, ${slowest.milliseconds.toFixed(1)} ms`;
  const memory = `most memory ${largest.name}, ${largest.megabytes.toFixed(0)} MiB`;
  return `${densePayloads.length} dense mebibytes; ${most}; ${memory}; ${beside.join("; ")}`;
}

const isTooMuch = (cost: Cost): boolean => isSlow(cost) || cost.megabytes > mostMegabytes;

function isSlow({ milliseconds, floor, smallObjects }: Omit<Cost, "megabytes">): boolean {
  return milliseconds > Math.max(mostMilliseconds, timesTheEngine * floor, timesSmallObjects * smallObjects);
}

async function costInThread(name: string): Promise<Cost> {
  const worker = new Worker(new URL(import.meta.url), { workerData: name });
  // An error of the thread is thrown here.
  const [cost]: Cost[] = await once(worker, "message");
  await worker.terminate();
  if (cost === undefined) throw new Error(`${name} was not measured.`);
  return cost;
}

interface Cost {
  readonly milliseconds: number;
  readonly megabytes: number;
  /** Milliseconds that `JSON.parse` takes, in turns with the reader; 0 where the engine has no part. */
  readonly floor: number;
  /** Milliseconds that it takes for small objects. */
  readonly smallObjects: number;
}

/** A mebibyte of small objects. */
const smallObjectsText = JSON.stringify(Array.from({ length: 1 + (size >> 3) }, (_, index) => ({ a: index % 10 })))
  .slice(0, size - 1)
  .replace(/,[^,]*$/, "]");

function costOf({ name, decoder, bytes, refused }: DensePayload): Cost {
  const payload = bytes(size);
  if (payload.length < size - 64) throw new Error(`${name} is no mebibyte.`);
  const text = engines.has(name) ? Buffer.from(payload).toString("latin1") : undefined;
  let milliseconds = Infinity;
  let floor = text === undefined ? 0 : Infinity;
  let smallObjects = Infinity;
  let megabytes = 0;
  const [least, last] = turns;
  for (let turn = 0; turn < least || (turn < last && isSlow({ milliseconds, floor, smallObjects })); turn++) {
    const heap = process.memoryUsage().heapUsed;
    milliseconds = Math.min(
      milliseconds,
      timeOf(() => {
        if (isRefused(decoder, payload) !== refused)
          throw new Error(`${name} should ${refused ? "" : "not "}be refused.`);
      }),
    );
    if (turn < turnsOfHeap) megabytes = Math.max(megabytes, (process.memoryUsage().heapUsed - heap) / 2 ** 20);
    smallObjects = Math.min(
      smallObjects,
      timeOf(() => JSON.parse(smallObjectsText)),
    );
    if (text !== undefined)
      floor = Math.min(
        floor,
        timeOf(() => JSON.parse(text)),
      );
  }
  return { milliseconds, megabytes, floor, smallObjects };
}

function isRefused(decoder: DensePayload["decoder"], payload: Uint8Array): boolean {
  try {
    decodedBy(decoder, payload);
    return false;
  } catch (error) {
    if (error instanceof SobreError && error.code === "LimitExceeded") return true;
    throw error;
  }
}

/** Some systems count the time of a thread in ticks of this many milliseconds. */
const tick = 4;

/**
 * Milliseconds of the clock or, where other processes took some of those, of this thread; without those of the kernel. What
 * it takes to hand out a page of memory differs by ten times between machines, and the memory has a bound of its own.
 */
function timeOf(run: () => unknown): number {
  const start = performance.now();
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return Math.min(performance.now() - start - system / 1000, user / 1000 + tick);
}

if (!isMainThread) {
  const dense = densePayloads.find(({ name }) => name === workerData);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origins
  if (dense !== undefined) parentPort?.postMessage(costOf(dense));
}
