export type { PostgresClient, PostgresPool, PostgresPoolClient, PostgresResult } from "./driver.ts";
export { pgTransaction } from "./own-transaction.ts";
export { postgresEngine, type PostgresEngineOptions } from "./postgres-engine.ts";
