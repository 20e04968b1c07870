import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { run } from "../../src/cli/program.ts";
import { type CapturedTerminal, captureTerminal } from "./captured-terminal.support.ts";

export const mailbox: string = fileURLToPath(new URL("../../fixtures/mailbox", import.meta.url));
/** The path of a message of the mailbox. */
export const fixture = (name: string): string => join(mailbox, name);

/** A folder of a test file's own, which goes away after its tests. */
export function scratchFolder(): {
  readonly scratch: string;
  readonly file: (name: string, content: string | Uint8Array) => string;
} {
  const scratch = mkdtempSync(join(tmpdir(), "sobre-cli-"));
  afterAll(() => rmSync(scratch, { recursive: true }));
  return {
    scratch,
    file(name, content) {
      const path = join(scratch, name);
      writeFileSync(path, content);
      return path;
    },
  };
}

/** The outcome of a command line. */
interface Called {
  readonly code: number;
  readonly terminal: CapturedTerminal;
}

/** Runs a command line. */
export function sobre(...args: readonly string[]): Promise<Called> {
  return sobreIn(100, ...args);
}

/** Runs a command line on a terminal of so many columns. */
export async function sobreIn(columns: number, ...args: readonly string[]): Promise<Called> {
  const terminal = captureTerminal({ columns });
  const code = await run(args, { version: "1.2.3", mailbox }, terminal);
  return { code, terminal };
}

/** The lines of JSON that were written. */
export const linesOf = (terminal: CapturedTerminal): readonly unknown[] =>
  terminal
    .text()
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
