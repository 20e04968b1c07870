import { expect, it } from "vitest";
import { SobreError } from "../../src/errors/index.ts";
import { densePayloads } from "./legacy-dense.ts";
import { decodedBy } from "./legacy-reading.ts";

/** Machines are slower and busier than others: reading takes a third of this on one of its own. */
const mostMilliseconds = 150;
const mostMegabytes = 64;

it.each(densePayloads)("$name, a mebibyte full of them, takes little time and memory", ({ decoder, bytes }) => {
  const payload = bytes();
  const outcome = (): unknown => {
    try {
      return decodedBy(decoder, payload).body;
    } catch (error) {
      return error;
    }
  };
  let milliseconds = Infinity;
  const growth: number[] = [];

  const first = outcome();
  for (let turn = 0; turn < 5; turn++) {
    const heap = process.memoryUsage().heapUsed;
    const start = process.threadCpuUsage();
    outcome();
    const { user, system } = process.threadCpuUsage(start);
    milliseconds = Math.min(milliseconds, (user + system) / 1000);
    growth.push((process.memoryUsage().heapUsed - heap) / 2 ** 20);
  }

  expect(payload.length).toBeGreaterThan(2 ** 20 - 64);
  if (first instanceof Error) expect(first).toMatchObject({ code: "LimitExceeded", constructor: SobreError });
  expect(milliseconds).toBeLessThan(mostMilliseconds);
  // Collecting garbage in between hides what was taken, so the most of five counts.
  expect(Math.max(...growth)).toBeLessThan(mostMegabytes);
});
