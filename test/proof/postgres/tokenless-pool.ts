import { Pool } from "pg";
import type { PostgresPool } from "../../../src/broker/postgres/driver.ts";

/** The condition of a completion that the token still holds the message. */
const condition = " and d.token = ($4::bigint[])[width_bucket(d.seq, $3::bigint[])] and d.locked_until > $5";

/** A pool for a mutant of the engine: its completions go by positions alone, whoever holds the message. */
export function tokenlessPool(connectionString: string): PostgresPool {
  const pool = new Pool({ connectionString, max: 4 });
  pool.on("error", () => {});
  const query = pool.query.bind(pool);
  Object.assign(pool, {
    query: (statement: { readonly text: string; readonly values: unknown[] }) =>
      statement.text.includes(condition)
        ? query({
            ...statement,
            text: statement.text.replace(condition, " and $4::bigint[] is not null and $5::bigint is not null"),
          })
        : query(statement),
  });
  return pool;
}
