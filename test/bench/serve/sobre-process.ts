import { pathToFileURL } from "node:url";
import type { Inspector } from "../../../src/serve/inspector/index.ts";

/**
 * Serves from the built package in the first folder given, in its own process; what it keeps lies in the second, if one is
 * named. With `inspector` after that, a second server in the same process has the inspector mounted: two processes of one
 * program differ by more than the few percent in question.
 */
const [, , built, directory = "", mounted] = process.argv;
const { startServer }: typeof import("../../../src/serve/server/index.ts") = await import(
  pathToFileURL(`${built}/src/serve/server/index.js`).href
);
const { durableEngine }: typeof import("../../../src/broker/durable/index.ts") = await import(
  pathToFileURL(`${built}/src/broker/durable/index.js`).href
);
const queues = { q: {}, compact: {}, s: { requiresSession: true } };
const server = await startServer(
  directory === "" ? { queues } : { engine: await durableEngine({ directory, queues }) },
);
const inspected = mounted === "inspector" ? await startServer({ queues, httpHandler: await inspector() }) : undefined;
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());
process.send?.({
  port: server.port,
  inspectedPort: inspected?.port,
  connectionString: server.connectionString,
});

/** Loaded only where it is mounted: the memory of the other one is measured without it. */
async function inspector(): Promise<Inspector> {
  const { createInspector }: typeof import("../../../src/serve/inspector/index.ts") = await import(
    pathToFileURL(`${built}/src/serve/inspector/index.js`).href
  );
  const { createSerializer }: typeof import("../../../src/core/codec/index.ts") = await import(
    pathToFileURL(`${built}/src/core/codec/index.js`).href
  );
  const { json }: typeof import("../../../codecs/json/index.ts") = await import(
    pathToFileURL(`${built}/codecs/json/index.js`).href
  );
  return createInspector({ serializer: createSerializer({ codecs: [json()] }) });
}
