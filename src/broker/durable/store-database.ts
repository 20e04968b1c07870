import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { inUse, makeDirectory, syncFile, SyncedCommits, writeHolder } from "./claim.ts";
import {
  commitFailure,
  damaged,
  isDamage,
  isFull,
  isInUse,
  openFailure,
  storeOver,
  messageOfError,
} from "./failures.ts";
import { FactReader } from "./fact-reader.ts";
import { valuesCheck } from "./row-check.ts";
import { readRows, type RowSink } from "./row-bytes.ts";
import { RowLoader, storeEntity } from "./row-loader.ts";
import { RowWriter } from "./row-writer.ts";
import { pragma, prepareTables } from "./schema.ts";

/** The database of a store, inside its directory. */
const fileName = "store.sqlite";

/** Its name while it is closed without changes. */
const closingName = `${fileName}.closing`;

/** Bytes of the write-ahead log, by estimate, after which it is copied into the database. */
const checkpointAfter = 16 * 2 ** 20;

/** Bytes of the log that a commit takes besides its rows: a page of counters, and one that its rows do not fill. */
const bytesOfCommit = 2 * 4096;

/** Bytes of the log that the change of a row takes: a part of its page, since others there mostly change as well. */
const bytesOfChange = 1024;

/** Pages that SQLite keeps in memory. */
const cachedPages = 64;

/** How long to wait for a holder that is just ending, in milliseconds. */
const patience = 250;

/**
 * The file of a store: every commit is synced, one process has it open, and what is damaged is refused.
 *
 * Everything here is synchronous: it lives in a worker thread, or in a command.
 */
export class StoreDatabase {
  readonly directory: string;
  /** How long the end of the last commit took, in milliseconds. */
  lastSync = 0;
  readonly #database: DatabaseSync;
  readonly #synced: SyncedCommits;
  readonly #writer: RowWriter;
  readonly #loader: RowLoader;
  readonly #countCommit: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #commits: number;
  /** Bytes of the log, by estimate: SQLite does not say. */
  #logged = 0;
  #over: SobreError | undefined;
  #isDamaged = false;

