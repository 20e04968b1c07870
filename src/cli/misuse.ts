import { SobreError } from "../errors/sobre-error.ts";
import { reasonOf } from "../migration/file-reason.ts";

/** A usage error, reported in one line with exit code 2. */
export class Misuse extends Error {}

/** One sentence for what the file system says about `path`. */
export function fileProblem(path: string, error: unknown): string {
  return `${path}: ${reasonOf(error)}`;
}

/** For `catch`: throws what the file system says about `path` as a Misuse. */
export function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    throw new Misuse(fileProblem(path, error));
  };
}

/** Runs `action`; what the library refuses becomes a Misuse, in the words of the command. */
export function orMisuse<T>(action: () => T, inWords: (message: string) => string = String): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof SobreError ? new Misuse(inWords(error.message)) : error;
  }
}

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, misuse: 2, unwritten: 3 } as const;

/** The exit codes of `sobre migrate`: what was found, and 1 for what kept it from looking. */
export const migrateExitCodes = { clean: 0, stopped: 1, ambiguous: 2, losses: 3, failures: 4 } as const;
