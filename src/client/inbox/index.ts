export type {
  MemoryOutbox,
  MemoryOutboxOptions,
  MemoryTransaction,
  OutboxMessage,
  OutboxStore,
  OutgoingMessage,
} from "./outbox-store.ts";
export { memoryOutbox } from "./outbox-store.ts";
export { type Outbox, type OutboxOptions, startOutbox } from "./outbox.ts";
export { inboxSuite } from "./inbox-suite.ts";
export { outboxSuite } from "./outbox-suite.ts";
export { postgresInbox, type PostgresInboxOptions } from "./postgres-inbox.ts";
export { postgresOutbox } from "./postgres-outbox.ts";
export type { PostgresStoreOptions } from "./postgres-schema.ts";
export type { SqliteDatabase, SqliteOptions } from "./sqlite-file.ts";
export { type ClosableInbox, sqliteInbox, type SqliteInboxOptions } from "./sqlite-inbox.ts";
export { type ClosableOutbox, sqliteOutbox } from "./sqlite-outbox.ts";
export type { OpenedStore, StoreCase } from "./store-case.ts";
