import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { goPeer } from "./installed.support.ts";
import { hasPeer } from "./missing-peers.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";
import { loadOf } from "./official-programs.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.create(18);
});
afterAll(() => server[Symbol.asyncDispose]());

it("has all messages of the official JavaScript client received and completed, sent one by one and in batches", async () => {
  const { connectionString } = server;
  await using engine = await postgresEngine({ connectionString, schema: "load", migrate: true, queues: ["q"] });
  await using served = await startServer({ engine });

  await promisify(execFile)(...loadOf("JavaScript", served.connectionString, "q", 200));

  expect(await engine.admin.getQueueRuntimeProperties("q")).toMatchObject({ totalMessageCount: 0 });
});

if (hasPeer("go"))
  testOfficialClient({
    client: "the official Go client, azservicebus, on PostgreSQL",
    command: [goPeer],
    // The node that serves is not the one that has created the entities.
    async open(entities) {
      const { connectionString } = server;
      await using _ = await postgresEngine({ connectionString, migrate: true, ...entities });
      return postgresEngine({ connectionString });
    },
  });
