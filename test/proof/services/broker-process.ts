import { setTimeout as wait } from "node:timers/promises";
import { startServer } from "sobre/server";
import { type DurableEngineOptions, durableEngine } from "sobre/engines/durable";
import { postgresEngine } from "sobre/engines/postgres";
import type { Engine } from "sobre";
import { queues } from "../../../examples/shop/messages.ts";

/**
 * Serves the shop's queues until it is killed: `node broker-process.ts KIND PLACE PORT`, where the place of `durable` is
 * a directory, and that of `postgres` a connection string. It sends the connection string once it listens.
 */
const [kind = "memory", place = "", port = "0"] = process.argv.slice(2);

async function open(): Promise<Engine | undefined> {
  if (kind === "durable") return durableEngine({ directory: place, queues } satisfies DurableEngineOptions);
  if (kind !== "postgres") return undefined;
  const engine = await postgresEngine({ connectionString: place, migrate: true });
  const known = new Set(await engine.admin.listQueues());
  for (const [name, settings] of Object.entries(queues))
    if (!known.has(name)) await engine.admin.createQueue(name, settings);
  return engine;
}

/** The database may be away, and the port of a killed predecessor still in use. */
async function untilItStarts<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (port === "0") throw error;
      await wait(100);
    }
  }
}

const engine = await untilItStarts(open);
const server = await untilItStarts(() =>
  startServer({ port: Number(port), ...(engine === undefined ? { queues } : { engine }) }),
);
process.on("disconnect", () => process.exit());
process.send?.({ connectionString: server.connectionString, port: server.port });
