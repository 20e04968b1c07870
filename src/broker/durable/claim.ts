import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { directoryRefused } from "./failures.ts";

/** Who has a store open; for the sentence that refuses others, and for nothing else. */
interface StoreHolder {
  readonly process: number;
  readonly since: string;
}

const holderFile = (directory: string): string => join(directory, "holder.json");

/**
 * Creates the directory and its missing parents, each synced into the one above.
 *
 * It does so step by step: `recursive` of Node never returns where a file system refuses every name, e.g. below `/proc`.
 */
export function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const above = dirname(directory);
  if (above !== directory) makeDirectory(above);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have been faster.
    if (isDirectory(directory)) return;
    throw directoryRefused(directory, error);
  }
  try {
    syncFile(above);
  } catch (error) {
    throw directoryRefused(directory, error);
  }
}

/** False, too, where it may not be looked at. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Syncs a file, or the names in a directory. */
export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Records that this process has the store open. */
export function writeHolder(directory: string): void {
  const holder: StoreHolder = { process: process.pid, since: new Date().toISOString() };
  writeFileSync(holderFile(directory), `${JSON.stringify(holder)}\n`);
}

/** The error for a store that another process has open, naming that process. */
export function inUse(directory: string): SobreError {
  return new SobreError(
    "InvalidOperation",
    `The store in ${directory} is in use by ${holderOf(directory)}. Stop it first, or choose another directory.`,
  );
}

function holderOf(directory: string): string {
  try {
    const holder: unknown = JSON.parse(readFileSync(holderFile(directory), "utf8"));
    if (typeof holder !== "object" || holder === null) return "another process";
    const [process, since]: readonly unknown[] = [Reflect.get(holder, "process"), Reflect.get(holder, "since")];
    if (typeof process !== "number" || typeof since !== "string") return "another process";
    return `process ${process}, which has had it open since ${since}`;
  } catch {
    return "another process";
  }
}

/**
 * The number of the last commit that was synced, outside the database.
 *
 * It is not synced itself, so it may be too old but never too new: a database with fewer commits has lost some, e.g. by
 * a damaged write-ahead log, which SQLite mistakes for its end.
 */
export class SyncedCommits {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(12);
  /** The number found at start-up; 0 if none was readable. */
  readonly atStart: number;

  constructor(directory: string) {
    this.#file = openSync(join(directory, "synced"), constants.O_RDWR | constants.O_CREAT);
    const length = readSync(this.#file, this.#bytes, 0, 12, 0);
    const count = this.#bytes.readDoubleBE(0);
    const whole = length === 12 && this.#bytes.readUInt32BE(8) === crc32(this.#bytes.subarray(0, 8));
    this.atStart = whole && Number.isSafeInteger(count) ? count : 0;
    ftruncateSync(this.#file, 12);
  }

  write(commits: number): void {
    this.#bytes.writeDoubleBE(commits, 0);
    this.#bytes.writeUInt32BE(crc32(this.#bytes.subarray(0, 8)), 8);
    writeSync(this.#file, this.#bytes, 0, 12, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}
