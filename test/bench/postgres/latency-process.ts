import type { ReceiveMode } from "../../../src/core/engine/delivery.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";

/** Receives one message after the other and prints when each arrived, in nanoseconds: `node latency-process.ts CONNECTION peekLock|receiveAndDelete`. */
const [connectionString = "", mode] = process.argv.slice(2);
const receiveMode: ReceiveMode = mode === "peekLock" ? mode : "receiveAndDelete";
const engine = await postgresEngine({ connectionString, schema: "latency" });
const receiver = await engine.openReceiver("q", { receiveMode });
console.log("ready");
for (;;) {
  const deliveries = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 3_600_000 });
  if (deliveries.length > 0) console.log(`${process.hrtime.bigint()}`);
  for (const { lockToken } of deliveries)
    if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "complete" });
}
