import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RowSink } from "./row-bytes.ts";
import { guardStatus, messageCheck, valuesCheck } from "./row-check.ts";

/** Applies the rows of a batch to the tables, each with its check. */
export class RowWriter implements RowSink {
  readonly #entity: StatementSync;
  readonly #deletions: readonly StatementSync[];
  readonly #counter: StatementSync;
  readonly #rule: StatementSync;
  readonly #ruleDeleted: StatementSync;
  readonly #message: StatementSync;
  readonly #amended: StatementSync;
  readonly #status: StatementSync;
  readonly #removed: StatementSync;
  readonly #statusRemoved: StatementSync;
  readonly #session: StatementSync;
  readonly #sessionCleared: StatementSync;
  readonly #seen: StatementSync;
  readonly #forgotten: StatementSync;
  /** The number of the commit under way. */
  commit = 0;
  #changes = 0;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.#entity = prepare("REPLACE INTO entity VALUES (?, ?, ?)");
    this.#deletions = [
      prepare("DELETE FROM status WHERE record IN (SELECT record FROM message WHERE entity = ?)"),
      ...["entity", "rule", "counter", "session", "seen", "message"].map((table) =>
        prepare(`DELETE FROM ${table} WHERE entity = ?`),
      ),
    ];
    this.#counter = prepare("REPLACE INTO counter VALUES (?, ?, ?, ?)");
    this.#rule = prepare("REPLACE INTO rule VALUES (?, ?, ?, ?)");
    this.#ruleDeleted = prepare("DELETE FROM rule WHERE entity = ? AND name = ?");
    this.#message = prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)");
    this.#amended = prepare("UPDATE message SET checksum = ?, value = ?, written = ? WHERE record = ?");
    this.#status = prepare("REPLACE INTO status VALUES (?, ?)");
    this.#removed = prepare("DELETE FROM message WHERE record = ?");
    this.#statusRemoved = prepare("DELETE FROM status WHERE record = ?");
    this.#session = prepare("REPLACE INTO session VALUES (?, ?, ?, ?, ?)");
    this.#sessionCleared = prepare("DELETE FROM session WHERE entity = ? AND session = ?");
    this.#seen = prepare("INSERT INTO seen (entity, key, at, checksum) VALUES (?, ?, ?, ?)");
    this.#forgotten = prepare("DELETE FROM seen WHERE entity = ? AND at <= ?");
  }

  /** How many rows of messages were changed or removed since the last call. */
  takeChanges(): number {
    const changes = this.#changes;
    this.#changes = 0;
    return changes;
  }

  entity(entity: number, text: string): void {
    this.#entity.run(entity, text, valuesCheck(entity, text));
  }

  entityDeleted(entity: number): void {
    for (const deletion of this.#deletions) deletion.run(entity);
  }

  counter(entity: number, name: string, value: number): void {
    this.#counter.run(entity, name, value, valuesCheck(entity, name, value));
  }

  rule(entity: number, name: string, text: string): void {
    this.#rule.run(entity, name, text, valuesCheck(entity, name, text));
  }

  ruleDeleted(entity: number, name: string): void {
    this.#ruleDeleted.run(entity, name);
  }

  message(record: number, entity: number, status: number, row: Uint8Array): void {
    const check = messageCheck(record, entity, row, this.commit);
    this.#message.run(record, entity, guardStatus(record, status), check, row, this.commit);
  }

  amended(record: number, entity: number, row: Uint8Array): void {
    const check = messageCheck(record, entity, row, this.commit);
    one(record, this.#amended.run(check, row, this.commit, record));
    this.#changes++;
  }

  status(record: number, status: number): void {
    this.#status.run(record, guardStatus(record, status));
    this.#changes++;
  }

  removed(record: number): void {
    one(record, this.#removed.run(record));
    this.#statusRemoved.run(record);
    this.#changes++;
  }

  sessionState(entity: number, session: string, at: number, state: Uint8Array | undefined): void {
    if (state === undefined) this.#sessionCleared.run(entity, session);
    else this.#session.run(entity, session, at, state, valuesCheck(entity, session, at, state));
  }

  seen(entity: number, key: string, at: number): void {
    this.#seen.run(entity, key, at, valuesCheck(entity, key, at));
  }

  forgotten(entity: number, at: number): void {
    this.#forgotten.run(entity, at);
  }
}

/** Engine and file must not drift apart unseen. */
function one(record: number, { changes }: { readonly changes: number | bigint }): void {
  if (Number(changes) !== 1) throw new RangeError(`the message ${record} is not in the file`);
}
