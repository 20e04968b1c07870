import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RowSink } from "./row-bytes.ts";
import { guardStatus, messageCheck, valuesCheck } from "./row-check.ts";

/** Applies the rows of a batch to the tables, each with its check. */
export class RowWriter implements RowSink {
  readonly #statements: ReturnType<typeof statementsOf>;
  /** The number of the commit under way. */
  commit = 0;
  #changes = 0;

  constructor(database: DatabaseSync) {
    this.#statements = statementsOf(database);
  }

  /** How many rows of messages were changed or removed since the last call. */
  takeChanges(): number {
    const changes = this.#changes;
    this.#changes = 0;
    return changes;
  }

  entity(entity: number, text: string): void {
    this.#statements.entity.run(entity, text, valuesCheck(entity, text));
  }

  entityDeleted(entity: number): void {
    for (const deletion of this.#statements.deletions) deletion.run(entity);
  }

  counter(entity: number, name: string, value: number): void {
    this.#statements.counter.run(entity, name, value, valuesCheck(entity, name, value));
  }

  rule(entity: number, name: string, text: string): void {
    this.#statements.rule.run(entity, name, text, valuesCheck(entity, name, text));
  }

  ruleDeleted(entity: number, name: string): void {
    this.#statements.ruleDeleted.run(entity, name);
  }

  message(record: number, entity: number, status: number, row: Uint8Array): void {
    const check = messageCheck(record, entity, row, this.commit);
    this.#statements.message.run(record, entity, guardStatus(record, status), check, row, this.commit);
  }

  amended(record: number, entity: number, row: Uint8Array): void {
    const check = messageCheck(record, entity, row, this.commit);
    checkOneRow(record, this.#statements.amended.run(check, row, this.commit, record));
    this.#changes++;
  }

  status(record: number, status: number): void {
    this.#statements.status.run(record, guardStatus(record, status));
    this.#changes++;
  }

  removed(record: number): void {
    checkOneRow(record, this.#statements.removed.run(record));
    this.#statements.statusRemoved.run(record);
    this.#changes++;
  }

  sessionState(entity: number, session: string, at: number, state: Uint8Array | undefined): void {
    if (state === undefined) this.#statements.sessionCleared.run(entity, session);
    else this.#statements.session.run(entity, session, at, state, valuesCheck(entity, session, at, state));
  }

  seen(entity: number, key: string, at: number): void {
    this.#statements.seen.run(entity, key, at, valuesCheck(entity, key, at));
  }

  forgotten(entity: number, at: number): void {
    this.#statements.forgotten.run(entity, at);
  }
}

function statementsOf(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    entity: prepare("REPLACE INTO entity VALUES (?, ?, ?)"),
    counter: prepare("REPLACE INTO counter VALUES (?, ?, ?, ?)"),
    rule: prepare("REPLACE INTO rule VALUES (?, ?, ?, ?)"),
    ruleDeleted: prepare("DELETE FROM rule WHERE entity = ? AND name = ?"),
    message: prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)"),
    amended: prepare("UPDATE message SET checksum = ?, value = ?, written = ? WHERE record = ?"),
    status: prepare("REPLACE INTO status VALUES (?, ?)"),
    removed: prepare("DELETE FROM message WHERE record = ?"),
    statusRemoved: prepare("DELETE FROM status WHERE record = ?"),
    session: prepare("REPLACE INTO session VALUES (?, ?, ?, ?, ?)"),
    sessionCleared: prepare("DELETE FROM session WHERE entity = ? AND session = ?"),
    seen: prepare("INSERT INTO seen (entity, key, at, checksum) VALUES (?, ?, ?, ?)"),
    forgotten: prepare("DELETE FROM seen WHERE entity = ? AND at <= ?"),
    deletions: [
      prepare("DELETE FROM status WHERE record IN (SELECT record FROM message WHERE entity = ?)"),
      ...["entity", "rule", "counter", "session", "seen", "message"].map((table) =>
        prepare(`DELETE FROM ${table} WHERE entity = ?`),
      ),
    ],
  };
}

/** Engine and file must not drift apart unseen. */
function checkOneRow(record: number, { changes }: { readonly changes: number | bigint }): void {
  if (Number(changes) !== 1) throw new RangeError(`the message ${record} is not in the file`);
}
