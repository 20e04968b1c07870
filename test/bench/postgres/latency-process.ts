import { Pool } from "pg";
import { postgresEngine } from "../../../src/engines/postgres/postgres-engine.ts";

/** Receives one message after the other and prints when each arrived, in nanoseconds, and on SIGUSR2 how often it has asked the server. */
const [connectionString = ""] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10 });
let statements = 0;
pool.on("acquire", () => statements++);
process.on("SIGUSR2", () => console.log(`statements ${statements}`));
const engine = await postgresEngine({ pool, schema: "latency", listenConnectionString: connectionString });
const receiver = await engine.openReceiver("q", { receiveMode: "receiveAndDelete" });
console.log("ready");
for (;;) {
  const deliveries = await receiver.receive({ maxMessages: 1, maxWaitTime: 3_600_000 });
  if (deliveries.length > 0) console.log(`arrived ${process.hrtime.bigint()}`);
}
