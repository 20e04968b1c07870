import type { DatabaseSync, StatementSync } from "node:sqlite";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { MaybePromise } from "../../core/message/schema.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";

/** A value of a statement. */
type Value = string | number | bigint | Uint8Array | null;

/** Your own connection to the database file, while a transaction is open on it: a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  /** Whether a transaction is open. Without this property it is found out by a `begin`. */
  readonly isTransaction?: boolean;
  prepare(statement: string): {
    run(...values: (string | number | bigint | Uint8Array | null)[]): { readonly changes: number | bigint };
  };
}

/** Options of the stores in SQLite. */
export interface SqliteOptions {
  /** The database file, in which your own tables are, too. It is created if it does not exist. */
  readonly path: string;
  /** Replaces SQLite's own time in tests: processes whose clocks differ would not agree. Default: SQLite's. */
  readonly clock?: Clock | undefined;
}

/** Checks of {@link SqliteOptions}. */
export const sqliteChecks: OptionChecks<SqliteOptions> = {
  path: is.name,
  clock: is.clock,
};

/** Milliseconds for which other transactions are waited for. */
const maxWait = 30_000;
const betweenTries = 5;

/** SQLITE_BUSY and SQLITE_LOCKED, without their extensions. */
const busyCodes: ReadonlySet<number> = new Set([5, 6]);

/** The milliseconds since 1970: `?1`, or else SQLite's own clock. */
export const sqliteNow = "coalesce(?1, unixepoch('subsec') * 1000)";

/** A connection of a store to its file. */
export class SqliteFile {
  readonly #database: DatabaseSync;
  readonly #clock: Clock | undefined;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws SobreError `InvalidArgument` naming the option, `UnsupportedCapability` without `node:sqlite`. */
  constructor(options: SqliteOptions, tables: string) {
    checkOptions(options, sqliteChecks, { needed: ["path"] });
    this.#clock = options.clock;
    // Loaded here, since importing it prints a warning on Node 22.
    const sqlite = process.getBuiltinModule("node:sqlite");
    if (sqlite === undefined)
      throw new SobreError("UnsupportedCapability", "This runtime has no node:sqlite. Use Node 22.16 or newer.");
    this.#database = new sqlite.DatabaseSync(options.path, { timeout: maxWait });
    this.#database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${tables}`);
    // Waiting in a statement would stop the event loop, and with it the transaction that is waited for.
    this.#database.exec("pragma busy_timeout = 0");
  }

  /** Runs a statement and resolves to its rows; waits while another connection writes. `?1` is the time. */
  all(statement: string, ...values: readonly Value[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return unlessBusy(() => this.#prepared(statement).all(this.#clock?.now() ?? null, ...values));
  }

  /** The value for `?1` on the caller's connection. */
  get time(): number | null {
    return this.#clock?.now() ?? null;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      statement.setReadBigInts(true);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** @throws SobreError `InvalidArgument` for anything but a database of `node:sqlite`. */
function checkDatabase(database: unknown): void {
  if (is.methods("", "prepare")(database) !== undefined)
    throw invalidOption("transaction", "must be your DatabaseSync of node:sqlite, on which a transaction is open");
}

/** Runs a statement, again and again while another connection writes. */
async function unlessBusy<T>(run: () => T): Promise<T> {
  const until = systemClock.now() + maxWait;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || systemClock.now() > until) throw failure(error);
    }
    await pause(systemClock, betweenTries);
  }
}

/** Begins a transaction on the caller's connection, or ends it. */
export function controlTransaction(database: SqliteDatabase, act: "begin" | "commit" | "rollback"): MaybePromise<void> {
  checkDatabase(database);
  if (act === "begin") return unlessBusy(() => void database.prepare("begin immediate").run());
  try {
    database.prepare(act).run();
  } catch (error) {
    throw failure(error);
  }
}

/**
 * Checks that a transaction is open on the caller's connection: otherwise each statement would be one of its own.
 *
 * @throws SobreError `InvalidArgument`, `InvalidOperation`.
 */
export function checkOpenTransaction(database: SqliteDatabase, advice: string): void {
  checkDatabase(database);
  if (database.isTransaction ?? refusesBegin(database)) return;
  throw invalidOperation(`No transaction is open on this connection. ${advice}`);
}

function refusesBegin(database: SqliteDatabase): boolean {
  try {
    database.prepare("begin").run();
  } catch {
    return true;
  }
  database.prepare("rollback").run();
  return false;
}

function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "errcode") : undefined;
  return typeof code === "number" && busyCodes.has(code & 0xff);
}

const failure = (cause: unknown): SobreError =>
  isBusy(cause)
    ? new SobreError("ServiceBusy", "Another connection kept the SQLite file locked. Keep its transactions short.", {
        cause,
      })
    : new SobreError("GeneralError", "SQLite refused a statement of the store. The cause says why.", { cause });
