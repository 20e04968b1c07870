import { SobreError } from "../core/errors/sobre-error.ts";
import { reasonOf } from "../migration/read/file-reason.ts";

/** A usage error, reported in one line with exit code 2. */
export class Misuse extends Error {}

/** The file system's error about `path` in one sentence. */
export function fileProblem(path: string, error: unknown): string {
  return `${path}: ${reasonOf(error)}`;
}

/** For `catch`: throws the file system's error about `path` as a Misuse. */
export function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    throw new Misuse(fileProblem(path, error));
  };
}

/** Runs `action`; an error of the library becomes a Misuse with the command's option names. */
export function orMisuse<T>(action: () => T, inWords: (message: string) => string = String): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof SobreError ? new Misuse(inWords(error.message)) : error;
  }
}

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, misuse: 2, unwritten: 3 } as const;

/** The exit codes of `sobre migrate`: what was found, or 1 if there was nothing to migrate or it stopped. Others are as above. */
export const migrateExitCodes = { clean: 0, stopped: 1, ambiguous: 4, losses: 5, failures: 6 } as const;
