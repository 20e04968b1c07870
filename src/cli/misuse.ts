/** A usage error, reported in one line with exit code 2. */
export class Misuse extends Error {}

/** One sentence for what the file system says about `path`. */
export function fileProblem(path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return `${path}: ${fileProblems.get(code) ?? `cannot be read (${code})`}`;
}

const fileProblems = new Map([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EISDIR", "is a folder, not a file"],
  ["EACCES", "may not be read (permission denied)"],
  ["EPERM", "may not be read (permission denied)"],
]);

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, misuse: 2, unwritten: 3 } as const;

/** The exit codes of `sobre migrate`: what was found, and 1 for what kept it from looking. */
export const migrateExitCodes = { clean: 0, stopped: 1, ambiguous: 2, losses: 3, failures: 4 } as const;
