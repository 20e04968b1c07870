import { styleText } from "node:util";
import { exitCodes } from "./misuse.ts";

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
