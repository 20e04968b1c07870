import type { DatabaseSync } from "node:sqlite";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { RowSink } from "./row-bytes.ts";
import { damaged } from "./failures.ts";
import { messageCheck, unguardStatus, valuesCheck } from "./row-check.ts";

type Cell = string | number | bigint | Uint8Array | null;

/** The entity under which the store counts for itself. */
export const storeEntity = 0;

/** Reads every row, holding each to its check, in an order that a reader can follow: entities first, messages last. */
export class RowLoader {
  readonly #database: DatabaseSync;
  readonly #directory: string;

  constructor(database: DatabaseSync, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Hands every row to what `sink` gives, and yields after each. @throws SobreError `DecodeFailed` naming the row that is damaged. */
  *rows(sink: () => RowSink): Generator<void> {
    yield* this.#small(sink);
    yield* this.#messages(sink);
  }

  *#small(sink: () => RowSink): Generator<void> {
    for (const [entity, value, check] of this.#select("SELECT entity, value, checksum FROM entity ORDER BY entity")) {
      this.#hold("entity", String(entity), check, [entity, value]);
      sink().entity(Number(entity), String(value));
      yield;
    }
    for (const [entity, name, value, check] of this.#select("SELECT entity, name, value, checksum FROM counter")) {
      this.#hold("counter", `${String(name)} of entity ${String(entity)}`, check, [entity, name, value]);
      if (entity === storeEntity) continue;
      sink().counter(Number(entity), String(name), Number(value));
      yield;
    }
    for (const [entity, name, value, check] of this.#select("SELECT entity, name, value, checksum FROM rule")) {
      this.#hold("rule", `${String(name)} of entity ${String(entity)}`, check, [entity, name, value]);
      sink().rule(Number(entity), String(name), String(value));
      yield;
    }
    for (const [entity, id, at, state, check] of this.#select(
      "SELECT entity, session, at, state, checksum FROM session",
    )) {
      this.#hold("session", `of entity ${String(entity)}`, check, [entity, id, at, state]);
      if (state instanceof Uint8Array) sink().sessionState(Number(entity), String(id), Number(at), state);
      yield;
    }
    for (const [entity, key, at, check] of this.#select("SELECT entity, key, at, checksum FROM seen ORDER BY seen")) {
      this.#hold("seen id", `of entity ${String(entity)}`, check, [entity, key, at]);
      sink().seen(Number(entity), String(key), Number(at));
      yield;
    }
  }

  *#messages(sink: () => RowSink): Generator<void> {
    const sql = "SELECT record, entity, status, checksum, value FROM message ORDER BY record";
    for (const [record, entity, status, check, row] of this.#select(sql)) {
      if (typeof record !== "number" || typeof entity !== "number" || !(row instanceof Uint8Array))
        throw this.#damaged("message", String(record));
      const plain = unguardStatus(record, Number(status));
      if (plain === undefined || check !== messageCheck(record, entity, row))
        throw this.#damaged("message", String(record));
      sink().message(record, entity, plain, row);
      yield;
    }
  }

  *#select(sql: string): Generator<readonly Cell[]> {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const rows: Iterable<unknown> = statement.iterate();
    for (const row of rows) if (isRow(row)) yield row;
  }

  #hold(table: string, row: string, check: Cell | undefined, values: readonly (Cell | undefined)[]): void {
    const plain = values.map((value) => (value === undefined || typeof value === "bigint" ? null : value));
    if (check !== valuesCheck(...plain)) throw this.#damaged(table, row);
  }

  #damaged(table: string, row: string): SobreError {
    return damaged(this.#directory, `the row ${row} of the table ${table} differs from its checksum`);
  }
}

const isRow = (row: unknown): row is readonly Cell[] => Array.isArray(row);
