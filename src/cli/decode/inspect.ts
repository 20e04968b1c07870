import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { fit, oneLine, visibleJson } from "../display.ts";
import { readInput } from "../files.ts";
import { exitCodes, fileProblem, Misuse, type Terminal } from "../terminal.ts";
import { decodeValues } from "../../core/amqp-values/read-value.ts";
import { toTypedJson, type TypedJson } from "../../../codecs/amqp/typed-json.ts";
import { parseMessage, type SectionBorder } from "../../wire/amqp/message/amqp-message.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { section, sectionBySymbol } from "../../wire/amqp/message/section.ts";
import { type AmqpRow, rowsOf, rowsOfValues } from "../../serve/inspector/amqp-rows.ts";

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

/** The JSON output of `sobre inspect`: a message, one value, several values, or the error. */
export type Inspected =
  | { readonly ok: true; readonly sections: readonly TypedJson[] }
  | { readonly ok: true; readonly value: TypedJson }
  | { readonly ok: true; readonly values: readonly TypedJson[] }
  | {
      readonly ok: false;
      readonly code: string;
      readonly offset: number | undefined;
      readonly path: string | undefined;
      readonly message: string;
    };

/** Reads bytes as an AMQP message, or else as AMQP values one after another, with their types. */
export function inspectBytes(bytes: Uint8Array): Inspected {
  const message = attempt(() => readMessage(bytes));
  if (message.ok) return { ok: true, sections: message.result };
  const values = attempt(() => readValues(bytes));
  const [value, ...more] = values.ok ? values.result : [];
  if (value !== undefined && more.length === 0) return { ok: true, value };
  const isMeant = beginsLikeMessage(bytes);
  if (value !== undefined && !isMeant) return { ok: true, values: [value, ...more] };
  // Bytes that begin like a section are meant as a message, whose error says more.
  return failure(values.ok || isMeant ? message : values);
}

/** Reads a line of hex, in which blanks do not count, and says what it is as {@link inspectBytes} does. */
export function inspectHexLine(line: string): Inspected {
  const hex = line.replaceAll(/\s/g, "");
  if (/^(?:[0-9a-f]{2})+$/i.test(hex)) return inspectBytes(Buffer.from(hex, "hex"));
  const message = "The line is not hex. Write two digits per byte, and one value or message per line.";
  return { ok: false, code: "InvalidArgument", offset: undefined, path: undefined, message };
}

type InspectionAttempt<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly error: SobreError };

function attempt<T>(reading: () => T): InspectionAttempt<T> {
  try {
    return { ok: true, result: reading() };
  } catch (error) {
    if (error instanceof SobreError) return { ok: false, error };
    throw error;
  }
}

function readMessage(bytes: Uint8Array): readonly TypedJson[] {
  if (bytes.byteLength === 0) throw new SobreError("TruncatedPayload", "The input is empty.", { offset: 0, path: "$" });
  // The borders hold a message to its rules; the sections are values like any other.
  parseMessage(bytes);
  return readValues(bytes);
}

function readValues(bytes: Uint8Array): readonly TypedJson[] {
  return decodeValues(bytes).map(toTypedJson);
}

/** A section's descriptor as a small ulong, as a ulong, or as a symbol. */
// oxlint-disable-next-line no-control-regex -- these are bytes
const sectionStart = /^\x00(?:\x53[\x70-\x78]|\x80\x00{7}[\x70-\x78]|(?:\xa3.|\xb3.{4})amqp:)/s;

function beginsLikeMessage(bytes: Uint8Array): boolean {
  return sectionStart.test(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
}

function failure(attempted: InspectionAttempt<unknown>): Inspected {
  if (attempted.ok) throw new RangeError("Only a failed attempt has an error.");
  const { code, offset, path, message } = attempted.error;
  return { ok: false, code, offset, path, message };
}

const offsetWidth = 8;
const hexBytes = 8;
const widest = { label: 36, type: 10 };

/** A message or value for people: one line per section, field and item, with offset, type, content and hex. */
function inspectText(file: string, bytes: Uint8Array, inspected: Inspected, terminal: Terminal): string {
  const { style } = terminal;
  const borders = bordersOf(bytes);
  const what = !inspected.ok ? "not readable" : "sections" in inspected ? "AMQP message" : "AMQP value";
  const head = `${style.bold(oneLine(file))}  ${bytes.byteLength} bytes, ${what}`;
  const failed = inspected.ok ? [] : [style.red(oneLine(failureText(inspected)))];
  return [head, ...failed, ...bodyLines(bytes, borders, terminal)].join("\n");
}

function failureText({ code, message, path }: Extract<Inspected, { readonly ok: false }>): string {
  return `${code}: ${message}${path === undefined ? "" : ` (${path})`}`;
}

function bodyLines(bytes: Uint8Array, borders: readonly SectionBorder[], terminal: Terminal): readonly string[] {
  if (borders.length === 0) return table(bytes, rowsOfValues(bytes), terminal);
  return borders.flatMap((border) => [
    sectionLine(border, terminal),
    ...table(bytes, rowsOf(bytes, border.content, 1, border.name), terminal),
  ]);
}

/** The borders of the sections, or none when the bytes are not a message. */
function bordersOf(bytes: Uint8Array): readonly SectionBorder[] {
  try {
    return parseMessage(bytes).borders();
  } catch (error) {
    if (error instanceof SobreError) return [];
    throw error;
  }
}

/** The names of the sections in the specification, in their order. */
const names = Array.from(sectionBySymbol.keys(), (symbol) => symbol.split(":")[1] ?? "");

function sectionLine({ name, start, end }: SectionBorder, { style }: Terminal): string {
  return `${style.dim(offsetText(start))}  ${style.cyan(names[section[name]] ?? name)}  ${style.dim(`${end - start} bytes`)}`;
}

function offsetText(offset: number): string {
  return `0x${offset.toString(16).padStart(offsetWidth - 2, "0")}`;
}

function table(bytes: Uint8Array, rows: readonly AmqpRow[], { style, columns }: Terminal): readonly string[] {
  const labels = rows.map(({ label, depth }) => fit(`${"  ".repeat(depth)}${oneLine(label)}`, widest.label));
  const labelWidth = labels.reduce((most, { length }) => Math.max(most, length), 0);
  const textWidth = Math.max(16, columns - offsetWidth - labelWidth - widest.type - hexBytes * 3 - 8);
  return rows.map((row, index) => {
    const label = (labels[index] ?? "").padEnd(labelWidth);
    const text = fit(oneLine(row.text), textWidth).padEnd(textWidth);
    const type = row.type.padEnd(widest.type);
    return `${style.dim(offsetText(row.offset))}  ${label}  ${style.green(type)}  ${text}  ${style.dim(hexText(bytes, row))}`;
  });
}

function hexText(bytes: Uint8Array, { offset, end }: AmqpRow): string {
  const shown = bytes.subarray(offset, Math.min(end, offset + hexBytes));
  const hex = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return end - offset > hexBytes ? `${hex}…` : hex;
}
