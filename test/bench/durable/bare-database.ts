import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

/** A table of bodies in SQLite, with nothing around it: what the durable engine is compared with. */
export class BareDatabase {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #body = new Uint8Array(1024).fill(7);
  #last = 0;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, "bare.sqlite"));
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec("CREATE TABLE message (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, body BLOB NOT NULL)");
    this.#insert = this.#database.prepare("INSERT INTO message VALUES (?, 0, ?)");
    this.#update = this.#database.prepare("UPDATE message SET state = 1 WHERE id = ?");
    this.#remove = this.#database.prepare("DELETE FROM message WHERE id = ?");
  }

  /** Inserts rows in one commit; gives the first one's id. */
  insert(count: number): number {
    const first = this.#last + 1;
    this.#last += count;
    this.#commit(first, count, (id) => this.#insert.run(id, this.#body));
    return first;
  }

  update(first: number, count: number): void {
    this.#commit(first, count, (id) => this.#update.run(id));
  }

  remove(first: number, count: number): void {
    this.#commit(first, count, (id) => this.#remove.run(id));
  }

  close(): void {
    this.#database.close();
  }

  #commit(first: number, count: number, write: (id: number) => unknown): void {
    this.#database.exec("BEGIN IMMEDIATE");
    for (let id = first; id < first + count; id++) write(id);
    this.#database.exec("COMMIT");
  }
}

/** Reads every row of every message of a store in a directory, and nothing else; gives how many there are. */
export function scan(directory: string): number {
  const database = new DatabaseSync(join(directory, "store.sqlite"), { readOnly: true });
  const rows = database.prepare("SELECT * FROM message");
  rows.setReturnArrays(true);
  let count = 0;
  for (const _row of rows.iterate()) count++;
  database.close();
  return count;
}
