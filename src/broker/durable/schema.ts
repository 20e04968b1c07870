import type { DatabaseSync } from "node:sqlite";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** "sobr", in the header of the file. */
const applicationId = 0x736f_6272;

/** The version of the tables that this release writes, in the header of the file. */
const formatVersion = 3;

/**
 * The statuses that are no longer those of their messages' rows. Many of them share a page, so that a delivery does not
 * write a page with bodies again.
 */
const statusTable = "CREATE TABLE status (record INTEGER PRIMARY KEY, status INTEGER NOT NULL)";

/** The number of the commit that wrote a message's row; 0 for one of an older version. */
const commitColumn = "ALTER TABLE message ADD COLUMN written INTEGER NOT NULL DEFAULT 0";

const tables = `
  CREATE TABLE entity (entity INTEGER PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE rule (
    entity INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (entity, name)
  ) WITHOUT ROWID;
  CREATE TABLE counter (
    entity INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (entity, name)
  ) WITHOUT ROWID;
  CREATE TABLE session (
    entity INTEGER NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL, state BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (entity, session)
  ) WITHOUT ROWID;
  CREATE TABLE seen (
    seen INTEGER PRIMARY KEY, entity INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, checksum INTEGER NOT NULL
  );
  CREATE INDEX seen_at ON seen (entity, at);
  CREATE TABLE message (
    record INTEGER PRIMARY KEY, entity INTEGER NOT NULL, status INTEGER NOT NULL, checksum INTEGER NOT NULL,
    value BLOB NOT NULL
  );
  ${statusTable};
  ${commitColumn};
`;

/** Statements that turn the tables of each version, from 1 up, into those of the next. */
const migrations: readonly string[] = [statusTable, commitColumn];

/**
 * Makes the tables of a new file, and brings those of an older one up to date.
 *
 * @throws SobreError `InvalidOperation` for a newer version, and for a file of something else.
 */
export function prepareTables(database: DatabaseSync, directory: string): void {
  const version = pragma(database, "user_version");
  const id = pragma(database, "application_id");
  if (version === 0 && id === 0 && isEmpty(database)) {
    transact(database, `${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion};`);
    return;
  }
  if (id !== applicationId)
    throw new SobreError("InvalidOperation", `The file store.sqlite in ${directory} is not a store of sobre.`);
  if (version > formatVersion || version < 1)
    throw new SobreError(
      "InvalidOperation",
      `The store in ${directory} has the format version ${version}, and this release reads up to ${formatVersion}. Use the release that wrote it, or a newer one.`,
    );
  for (let from = version; from < formatVersion; from++)
    transact(database, `${migrations[from - 1] ?? ""}; PRAGMA user_version = ${from + 1};`);
}

/** The number that a pragma shows. */
export function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return Number(row === undefined ? 0 : Object.values(row)[0]);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
}

function transact(database: DatabaseSync, statements: string): void {
  database.exec(`BEGIN IMMEDIATE; ${statements}; COMMIT`);
}
