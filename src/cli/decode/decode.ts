import { wholeMessageIn } from "../../wire/amqp/message/whole-message.ts";
import type { Attempt } from "../../core/codec/attempt.ts";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { looksLike } from "../../core/codec/looks-like.ts";
import type { ReadResult } from "../../core/codec/result.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import type { Json } from "../../core/values/json.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { attemptTable } from "../table.ts";
import { displayWidth, oneLine, visibleJson, wrapText } from "../display.ts";
import { bytesOfText, readInput, type TextForm } from "../files.ts";
import { exitCodes, fileProblem, Misuse, orMisuse, type Terminal } from "../terminal.ts";

/** The arguments of `sobre decode`. */
export interface DecodeCommand {
  readonly files: readonly string[];
  readonly contentType: string | undefined;
  /** One line of JSON per file instead of text for people. */
  readonly json: boolean;
  /** The form in which text shows the bytes. Default: none. */
  readonly text?: TextForm | undefined;
}

/** Decodes payload files with the chain and prints the results; resolves to the exit code. */
export async function decodeFiles(command: DecodeCommand, serializer: Serializer, terminal: Terminal): Promise<number> {
  const { files, contentType, json, text: form } = command;
  if (files.filter((file) => file === "-").length > 1) throw new Misuse("standard input (-) can be read only once");
  let worst: number = exitCodes.done;
  let printed = false;
  for (const file of files) {
    if (terminal.closed) break;
    const { outcome, text } = show(await decodeFile({ file, contentType, form }, serializer), (shown) =>
      json ? jsonLine(file, contentType, shown) : forPeople(file, shown, terminal),
    );
    worst = Math.max(worst, exitCodeOf[outcome.kind]);
    if (outcome.kind === "missing") terminal.err(`sobre: ${oneLine(outcome.message)}\n`);
    if (text === "") continue;
    await terminal.out(`${printed && !json ? "\n" : ""}${text}\n`);
    printed = true;
  }
  return worst;
}

/** The outcome for one file. */
type FileOutcome =
  | { readonly kind: "missing"; readonly code: string; readonly message: string }
  | { readonly kind: "read"; readonly result: ReadResult; readonly value: Json | undefined }
  | DecodeFailure;

/** A payload that nothing read, or one that `codec` read and whose value JSON cannot show. */
interface DecodeFailure {
  readonly kind: "failed";
  readonly codec: string | undefined;
  readonly error: SobreError;
  readonly attempts: readonly Attempt[];
  readonly payload: Uint8Array;
}

/** The outcome as text, or as a failure when the text is longer than a string can be. */
function show(
  outcome: FileOutcome,
  render: (outcome: FileOutcome) => string,
): { readonly outcome: FileOutcome; readonly text: string } {
  try {
    return { outcome, text: render(outcome) };
  } catch (cause) {
    if (!(cause instanceof RangeError) || outcome.kind !== "read") throw cause;
    const error = new SobreError("LimitExceeded", "The value was read but is too large to be printed as JSON.", {
      cause,
    });
    const { codec, attempts } = outcome.result;
    const failure: FileOutcome = { kind: "failed", codec, error, attempts, payload: new Uint8Array(0) };
    return { outcome: failure, text: render(failure) };
  }
}

const exitCodeOf = { missing: exitCodes.misuse, read: exitCodes.done, failed: exitCodes.failed } as const;

interface DecodeSource {
  readonly file: string;
  readonly contentType: string | undefined;
  readonly form: TextForm | undefined;
}

