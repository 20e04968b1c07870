import { pathToFileURL } from "node:url";

/** Serves from the built package in the folder given, in its own process, and reports its usage when asked. */
const { startServer }: typeof import("../../../src/server/index.ts") = await import(
  pathToFileURL(`${process.argv[2]}/src/server/index.js`).href
);
const server = await startServer({ queues: { q: {}, compact: {}, s: { requiresSession: true } } });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: server.port, connectionString: server.connectionString });
