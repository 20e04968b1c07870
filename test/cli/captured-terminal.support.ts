import { createStyle, type Terminal } from "../../src/cli/terminal.ts";

/** A terminal that keeps what is written to it. */
export interface CapturedTerminal extends Terminal {
  /** The text written to standard output. */
  bytes(): Uint8Array;
  text(): string;
  /** The text written to standard error. */
  errors(): string;
}

export function captureTerminal(options: Partial<Pick<Terminal, "columns" | "style">> = {}): CapturedTerminal {
  const chunks: Uint8Array[] = [];
  let errors = "";
  const bytes = (): Uint8Array => new Uint8Array(Buffer.concat(chunks));
  return {
    columns: 100,
    style: createStyle(false),
    interactive: false,
    closed: false,
    ...options,
    out(text) {
      chunks.push(typeof text === "string" ? Buffer.from(text) : text);
      return Promise.resolve();
    },
    err(text) {
      errors += text;
    },
    bytes,
    text: () => new TextDecoder().decode(bytes()),
    errors: () => errors,
  };
}

/** The different characters of `text` that a terminal would obey. */
export function unprintable(text: string): readonly string[] {
  return [...new Set(text.match(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu))];
}
