import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { startServer } from "../../src/serve/server/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { engineKinds, engineOfKind } from "./azure-scenario.support.ts";
import { officialClients, restartOf } from "./official-programs.support.ts";

it.concurrent.each(officialClients.flatMap((client) => engineKinds.map((kind) => [client, kind] as const)))(
  "the official client for %s goes on with its sender, receiver and session after the server with a %s engine has started again",
  async (client, kind) => {
    const directory = await storeDirectory();
    const entities = { queues: { q: {}, s: { requiresSession: true } } };
    let engine = await engineOfKind(kind, directory, entities);
    let server = await startServer({ engine });
    const { port } = server;
    const [program, args] = restartOf(client, server.connectionString);
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines: string[] = [];

    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line !== "ready") continue;
      await server.close();
      if (kind === "durable") {
        await engine.close();
        engine = await engineOfKind(kind, directory, entities);
      }
      server = await startServer({ engine, port });
      child.stdin.write("\n");
    }

    expect(lines).toEqual(["ready", "before after later", "state of the session"]);
    await server.close();
    await engine.close();
    await rm(directory, { recursive: true });
  },
  120_000,
);
