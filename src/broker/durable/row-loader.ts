import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RowSink } from "./row-bytes.ts";
import { damaged, isDamage, messageOfError } from "./failures.ts";
import { messageCheck, unguardStatus, valuesCheck } from "./row-check.ts";

type Cell = string | number | bigint | Uint8Array | null;

/** The entity under which the store counts for itself. */
export const storeEntity = 0;

const messages = "SELECT record, entity, status, checksum, value, written FROM message";

const nameOf = ([entity, name]: readonly Cell[]): string => `${String(name)} of entity ${String(entity)}`;
const ownerOf = ([entity]: readonly Cell[]): string => `of entity ${String(entity)}`;

/** Reads every row, holding each to its check, in an order that a reader can follow: entities first, messages last. */
export class RowLoader {
  readonly #database: DatabaseSync;
  readonly #directory: string;
  /** Takes the place of damage; it throws where that is to end the reading. */
  readonly #report: (where: string) => void;
  #one: StatementSync | undefined;

  constructor(database: DatabaseSync, directory: string, report: (where: string) => void) {
    this.#database = database;
    this.#directory = directory;
    this.#report = report;
  }

  /** Hands every row to what `sink` gives, and yields after each. One that is damaged is reported. */
  *rows(sink: () => RowSink, part: (row: Uint8Array) => Uint8Array): Generator<void> {
    yield* this.#small(sink);
    const changed = this.#select("SELECT record, status FROM status ORDER BY record");
    const statuses = new Statuses(changed, (record) => this.#damaged("status", String(record)));
    for (const row of this.#messages()) {
      this.#message(row, statuses.of(Number(row[0])) ?? row[2], sink(), part);
      yield;
    }
    statuses.of(Infinity);
  }

  /** Hands over the row of one message. @throws SobreError `DecodeFailed` when it is damaged or missing. */
  message(record: number, sink: RowSink): void {
    this.#one ??= arrays(this.#database, `${messages} WHERE record = ?`);
    const row: unknown = this.#one.get(record);
    if (!isRow(row)) throw damaged(this.#directory, `the row ${record} of the table message is missing`);
    this.#message(row, row[2], sink, (whole) => whole);
  }

  *#small(sink: () => RowSink): Generator<void> {
    for (const [entity, value] of this.#checked("entity", "entity, value", ([one]) => String(one), "ORDER BY entity")) {
      sink().entity(Number(entity), String(value));
      yield;
    }
    for (const [entity, name, value] of this.#checked("counter", "entity, name, value", nameOf)) {
      if (entity === storeEntity) continue;
      sink().counter(Number(entity), String(name), Number(value));
      yield;
    }
    for (const [entity, name, value] of this.#checked("rule", "entity, name, value", nameOf)) {
      sink().rule(Number(entity), String(name), String(value));
      yield;
    }
    for (const [entity, id, at, state] of this.#checked("session", "entity, session, at, state", ownerOf)) {
      if (state instanceof Uint8Array) sink().sessionState(Number(entity), String(id), Number(at), state);
      yield;
    }
    for (const [entity, key, at] of this.#checked("seen", "entity, key, at", ownerOf, "ORDER BY seen")) {
      sink().seen(Number(entity), String(key), Number(at));
      yield;
    }
  }

  #message(
    [record, entity, , check, row, written]: readonly Cell[],
    status: Cell | undefined,
    sink: RowSink,
    part: (row: Uint8Array) => Uint8Array,
  ): void {
    if (typeof record !== "number" || typeof entity !== "number" || !(row instanceof Uint8Array))
      return this.#damaged("message", String(record));
    if (check !== messageCheck(record, entity, row, Number(written))) return this.#damaged("message", String(record));
    const plain = unguardStatus(record, Number(status));
    if (plain === undefined) this.#damaged("status", String(record));
    sink.message(record, entity, plain ?? 0, part(row));
  }

  /** The rows of messages. After an unreadable page, it continues with the next readable row. */
  *#messages(): Generator<readonly Cell[]> {
    let [next, gap] = [1, 1];
    while (next < Number.MAX_SAFE_INTEGER) {
      const rows = this.#select(`${messages} WHERE record >= ${next} ORDER BY record`);
      let row = rows.next();
      for (; row.done !== true; row = rows.next()) {
        yield row.value;
        [next, gap] = [Number(row.value[0]) + 1, 1];
      }
      if (row.value) return;
      next += gap;
      gap *= 2;
    }
  }

  /** The rows of a query; returns whether it could read all. */
  *#select(sql: string): Generator<readonly Cell[], boolean> {
    try {
      const rows: Iterable<unknown> = arrays(this.#database, sql).iterate();
      for (const row of rows) if (isRow(row)) yield row;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#report(`store.sqlite: ${messageOfError(error)}`);
      return false;
    }
  }

  /** The rows of a table that hold to their checks. */
  *#checked(
    table: string,
    columns: string,
    placeOf: (row: readonly Cell[]) => string,
    order = "",
  ): Generator<readonly Cell[]> {
    for (const [check, ...row] of this.#select(`SELECT checksum, ${columns} FROM ${table} ${order}`))
      if (check === valuesCheck(...row.map((value) => (typeof value === "bigint" ? null : value)))) yield row;
      else this.#damaged(table, placeOf(row));
  }

  #damaged(table: string, row: string): void {
    this.#report(`the row ${row} of the table ${table} differs from its checksum`);
  }
}

/** The statuses that are no longer those of their messages' rows, read side by side with these. */
class Statuses {
  readonly #rows: Iterator<readonly Cell[]>;
  readonly #orphan: (record: Cell | undefined) => void;
  #row: readonly Cell[] | undefined;

  constructor(rows: Iterator<readonly Cell[]>, orphan: (record: Cell | undefined) => void) {
    this.#rows = rows;
    this.#orphan = orphan;
    this.#next();
  }

  /** The status of a message; those before it that were not asked for belong to none. */
  of(record: number): Cell | undefined {
    for (; this.#row !== undefined && Number(this.#row[0]) < record; this.#next()) this.#orphan(this.#row[0]);
    if (this.#row?.[0] !== record) return undefined;
    const [, status] = this.#row;
    this.#next();
    return status;
  }

  #next(): void {
    const { done, value } = this.#rows.next();
    this.#row = done === true ? undefined : value;
  }
}

const isRow = (row: unknown): row is readonly Cell[] => Array.isArray(row);

function arrays(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
