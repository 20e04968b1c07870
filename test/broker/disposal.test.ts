import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { lazyAzureEngine } from "../../src/broker/azure/lazy-engine.ts";
import { durableEngine } from "../../src/broker/durable/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { testEngine } from "../../src/client/testing/index.ts";
import { rejection } from "../refusal.support.ts";
import { storeDirectory } from "./durable/store-directory.support.ts";

describe("`await using` closes what it opened", () => {
  const connectionString = "Endpoint=sb://127.0.0.1:9;SharedAccessKeyName=k;SharedAccessKey=k";
  const engines: Readonly<Record<string, () => Engine | Promise<Engine>>> = {
    memory: () => memoryEngine({ queues: ["q"] }),
    durable: async () => durableEngine({ directory: await storeDirectory(), queues: ["q"] }),
    azure: () => azureEngine({ connectionString }),
    "azure, loaded on first use": () => lazyAzureEngine(async () => memoryEngine({ queues: ["q"] })),
    test: () => testEngine({ queues: ["q"] }).engine,
  };

  it.each(Object.keys(engines))("the %s engine, and a connection of it", async (name) => {
    const opened: Engine[] = [];
    {
      await using engine = await (engines[name] ?? engines["memory"])?.();
      if (engine === undefined) throw new Error("No engine.");
      await using connection = await engine.connect();
      opened.push(connection, engine);
    }

    for (const engine of opened) expect((await rejection(engine.openSender("q"))).code).toBe("Closed");
  });

  it("a server, whose clients then find nobody", async () => {
    const opened: Engine[] = [];
    {
      await using server = await startServer({ queues: ["q"] });
      const engine = azureEngine({ connectionString: server.connectionString });
      opened.push(engine);
      await engine.openSender("q");
    }
    const [engine] = opened;

    expect((await rejection(engine?.openSender("q") ?? Promise.resolve())).code).toBe("ServiceCommunicationProblem");
    await engine?.close();
  });
});