async function decodeFile({ file, contentType, form }: DecodeSource, serializer: Serializer): Promise<FileOutcome> {
  let payload: Uint8Array;
  try {
    // Text takes more bytes than it shows.
    const read = await readInput(file, defaultDecodeLimits.maxBytes * (form === undefined ? 1 : 4));
    payload = form === undefined ? read : bytesOfText(read, form, file);
  } catch (error) {
    if (error instanceof Misuse) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { kind: "missing", code, message: fileProblem(file, error) };
  }
  const message = wholeMessageIn(payload, contentType);
  const result = serializer.deserialize(message ?? envelopeOf(payload, contentType));
  const { attempts } = result;
  if (!result.ok) return { kind: "failed", codec: undefined, error: result.error, attempts, payload };
  try {
    // Some senders leave out the body of a message that is null.
    const body = message?.bodyKind === "value" && result.body === undefined ? null : result.body;
    return { kind: "read", result, value: body === undefined ? undefined : valueToJson(body) };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { kind: "failed", codec: result.codec, error, attempts, payload };
  }
}

function envelopeOf(payload: Uint8Array, contentType: string | undefined): Envelope {
  return orMisuse(
    () => createEnvelope({ payload, brokerProperties: { contentType } }),
    ({ message }) => `--content-type: ${message}`,
  );
}

/** The members are in the documented order. */
function jsonLine(file: string, contentType: string | undefined, outcome: FileOutcome): string {
  const declared = contentType ?? null;
  switch (outcome.kind) {
    case "missing": {
      const { code, message } = outcome;
      return line({ file, ok: false, codec: null, contentType: declared, value: null }, [], [], { code, message });
    }
    case "failed": {
      const { codec = null, error, attempts } = outcome;
      const { code, message } = error;
      return line({ file, ok: false, codec, contentType: declared, value: null }, [], attempts, { code, message });
    }
    case "read": {
      // A value that is undefined has no member: null is another value.
      const { value, result } = outcome;
      const { codec, warnings, attempts, typeName } = result;
      const type = typeName === undefined ? {} : { type: typeName };
      return line({ file, ok: true, codec, contentType: declared, ...type, value }, warnings, attempts);
    }
    default:
      return outcome satisfies never;
  }
}

function line(head: object, warnings: readonly string[], attempts: readonly Attempt[], error?: object): string {
  const told = attempts.map(({ codec, outcome, code, offset, message }) => ({
    codec,
    outcome,
    code: code ?? null,
    ...(offset === undefined ? {} : { offset }),
    message: message ?? null,
  }));
  return visibleJson({ ...head, warnings, attempts: told, ...(error === undefined ? {} : { error }) });
}

/** Missing files are reported on standard error only. */
function forPeople(file: string, outcome: FileOutcome, terminal: Terminal): string {
  if (outcome.kind === "missing") return "";
  const { style, columns } = terminal;
  const plainName = oneLine(file === "-" ? "standard input" : file);
  const name = style.bold(plainName);
  if (outcome.kind === "failed") {
    const { codec, error, payload } = outcome;
    if (codec !== undefined) return `${name}  ${style.red(`read by ${codec}, but cannot be shown`)}\n${error.message}`;
    const likeness = looksLike(payload);
    const told = likeness === undefined ? "" : `; it looks like ${likeness.name} (${likeness.contentType})`;
    const title = `${name}  ${style.red("not read")}${style.dim(`, ${payload.byteLength} bytes${told}`)}`;
    return `${title}\n${attemptTable(outcome, terminal)}`;
  }
  const { result, value } = outcome;
  const before = result.attempts.filter((attempt) => attempt.outcome === "failed").map(({ codec }) => codec);
  const tried = before.length === 0 ? "" : style.dim(` after ${before.join(" and ")} failed`);
  const warnings = result.warnings.map((warning) => `\n${style.yellow("warning")}  ${oneLine(warning)}`).join("");
  const shown = value === undefined ? style.dim("(empty)") : visibleJson(value, 2);
  const type = result.typeName === undefined ? "" : oneLine(result.typeName);
  const head = `${name}  read by ${style.green(result.codec)}`;
  const isWide = displayWidth(`${plainName}  read by ${result.codec}  ${type}`) > columns;
  const typed = type === "" ? "" : isWide ? `\n${wrapText(type, columns).join("\n")}` : `  ${type}`;
  return `${head}${typed}${tried}${warnings}\n${shown}`;
}
