import type { OpenedEngine } from "../../../src/broker/conformance/index.ts";
import { type AzureEngineSettings, azureEngine } from "../../../src/broker/azure/index.ts";
import { type Server, type ServerOptions, startServer } from "../../../src/serve/server/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

/** Not a queue: its refusal shows how far the server has got. */
const barrier = "barrier";

/** An engine over AMQP, connected to a server of this process on the same virtual time. */
export interface Served extends OpenedEngine {
  readonly server: Server;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

export async function serveAzure(
  options: ServerOptions = {},
  engineOptions: AzureEngineSettings = {},
): Promise<Served> {
  const clock = new ManualClock();
  const server = await startServer({ clock, ...options });
  const { connectionString } = server;
  const engine = azureEngine({ connectionString, clock, ...engineOptions });
  return {
    server,
    clock,
    engine,
    async advance(milliseconds) {
      await settled(engine);
      await clock.advance(milliseconds);
      await settled(engine);
    },
    async close() {
      await engine.close();
      await server.close();
    },
  };
}

/** Everything that was on its way has arrived: what follows it on the connection was answered, a few times over. */
async function settled(engine: OpenedEngine["engine"]): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await engine.peek(barrier, { maxMessages: 1 }).catch(() => undefined);
}
