import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventLoop } from "./durable/event-loop.ts";
import { hooksWithoutStore } from "./durable/hooks.ts";
import { millionMessages } from "./durable/million.ts";
import { throughput } from "./durable/throughput.ts";
import { besideRabbitmq } from "./durable/served.ts";
import type { Figure } from "./harness.ts";

/** The cost of a store, compared with SQLite alone, with the engine in memory, and with RabbitMQ where it is installed. */
export async function bench(): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "sobre-durable-bench-"));
  try {
    return [
      await hooksWithoutStore(),
      ...(await throughput(directory)),
      await eventLoop(directory),
      ...(await millionMessages(directory)),
      ...(await besideRabbitmq(directory)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
