import { SobreError } from "../../core/errors/sobre-error.ts";

/** The file system's message without the path. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons.get(code) ?? (code === "" ? "unknown error" : `error ${code}`);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or folder"],
  ["ENOTDIR", "no such file or folder"],
  ["EISDIR", "it is a folder, not a file"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EEXIST", "it already exists"],
]);

/** The error of a file or folder that cannot be written. */
export function notWritten(path: string, error: unknown): SobreError {
  return new SobreError("InvalidArgument", `${path} cannot be written: ${reasonOf(error)}.`, { cause: error });
}
