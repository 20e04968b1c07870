import fs, { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FactSink, writeFact } from "../../../src/broker/durable/fact-rows.ts";
import { headOf } from "../../../src/broker/durable/message-row.ts";
import { RowBytes } from "../../../src/broker/durable/row-bytes.ts";
import { StoreDatabase } from "../../../src/broker/durable/store-database.ts";
import { storeDirectory } from "./store-directory.support.ts";

let directory = "";
beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(directory, { recursive: true });
});

function batch(at: number): Uint8Array {
  const rows = new RowBytes();
  writeFact(rows, { kind: "used", entity: at, at });
  return rows.take();
}

/** A batch of rows as they are, each of a message's record. */
function rowsOf(records: readonly number[], write: (rows: RowBytes, record: number) => void): Uint8Array {
  const rows = new RowBytes();
  for (const record of records) write(rows, record);
  return rows.take();
}

/** A store with five commits, as a killed process leaves it: all of them in the log. */
function killed(): string {
  const left = join(directory, "left");
  const database = new StoreDatabase(join(directory, "living"));
  for (let at = 1; at <= 5; at++) {
    database.commit(batch(at));
    database.tidy();
  }
  cpSync(join(directory, "living"), left, { recursive: true });
  database.close();
  return left;
}

const bytesOf = (folder: string): readonly Buffer[] =>
  ["store.sqlite", "store.sqlite-wal"].map((name) => readFileSync(join(folder, name)));

const logSize = (folder: string): number => statSync(join(folder, "store.sqlite-wal")).size;

/** The entities that the file of a store knows. */
function entitiesIn(folder: string): readonly (number | undefined)[] {
  const database = new StoreDatabase(folder);
  const sink = new FactSink();
  for (const _row of database.rows(() => sink, headOf)) continue;
  database.close();
  return sink.facts.map((fact) => ("entity" in fact ? fact.entity : undefined));
}

describe("the file of a store", () => {
  it("keeps a batch once, and takes no other, when the number of its commit cannot be written after it", () => {
    const living = join(directory, "living");
    const database = new StoreDatabase(living);
    database.commit(batch(1));
    vi.spyOn(fs, "writeSync").mockImplementation(() => {
      throw new Error("EIO");
    });
    syncBuiltinESMExports();

    database.commit(batch(2));
    database.tidy();

    expect(() => database.commit(batch(3))).toThrow(expect.objectContaining({ code: "Closed" }));
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    // As a process leaves it that is started again.
    cpSync(living, join(directory, "left"), { recursive: true });
    database.close();
    expect(entitiesIn(join(directory, "left"))).toEqual([1, 2]);
  });

  it("leaves a damaged log and its database as they are: what follows the damage may be wanted", () => {
    const left = killed();
    const log = join(left, "store.sqlite-wal");
    const bytes = readFileSync(log);
    bytes.writeUInt8(bytes.readUInt8(bytes.length / 2) ^ 1, bytes.length / 2);
    writeFileSync(log, bytes);
    const before = bytesOf(left);
    const places: string[] = [];

    expect(() => new StoreDatabase(left)).toThrow(expect.objectContaining({ code: "DecodeFailed" }));
    new StoreDatabase(left, (where) => places.push(where)).close();

    expect(places).toEqual([expect.stringMatching(/^it ends after commit \d, and commit 5 was synced$/)]);
    expect(bytesOf(left)).toEqual(before);
  });

  it("misses lone messages that were synced and are gone, whose commits only their rows count", () => {
    const left = join(directory, "left");
    const living = join(directory, "living");
    const database = new StoreDatabase(living);
    const sizes = [1, 2, 3, 4, 5].map((record) => {
      database.commit(rowsOf([record], (rows) => rows.message(record, 1, 0, new Uint8Array(1024))));
      database.tidy();
      return logSize(living);
    });
    cpSync(living, left, { recursive: true });
    database.close();
    truncateSync(join(left, "store.sqlite-wal"), sizes[2]);

    expect(() => new StoreDatabase(left)).toThrow(/it ends after commit 3, and commit 5 was synced/);
  });

  it("counts no commit for a batch without rows", () => {
    const database = new StoreDatabase(directory);

    database.commit(batch(1));
    database.tidy();
    database.commit(new Uint8Array());
    database.tidy();
    database.commit(batch(2));
    database.close();

    expect(entitiesIn(directory)).toEqual([1, 2]);
  });

  it("goes on with the number of the last commit, whatever it wrote", () => {
    let database = new StoreDatabase(directory);
    database.commit(batch(1));
    database.commit(rowsOf([1, 2], (rows, record) => rows.message(record, 1, 0, new Uint8Array(9))));
    database.commit(rowsOf([2], (rows, record) => rows.removed(record)));
    database.tidy();
    database.close();
    database = new StoreDatabase(directory);
    database.commit(rowsOf([2], (rows, record) => rows.message(record, 1, 0, new Uint8Array(9))));
    database.tidy();
    database.close();

    expect(readFileSync(join(directory, "synced")).readDoubleBE(0)).toBe(4);
    new StoreDatabase(directory).close();
  });

  it("finds a damaged database under the name that it has while it is closed, where the process was killed then", () => {
    const left = killed();
    const log = join(left, "store.sqlite-wal");
    truncateSync(log, logSize(left) / 2);
    const before = bytesOf(left);
    const { renameSync } = fs;
    const rename = vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
      if (rename.mock.calls.length > 1) throw new Error("killed");
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    expect(() => new StoreDatabase(left)).toThrow("killed");
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(existsSync(join(left, "store.sqlite"))).toBe(false);

    expect(() => new StoreDatabase(left)).toThrow(/it ends after commit \d, and commit 5 was synced/);

    expect(bytesOf(left)).toEqual(before);
  });

  it("refuses a file that is empty, and leaves the log of what it had", () => {
    const left = killed();
    truncateSync(join(left, "store.sqlite"));
    const before = bytesOf(left);

    expect(() => new StoreDatabase(left)).toThrow(/store\.sqlite is missing or empty, and commit 5 was synced/);

    expect(bytesOf(left)).toEqual(before);
  });

  it("begins its log again when a lone sender's small commits have filled it", () => {
    const database = new StoreDatabase(directory);

    for (let at = 1; at <= 3000; at++) {
      database.commit(batch(at));
      database.tidy();
    }

    expect(logSize(directory)).toBeLessThan(20 * 2 ** 20);
    database.close();
  });

  it("begins its log again when rows have left pages everywhere, which take few bytes of a batch", () => {
    const database = new StoreDatabase(directory);
    const records = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const groups = Array.from({ length: 40 }, (_, group) => records.slice(group * 500, (group + 1) * 500));
    const row = new Uint8Array(1024);
    const inGroups = (write: (rows: RowBytes, record: number) => void): void => {
      for (const group of groups) {
        database.commit(rowsOf(group, write));
        database.tidy();
      }
    };

    inGroups((rows, record) => rows.message(record, 1, 0, row));
    inGroups((rows, record) => rows.status(record, 4));
    inGroups((rows, record) => rows.removed(record));

    expect(logSize(directory)).toBeLessThan(32 * 2 ** 20);
    database.close();
  });
});
