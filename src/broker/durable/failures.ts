import { accessSync, constants, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** Result codes of SQLite (sqlite.org/rescode.html). */
const sqlite = {
  busy: 5,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;
const writeFailed = 778;

/** Codes of the operating system for a disk that takes no more. */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EFBIG"]);

/** Codes of the operating system for a directory in which no file can be created. */
const closedCodes: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ENOENT"]);

/** The extended result code of an error of `node:sqlite`. */
function resultCode(error: unknown): number | undefined {
  const code = typeof error === "object" && error !== null && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code : undefined;
}

/** The error of a store that cannot be opened. */
export function openFailure(directory: string, error: unknown): SobreError {
  if (error instanceof SobreError) return error;
  if (isDamage(error)) return damaged(directory, `store.sqlite: ${messageOfError(error)}`, error);
  const primary = (resultCode(error) ?? 0) % 256;
  const code = systemCode(error) ?? "";
  const isClosed = primary === sqlite.readOnly || primary === sqlite.cannotOpen || closedCodes.has(code);
  if (isClosed || !canWrite(directory))
    return new SobreError(
      "UnauthorizedAccess",
      `The store in ${directory} cannot be written. Check its permissions, or open a copy of it elsewhere.`,
      { cause: error },
    );
  if (primary === sqlite.full || fullCodes.has(code)) return diskFull(directory, error);
  return new SobreError("InvalidOperation", `The store in ${directory} cannot be opened: ${messageOfError(error)}.`, {
    cause: error,
  });
}

/** The error of a directory that cannot be created. */
export function directoryRefused(directory: string, error: unknown): SobreError {
  const code = systemCode(error);
  if (code !== undefined && fullCodes.has(code)) return diskFull(directory, error);
  const why = code === "EEXIST" || code === "ENOTDIR" ? "a file has its name" : messageOfError(error);
  return new SobreError(
    code === "EACCES" || code === "EPERM" ? "UnauthorizedAccess" : "InvalidOperation",
    `The directory ${directory} cannot be created: ${why}. Choose another one, or check the permissions of those above.`,
    { cause: error },
  );
}

/** Whether the database that was read is damaged. */
export function isDamage(error: unknown): boolean {
  const primary = (resultCode(error) ?? 0) % 256;
  return primary === sqlite.corrupt || primary === sqlite.notADatabase;
}

/** Whether another process has the database open. */
export const isInUse = (error: unknown): boolean => (resultCode(error) ?? 0) % 256 === sqlite.busy;

/** The error of a failed commit; retryable if a later one may succeed. */
export function commitFailure(directory: string, error: unknown): SobreError {
  const code = resultCode(error) ?? 0;
  const primary = code % 256;
  if (primary === sqlite.full || primary === sqlite.readOnly) return diskFull(directory, error);
  // SQLite hides the operating system's reason; our own write shows it.
  if (code === writeFailed && isFull(directory)) return diskFull(directory, error);
  return storeOver(directory, messageOfError(error), error);
}

/** After a failed sync the contents of the disk are unknown until a restart reads them. */
export const storeOver = (directory: string, why: string, cause?: unknown): SobreError =>
  new SobreError(
    "Closed",
    `The store in ${directory} has failed (${why}) and accepts no more changes. Restart the process; everything confirmed is on disk.`,
    { cause },
  );

export const damaged = (directory: string, where: string, cause?: unknown): SobreError =>
  new SobreError(
    "DecodeFailed",
    `The store in ${directory} is damaged: ${where}. Restore a backup, or save the readable messages with \`sobre store export\`.`,
    { cause },
  );

const diskFull = (directory: string, cause: unknown): SobreError =>
  new SobreError(
    "ServiceBusy",
    `The store in ${directory} cannot be written: its disk is full or read-only. The call had no effect; free some space and retry.`,
    { cause },
  );

/** Whether the disk of a directory takes no more. */
export function isFull(directory: string): boolean {
  const probe = join(directory, "space");
  try {
    writeFileSync(probe, new Uint8Array(64 * 1024), { flush: true });
    return false;
  } catch (error) {
    return fullCodes.has(systemCode(error) ?? "");
  } finally {
    rmSync(probe, { force: true });
  }
}

function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A message in one line. */
export const messageOfError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n").join("; ");
