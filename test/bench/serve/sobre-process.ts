import { pathToFileURL } from "node:url";

/** Serves from the built package in the first folder given, in its own process; what it keeps lies in the second, if any. */
const [, , built, directory] = process.argv;
const { startServer }: typeof import("../../../src/server/index.ts") = await import(
  pathToFileURL(`${built}/src/server/index.js`).href
);
const { durableEngine }: typeof import("../../../src/engines/durable/index.ts") = await import(
  pathToFileURL(`${built}/src/engines/durable/index.js`).href
);
const queues = { q: {}, compact: {}, s: { requiresSession: true } };
const server = await startServer(
  directory === undefined ? { queues } : { engine: await durableEngine({ directory, queues }) },
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: server.port, connectionString: server.connectionString });
