import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { messageKeep } from "../../broker/memory/bytes/message-keep.ts";

/** Bytes of the heap's young generation; V8 would let it grow to eight times that, which gains a broker nothing. */
const maxYoungGeneration = 16 * 2 ** 20;

/** Bytes of removed messages after which memory is returned, and bytes that may remain. */
const leastDrained = 32 * 2 ** 20;
const maxBytesLeft = 16 * 2 ** 20;

/**
 * Keeps the memory of a broker process small: V8 returns none while it is idle, e.g. after a queue was drained.
 *
 * @returns what ends it.
 */
export function keepMemorySmall(): () => void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < maxYoungGeneration) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
  const drained = new Drained();
  const watch = setInterval(() => {
    if (drained.tick(messageKeep.bytes)) collect();
  }, 1000);
  watch.unref();
  return () => {
    observer.disconnect();
    clearInterval(watch);
  };
}

/** Detects that most messages have left and that traffic has stopped. */
export class Drained {
  #most = 0;
  #last = 0;

  /** Called every second with the bytes of all stored messages. */
  tick(stored: number): boolean {
    const isQuiet = stored === this.#last;
    this.#last = stored;
    this.#most = Math.max(this.#most, stored);
    if (!isQuiet || stored > maxBytesLeft || this.#most - stored < leastDrained) return false;
    this.#most = stored;
    return true;
  }
}

/** Collects garbage, some ten milliseconds of work on a heap that is nearly empty. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc === "function") gc();
}
