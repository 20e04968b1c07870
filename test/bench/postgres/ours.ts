import type { Engine } from "../../../src/core/engine/engine.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { batch, callers, type Called, called, payload } from "./contender.ts";

const queue = "q";

/** Opens the engine on a schema of its own, with an empty queue. */
export async function openEngine(connectionString: string, schema: string): Promise<Engine> {
  const engine = await postgresEngine({ connectionString, schema, migrate: true });
  if (!(await engine.admin.queueExists(queue)))
    await engine.admin.createQueue(queue, { maxSizeInMegabytes: 1_000_000, lockDuration: 60_000 });
  return engine;
}

/** This package's engine in one process. */
export const ours = async (connectionString: string, schema = "ours"): Promise<Called> =>
  calling("sobre", await openEngine(connectionString, schema));

/** A client of a node of `sobre serve`. */
export const served = (connectionString: string): Promise<Called> =>
  calling("sobre serve", azureEngine({ connectionString }));

async function calling(name: string, engine: Engine): Promise<Called> {
  const sender = await engine.openSender(queue);
  const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
  return called({
    name,
    configuration: `${callers} senders, ${callers} receivers, each message settled by its own call, 10 connections, defaults otherwise`,
    send: (count) => sender.send(Array.from({ length: count }, () => createEnvelope({ payload }))),
    receive: async () => {
      // Another receiver may have taken the last messages: a longer wait would be measured.
      const deliveries = await receiver.receive({ maxMessages: batch, maxWaitTimeInMs: 10 });
      await Promise.all(
        deliveries.map(async ({ lockToken }) => {
          if (lockToken !== undefined) await engine.settle(queue, lockToken, { kind: "complete" });
        }),
      );
      return deliveries.length;
    },
    close: () => engine.close(),
  });
}