  /**
   * Opens the store of a directory, making it when it is new.
   *
   * @param report takes each place that is damaged, to read what is left; by default the first ends the reading.
   * @throws SobreError `InvalidOperation` when another process has it, or for a newer format; `DecodeFailed` naming
   *   what is damaged; `UnauthorizedAccess` when it cannot be written.
   */
  constructor(directory: string, report = (where: string): void => fail(damaged(directory, where))) {
    this.directory = directory;
    const found = (where: string): void => {
      this.#isDamaged = true;
      report(where);
    };
    let database: DatabaseSync | undefined;
    let synced: SyncedCommits | undefined;
    try {
      makeDirectory(directory);
      takeBackName(directory);
      synced = new SyncedCommits(directory);
      // SQLite would create the file, and remove its log.
      const { size = 0 } = statSync(join(directory, fileName), { throwIfNoEntry: false }) ?? {};
      if (synced.atStart > 0 && size === 0)
        fail(damaged(directory, `${fileName} is missing or empty, and commit ${synced.atStart} was synced`));
      database = new DatabaseSync(join(directory, fileName), { timeout: patience });
      claim(database, directory);
      prepareTables(database, directory);
      checkStructure(database, found);
      this.#database = database;
      this.#synced = synced;
      this.#commits = this.#countOfCommits(found);
      if (this.#commits < synced.atStart)
        found(`it ends after commit ${this.#commits}, and commit ${synced.atStart} was synced`);
      // A killed process may leave commits in the log that were never synced; they are before they are served.
      if (!this.#isDamaged) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      writeHolder(directory);
      this.#writer = new RowWriter(database);
      this.#loader = new RowLoader(database, directory, found);
      this.#countCommit = database.prepare("REPLACE INTO counter VALUES (?, 'commits', ?, ?)");
      this.#begin = database.prepare("BEGIN IMMEDIATE");
      this.#end = database.prepare("COMMIT");
    } catch (error) {
      synced?.close();
      const failure = isInUse(error) ? inUse(directory) : openFailure(directory, error);
      if (failure.code === "DecodeFailed" && database !== undefined) closeUnchanged(database, directory);
      else database?.close();
      throw failure;
    }
  }

  /** Every row, held to its check; `part` is what the sink gets of a message's. @throws SobreError `DecodeFailed`. */
  rows(sink: () => RowSink, part: (row: Uint8Array) => Uint8Array = (row) => row): Generator<void> {
    return this.#loader.rows(sink, part);
  }

  /** The row of one message. @throws SobreError `DecodeFailed` when it is damaged or missing. */
  read(record: number, sink: RowSink): void {
    this.#loader.message(record, sink);
  }

  /**
   * Makes batches durable, all of them or none; `next` gives those that have come meanwhile.
   *
   * @throws SobreError with nothing kept: `ServiceBusy` when the disk is full, `Closed` when the store is over.
   */
  commit(first: Uint8Array, next: () => Uint8Array | undefined = () => undefined): void {
    if (this.#over !== undefined) throw this.#over;
    try {
      if (!this.#database.isTransaction) this.#begin.run();
      const commits = this.#commits + 1;
      this.#writer.commit = commits;
      let [bytes, onlyAdds] = [0, true];
      for (let batch: Uint8Array | undefined = first; batch !== undefined; batch = next()) {
        onlyAdds = readRows(new FactReader(batch), this.#writer) && onlyAdds;
        bytes += batch.byteLength;
      }
      if (bytes === 0) return;
      // The rows of new messages have the number: a lone one writes its page, and no other.
      if (!onlyAdds) this.#countCommit.run(storeEntity, commits, valuesCheck(storeEntity, "commits", commits));
      this.#logged += bytes + bytesOfCommit + this.#writer.takeChanges() * bytesOfChange;
      const before = performance.now();
      this.#end.run();
      this.lastSync = performance.now() - before;
      this.#commits = commits;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Finishes commits with work that their callers need not wait for, and begins the next. */
  tidy(): void {
    try {
      this.#synced.write(this.#commits);
    } catch (error) {
      // The batches are durable: refused, they would be sent again.
      this.#over ??= storeOver(this.directory, "the number of the last commit cannot be written", error);
    }
    if (this.#over !== undefined || this.#database.isTransaction) return;
    try {
      // The log keeps its length: a sync of what lies within a file is cheaper than one of what makes it longer.
      if (this.#logged >= checkpointAfter) {
        this.#logged = 0;
        this.#database.exec("PRAGMA wal_checkpoint(RESTART)");
      }
      this.#begin.run();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Whether a commit may succeed again after the disk was full. @throws SobreError when the store is over. */
  hasRecovered(): boolean {
    if (this.#over !== undefined) throw this.#over;
    // If space returned between SQLite's failed write and the check of the disk, the failure would count as final.
    if (isFull(this.directory)) return false;
    try {
      this.#database.exec(
        "BEGIN IMMEDIATE; CREATE TABLE space (filling BLOB); INSERT INTO space VALUES (zeroblob(262144))",
      );
      this.#database.exec("DROP TABLE space; COMMIT");
      return true;
    } catch (error) {
      const failure = this.#failed(error);
      if (!failure.retryable) throw failure;
      return false;
    }
  }

  /** Writes a copy of the store, as it is now, into a directory that has none. @throws SobreError as the constructor does. */
  backup(directory: string): void {
    const file = join(directory, fileName);
    try {
      makeDirectory(directory);
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#database.prepare("VACUUM INTO ?").run(file);
      // SQLite of older releases of Node does not sync what it writes there.
      syncFile(file);
      syncFile(directory);
    } catch (error) {
      throw openFailure(isDamage(error) ? this.directory : directory, error);
    }
  }

  close(): void {
    this.#synced.close();
    // Damage, or a log that may be damaged after a failed sync, is left as it is.
    if (this.#isDamaged || this.#over !== undefined) closeUnchanged(this.#database, this.directory);
    else this.#database.close();
  }

  #failed(error: unknown): SobreError {
    try {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    } catch (second) {
      this.#over = storeOver(this.directory, "a rollback failed", second);
      return this.#over;
    }
    const failure = commitFailure(this.directory, error);
    if (!failure.retryable) this.#over = failure;
    return failure;
  }

  /** The number of the last commit: those that only added messages are counted in their rows. */
  #countOfCommits(report: (where: string) => void): number {
    try {
      const [value = 0, check = valuesCheck(storeEntity, "commits", 0)] = this.#numbers(
        "SELECT value, checksum FROM counter WHERE entity = 0 AND name = 'commits'",
      );
      const [written = 0] = this.#numbers("SELECT written FROM message ORDER BY record DESC LIMIT 1");
      if (check === valuesCheck(storeEntity, "commits", value)) return Math.max(value, written);
      report("the count of its commits differs from its checksum");
    } catch (error) {
      if (!isDamage(error)) throw error;
      report(`${fileName}: ${messageOfError(error)}`);
    }
    return Infinity;
  }

  /** The numbers of the row of a query; none if there is no row. */
  #numbers(sql: string): readonly number[] {
    return Object.values(this.#database.prepare(sql).get() ?? {}).map(Number);
  }
}

/** Takes SQLite's exclusive lock, which ends with the process. */
function claim(database: DatabaseSync, directory: string): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE; COMMIT");
  // The pages of a large commit are written while the next messages are encoded, and only the last ones at its end.
  database.exec(`PRAGMA cache_size = ${cachedPages}`);
  if (pragma(database, "synchronous") !== 2)
    throw new SobreError("InvalidOperation", `SQLite does not sync every commit in ${directory}.`);
}

/** Reports the first page or table that is wrong. */
function checkStructure(database: DatabaseSync, report: (where: string) => void): void {
  const row = database.prepare("PRAGMA quick_check(1)").get();
  const said = row === undefined ? "" : String(Object.values(row)[0]);
  if (said !== "ok") report(said.split("\n").join("; "));
}

/**
 * Closes a database without copying its log into it or removing the log: SQLite leaves alone a file that is no longer where
 * it was opened.
 */
function closeUnchanged(database: DatabaseSync, directory: string): void {
  const [file, moved] = [join(directory, fileName), join(directory, closingName)];
  try {
    renameSync(file, moved);
  } catch {
    // Some systems cannot rename an open file.
    database.close();
    return;
  }
  try {
    database.close();
  } finally {
    renameSync(moved, file);
  }
}

/** Renames back a database whose process was killed while {@link closeUnchanged} had it under its other name. */
function takeBackName(directory: string): void {
  const [file, moved] = [join(directory, fileName), join(directory, closingName)];
  if (existsSync(file) || !existsSync(moved)) return;
  // A process that is just closing it renames it back itself.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patience);
  if (!existsSync(file)) renameSync(moved, file);
}

function fail(error: SobreError): never {
  throw error;
}
