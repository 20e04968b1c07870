import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Terminal } from "../terminal.ts";

/** The exit codes of `sobre contract`: a finding is never mixed up with a tool that failed. */
export const contractExitCodes = { proven: 0, breaking: 1, misuse: 2, unproven: 3, unreadable: 4 } as const;

/** Runs a command; a schema or file that cannot be read has an exit code of its own. */
export async function reportingUnreadable(terminal: Terminal, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${error.message}${error.path === undefined ? "" : ` (${error.path})`}\n`);
    return contractExitCodes.unreadable;
  }
}
