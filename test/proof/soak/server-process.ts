import { startServer } from "../../../src/serve/server/index.ts";

/**
 * Serves until its parent says `end`, which it asks `measure` in between: for the bytes of live memory, and the longest
 * turn of the event loop since the last time, in milliseconds of this thread's processor time.
 */

/** Milliseconds between two looks at the processor time; those of a turn that is longer are seen together. */
const interval = 5;

const server = await startServer({
  queues: {
    q: { lockDuration: 5000, maxDeliveryCount: 50 },
    s: { requiresSession: true, lockDuration: 5000, maxDeliveryCount: 50 },
    d: { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: 20_000 },
  },
  topics: { t: { subscriptions: ["all", "some"] } },
});

let before = process.threadCpuUsage();
let longest = 0;
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longest = Math.max(longest, (user + system) / 1000 - interval);
  before = process.threadCpuUsage();
}, interval);

process.on("message", (what) => {
  if (what === "end") process.exit();
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ live: heapUsed + external, longest });
  before = process.threadCpuUsage();
  longest = 0;
});
process.send?.({ connectionString: server.connectionString });
