import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/broker/conformance/index.ts";
import { postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/postgres-engine.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { PostgresServer, type PostgresVersion } from "./postgres-server.support.ts";

/** Runs every case of the engine suite on a version of the server. */
export function testSuiteOn(version: PostgresVersion): void {
  let server: PostgresServer;
  let pool: Pool;

  beforeAll(async () => {
    server = await PostgresServer.create(version);
    pool = new Pool({ connectionString: server.connectionString, max: 20 });
    // The pool is over before the last of its connections is, which then sees the server go.
    pool.on("error", () => {});
  });
  afterAll(async () => {
    await pool.end();
    await server[Symbol.asyncDispose]();
  });

  // Statements are prepared on one of the versions, and not on the other.
  testSuite(`on PostgreSQL ${version}`, () => ({ pool, preparedStatements: version === 18 }));
}

/** Runs every case of the engine suite, each in a schema of its own. */
export function testSuite(where: string, reached: () => PostgresEngineOptions): void {
  let schemas = 0;

  const target: EngineTarget = {
    async open() {
      const clock = new ManualClock();
      const schema = `case_${schemas++}`;
      const engine = await postgresEngine({ ...reached(), schema, migrate: true, clock, sweepInterval: 0 });
      return { engine, advance: (milliseconds) => clock.advance(milliseconds) };
    },
  };

  describe.concurrent(`the engine ${where} keeps every promise of the message model`, () => {
    for (const engineCase of engineSuite) {
      it(`${engineCase.name}: ${engineCase.promise}`, async () => {
        const result = await runEngineCase(engineCase, target);

        if (result.outcome === "failed") throw result.error;
        expect(result).toEqual({ name: engineCase.name, outcome: "passed" });
      });
    }
  });
}
