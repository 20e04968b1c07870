import { afterAll, beforeAll } from "vitest";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { goPeer } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.create(18);
});
afterAll(() => server[Symbol.asyncDispose]());

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
