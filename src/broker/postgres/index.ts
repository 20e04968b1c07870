export type { PostgresClient, PostgresPool, PostgresPoolClient, PostgresResult } from "./driver.ts";
export { migratePostgres, type MigratePostgresOptions, type PostgresMigration } from "./migrate-postgres.ts";
export { postgresTransaction } from "./own-transaction.ts";
export { postgresEngine, type PostgresEngineOptions } from "./postgres-engine.ts";
export { type PostgresHealth, postgresServing, type PostgresServing } from "./serving.ts";
