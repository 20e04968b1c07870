// An inbox on SQLite: what a message changes is written in one transaction with its id, so that it happens once.
import { DatabaseSync } from "node:sqlite";

export interface Inbox {
  /** Runs the work unless the message was handled before, in one transaction with its id; returns whether it ran. */
  once(messageId: string, work: (database: DatabaseSync) => void): boolean;
  close(): void;
}

export function openInbox(file: string, tables: string): Inbox {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(`CREATE TABLE IF NOT EXISTS inbox (message_id TEXT PRIMARY KEY) STRICT; ${tables}`);
  const remember = database.prepare("INSERT OR IGNORE INTO inbox (message_id) VALUES (?)");
  return {
    once(messageId, work) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const isNew = remember.run(messageId).changes === 1;
        if (isNew) work(database);
        database.exec("COMMIT");
        return isNew;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => database.close(),
  };
}
