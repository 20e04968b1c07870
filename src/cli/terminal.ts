import { styleText } from "node:util";
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

/** Runs `action`; an error of the library becomes a Misuse, whose message `inWords` may precede with an option or a file. */
export function orMisuse<T>(action: () => T, inWords = ({ message }: SobreError): string => message): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof SobreError ? new Misuse(inWords(error)) : error;
  }
}

/**
 * Puts the command's option in front of errors about its setting, e.g. `--port: …` for the path `$.port`.
 *
 * @param options The options by the paths of their settings.
 */
export function namingOption(options: Readonly<Record<string, string>>): (error: SobreError) => string {
  return ({ path = "", message }) => (Object.hasOwn(options, path) ? `${options[path]}: ${message}` : message);
}

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, misuse: 2, unwritten: 3 } as const;

/** The exit codes of `sobre migrate`: what was found, or 1 if there was nothing to migrate or it stopped. Others are as above. */
export const migrateExitCodes = { clean: 0, stopped: 1, ambiguous: 4, losses: 5, failures: 6 } as const;

/** The exit codes of `sobre contract`: a finding is never mixed up with a tool that failed. */
export const contractExitCodes = { proven: 0, breaking: 1, misuse: 2, unproven: 3, unreadable: 4 } as const;

/** Where a command writes, and how wide it is. */
export interface Terminal {
  /** Columns to fill: the terminal's, between 40 and 200, or 100 without a terminal. */
  readonly columns: number;
  readonly style: Style;
  /** Whether standard output is a terminal. */
  readonly interactive: boolean;
  /** Whether the reader of standard output has gone away, e.g. `head`. */
  readonly closed: boolean;
  /** Writes to standard output; resolves when the text was accepted. */
  out(text: string | Uint8Array): Promise<void>;
  /** Writes to standard error. */
  err(text: string): void;
}

/** Colours; they do nothing when they are not wanted. */
export type Style = Readonly<Record<StyleName, (text: string) => string>>;

type StyleName = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** The colours of a terminal, or with `wanted: false` none. */
export function createStyle(wanted: boolean): Style {
  const paint =
    (name: StyleName) =>
    (text: string): string =>
      wanted && text !== "" ? styleText(name, text, { validateStream: false }) : text;
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}

/** The width of the terminal, or `undefined` for a pipe or file. */
export function fittingColumns(columns: number | undefined): number {
  return columns === undefined || columns === 0 ? 100 : Math.min(200, Math.max(40, columns));
}

/** Standard output and error of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  const state = { closed: false };
  const gone = (error: NodeJS.ErrnoException): void => {
    // A reader that goes away early is not an error; a full disk is one, and is reported once.
    if (error.code !== "EPIPE" && process.exitCode !== exitCodes.unwritten) {
      process.exitCode = exitCodes.unwritten;
      stderr.write(`sobre: standard output cannot be written (${error.code ?? error.name})\n`);
    }
    state.closed = true;
  };
  stdout.on("error", gone);
  stderr.on("error", gone);
  const noColour = (process.env["NO_COLOR"] ?? "") !== "";
  return {
    columns: fittingColumns(stdout.isTTY ? stdout.columns : undefined),
    style: createStyle(stdout.isTTY && !noColour && stdout.hasColors()),
    interactive: stdout.isTTY,
    get closed() {
      return state.closed;
    },
    out: (text) =>
      new Promise((resolve) => {
        if (state.closed) resolve();
        else stdout.write(text, () => resolve());
      }),
    err: (text) => void stderr.write(text),
  };
}
