import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { oneLine, visibleJson } from "../display.ts";
import { readInput } from "../input.ts";
import { inspectBytes, inspectHexLine } from "./inspect-json.ts";
import { inspectText } from "./inspect-text.ts";
import { exitCodes, fileProblem, Misuse } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

/** The arguments of `sobre inspect`. */
export interface InspectCommand {
  readonly files: readonly string[];
  /** One line of typed JSON per file instead of text for people. */
  readonly json: boolean;
}

/** Prints AMQP messages and values section by section with types, offsets and hex; resolves to the exit code. */
export async function inspectFiles({ files, json }: InspectCommand, terminal: Terminal): Promise<number> {
  if (files.filter((file) => file === "-").length > 1) throw new Misuse("standard input (-) can be read only once");
  let worst: number = exitCodes.done;
  for (const [index, file] of files.entries()) {
    if (terminal.closed) break;
    const bytes = await read(file, terminal);
    if (bytes === undefined) {
      worst = exitCodes.misuse;
      continue;
    }
    const inspected = inspectBytes(bytes);
    if (!inspected.ok) worst = Math.max(worst, exitCodes.failed);
    const text = json
      ? visibleJson({ file, ...inspected })
      : `${index > 0 ? "\n" : ""}${inspectText(file, bytes, inspected, terminal)}`;
    await terminal.out(`${text}\n`);
  }
  return worst;
}

async function read(file: string, terminal: Terminal): Promise<Uint8Array | undefined> {
  try {
    return await readInput(file, defaultDecodeLimits.maxBytes);
  } catch (error) {
    terminal.err(`sobre: ${oneLine(fileProblem(file, error))}\n`);
    return undefined;
  }
}

/**
 * Reads one value or message in hex per line and prints one line of typed JSON for each; resolves to the exit code.
 *
 * @param input Default: standard input.
 */
export async function inspectHexLines(terminal: Terminal, input: Readable = process.stdin): Promise<number> {
  let worst: number = exitCodes.done;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (terminal.closed) break;
    const inspected = inspectHexLine(line);
    if (!inspected.ok) worst = exitCodes.failed;
    await terminal.out(`${visibleJson(inspected)}\n`);
  }
  return worst;
}
