import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { DatabaseClock } from "../../src/broker/postgres/database-clock.ts";
import { Database } from "../../src/broker/postgres/database.ts";
import { PostgresServer } from "./postgres-server.support.ts";

describe("the clock of a database", () => {
  it("measures the time of the server without the wait for a connection", async () => {
    await using server = await PostgresServer.create(18);
    const pool = new Pool({ connectionString: server.connectionString, max: 1 });
    const clock = new DatabaseClock(new Database({ pool, maxConnections: 1, statementTimeout: 30_000 }));
    const busy = await pool.connect();

    const measured = clock.refresh();
    await busy.query("select pg_sleep(2)");
    busy.release();
    await measured;
    const before = clock.now();
    const { rows } = await pool.query<{ readonly now: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
    );

    const after = clock.now();

    // With the wait, half of it would be the error.
    const now = rows[0]?.now ?? 0;
    expect(now).toBeGreaterThan(before - 500);
    expect(now).toBeLessThan(after + 500);
    pool.on("error", () => {});
    await pool.end();
  });
});
