import { startServer } from "../../../src/server/index.ts";

/** Serves one queue in a process of its own, and tells its processor time when asked. */
const server = await startServer({ queues: ["q"] });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: server.port });
