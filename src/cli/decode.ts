import {
  type Attempt,
  defaultDecodeLimits,
  type DeserializeResult,
  looksLike,
  type Serializer,
} from "../codec/index.ts";
import { createEnvelope, type Json, valueToJson } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";
import { attemptTable } from "./attempt-table.ts";
import { oneLine, visibleJson } from "./display.ts";
import { readInput } from "./input.ts";
import { exitCodes, fileProblem, Misuse } from "./misuse.ts";
import { renderJson } from "./preview.ts";
import type { Terminal } from "./terminal.ts";

/** What `sobre decode` does beside reading. */
export interface DecodeCommand {
  readonly files: readonly string[];
  readonly contentType: string | undefined;
  /** One line of JSON per file instead of text for people. */
  readonly json: boolean;
}

/** Reads payload files through the chain and prints what came out; resolves to the exit code. */
export async function decodeFiles(command: DecodeCommand, serializer: Serializer, terminal: Terminal): Promise<number> {
  const { files, contentType, json } = command;
  if (files.filter((file) => file === "-").length > 1) throw new Misuse("standard input (-) can be read only once");
  let worst: number = exitCodes.done;
  let printed = false;
  for (const file of files) {
    if (terminal.closed) break;
    const outcome = await decodeFile(file, contentType, serializer);
    worst = Math.max(worst, "problem" in outcome ? exitCodes.misuse : outcome.ok ? exitCodes.done : exitCodes.failed);
    if ("problem" in outcome) terminal.err(`sobre: ${oneLine(outcome.problem)}\n`);
    if (json) await terminal.out(`${visibleJson(JSON.stringify(jsonLine(file, contentType, outcome)))}\n`);
    else if (!("problem" in outcome)) {
      await terminal.out(`${printed ? "\n" : ""}${forPeople(file, outcome, terminal)}\n`);
      printed = true;
    }
  }
  return worst;
}

/** What became of a file: a result with its rendering, or why the file could not be opened. */
type Outcome =
  | { readonly problem: string; readonly code: string }
  | (DeserializeResult & { readonly payload: Uint8Array });

async function decodeFile(file: string, contentType: string | undefined, serializer: Serializer): Promise<Outcome> {
  let payload: Uint8Array;
  try {
    payload = await readInput(file, defaultDecodeLimits.maxBytes);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { problem: fileProblem(file, error), code };
  }
  const envelope = createEnvelope({ payload, brokerProperties: { contentType } });
  return { ...serializer.deserialize(envelope), payload };
}

/** The members of a line of `--json`, in their order. */
function jsonLine(file: string, contentType: string | undefined, outcome: Outcome): Json {
  const base = { file, ok: false, codec: null, contentType: contentType ?? null, value: null };
  if ("problem" in outcome) {
    return { ...base, warnings: [], attempts: [], error: { code: outcome.code, message: outcome.problem } };
  }
  const attempts = outcome.attempts.map(jsonAttempt);
  if (!outcome.ok) {
    const { code, message } = outcome.error;
    return { ...base, warnings: [], attempts, error: { code, message } };
  }
  const { codec, warnings } = outcome;
  try {
    const value = outcome.body === undefined ? null : valueToJson(outcome.body);
    return { ...base, ok: true, codec, value, warnings, attempts };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { ...base, codec, warnings, attempts, error: { code: error.code, message: error.message } };
  }
}

function jsonAttempt({ codec, outcome, code, offset, message }: Attempt): Json {
  const where = offset === undefined ? {} : { offset };
  return { codec, outcome, code: code ?? null, ...where, message: message ?? null };
}

function forPeople(file: string, outcome: Exclude<Outcome, { problem: string }>, terminal: Terminal): string {
  const { style } = terminal;
  const name = style.bold(oneLine(file === "-" ? "standard input" : file));
  if (!outcome.ok) {
    const likeness = looksLike(outcome.payload);
    const told = likeness === undefined ? "" : `; it looks like ${likeness.name} (${likeness.contentType})`;
    const title = `${name}  ${style.red("not read")}${style.dim(`, ${outcome.payload.byteLength} bytes${told}`)}`;
    return `${title}\n${attemptTable(outcome, terminal)}`;
  }
  const before = outcome.attempts.filter((attempt) => attempt.outcome === "failed").map(({ codec }) => codec);
  const tried = before.length === 0 ? "" : style.dim(` after ${before.join(" and ")} failed`);
  const warnings = outcome.warnings.map((warning) => `\n${style.yellow("warning")}  ${oneLine(warning)}`).join("");
  const value = outcome.body === undefined ? style.dim("(empty)") : visibleJson(renderJson(outcome.body, 2));
  return `${name}  read by ${style.green(outcome.codec)}${tried}${warnings}\n${value}`;
}
