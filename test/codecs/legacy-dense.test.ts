import { expect, it } from "vitest";
import { SobreError } from "../../src/errors/index.ts";
import { densePayloads } from "./legacy-dense.ts";
import { decodedBy } from "./legacy-reading.ts";

const mostMegabytes = 64;

/** Milliseconds of processor time, the least of five. */
function costOf(run: () => unknown): number {
  let milliseconds = Infinity;
  for (let turn = 0; turn < 5; turn++) {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    milliseconds = Math.min(milliseconds, (user + system) / 1000);
  }
  return milliseconds;
}

/**
 * What this machine, as busy as it is, takes for an object of as many different names as fit: the engine's own floor,
 * above which no reader of objects can be faster. Only that one payload comes near three times as much.
 */
const manyNames = JSON.stringify(Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`n${index}`, 0])));
const mostMilliseconds = Math.max(50, 3 * costOf(() => JSON.parse(manyNames)));

it.each(densePayloads)("$name, a mebibyte full of them, takes little time and memory", ({ decoder, bytes }) => {
  const payload = bytes();
  const outcome = (): unknown => {
    try {
      return decodedBy(decoder, payload).body;
    } catch (error) {
      return error;
    }
  };
  const growth: number[] = [];

  const first = outcome();
  const milliseconds = costOf(() => {
    const heap = process.memoryUsage().heapUsed;
    outcome();
    growth.push((process.memoryUsage().heapUsed - heap) / 2 ** 20);
  });

  expect(payload.length).toBeGreaterThan(2 ** 20 - 64);
  if (first instanceof Error) expect(first).toMatchObject({ code: "LimitExceeded", constructor: SobreError });
  expect(milliseconds).toBeLessThan(mostMilliseconds);
  // Collecting garbage in between hides what was taken, so the most of five counts.
  expect(Math.max(...growth)).toBeLessThan(mostMegabytes);
});
