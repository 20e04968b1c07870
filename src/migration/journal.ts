import { crc32 } from "node:zlib";
import {
  closeSync,
  createReadStream,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { invalidInput } from "../core/errors/invalid-input.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { reasonOf } from "./read/file-reason.ts";
import { jsonTexts } from "./read/json-texts.ts";
import { entryFromJson, type JournalEntry, type JournalEntryJson } from "./journal-entry.ts";

/** The first line of a journal: whatever must be the same when the migration resumes. */
export interface JournalHead {
  /** Source and options, in a form that can be compared. */
  readonly settings: string;
  /** The type profiles of the first pass, so that all messages are written with the same schema. */
  readonly profiles: unknown;
}

/** A line of a journal: an entry, and the size of the output including its message. */
interface JournalLine {
  readonly entry: JournalEntry;
  readonly outputLength: number;
}

/** Bytes that are buffered before they are written. */
const bufferSize = 65_536;

/**
 * The record of a migration, next to its output. Each line has its own checksum, and the output is written before the
 * journal: wherever either is cut off, everything in the journal is in the output, and the rest is migrated again.
 */
export class MigrationJournal {
  readonly #output: number;
  readonly #journal: number;
  readonly #path: string;
  #outputLength: number;
  #pendingOutput: Uint8Array[] = [];
  #pendingJournal: Uint8Array[] = [];
  #pendingSize = 0;

  private constructor(
    path: string,
    outputLength: number,
    files: { readonly output: number; readonly journal: number },
  ) {
    this.#path = path;
    this.#outputLength = outputLength;
    this.#output = files.output;
    this.#journal = files.journal;
  }

  /** Starts a migration. @throws SobreError `InvalidArgument` when the output or its journal exists. */
  static begin(path: string, head: JournalHead): MigrationJournal {
    for (const file of [path, journalPath(path)])
      if (existsSync(file))
        throw new SobreError(
          "InvalidArgument",
          `${file} already exists. Continue it with --resume, or choose another file.`,
        );
    const files = { output: openSync(path, "ax"), journal: openSync(journalPath(path), "ax") };
    const journal = new MigrationJournal(path, 0, files);
    journal.#pendingJournal.push(...lineOf(Buffer.from(JSON.stringify(head)), noBytes));
    journal.flush();
    return journal;
  }

  /**
   * Resumes a migration: truncates incomplete data from both files. `undefined` when there is nothing to resume.
   *
   * @throws SobreError `InvalidArgument` when the interrupted migration had other settings, or left no journal.
   */
  static async resume(
    path: string,
    settings: string,
  ): Promise<{ readonly journal: MigrationJournal; readonly head: JournalHead } | undefined> {
    if (!existsSync(path) && !existsSync(journalPath(path))) return undefined;
    for (const file of [path, journalPath(path)]) closeSync(openSync(file, "a"));
    const outputSize = statSync(path).size;
    let head: JournalHead | undefined;
    let keptJournal = 0;
    let keptOutput = 0;
    for await (const { value, end } of linesOf(path)) {
      if (head === undefined) head = headOf(value);
      else {
        const line = journalLine(value);
        if (line === undefined || line.outputLength > outputSize) break;
        keptOutput = line.outputLength;
      }
      keptJournal = end;
    }
    if (head === undefined) {
      // Interrupted before anything was written, or not the output of a migration.
      if (outputSize > 0)
        throw new SobreError(
          "InvalidArgument",
          `${path} has no journal, so it cannot be resumed. Choose another file.`,
        );
      for (const file of [path, journalPath(path)]) rmSync(file);
      return undefined;
    }
    if (head.settings !== settings) {
      throw new SobreError(
        "InvalidArgument",
        `${path} was begun with another source or other options. Use the same ones, or choose another file.`,
      );
    }
    const files = { output: openSync(path, "r+"), journal: openSync(journalPath(path), "r+") };
    ftruncateSync(files.output, keptOutput);
    ftruncateSync(files.journal, keptJournal);
    return { journal: new MigrationJournal(path, keptOutput, files).#atEnd(keptJournal), head };
  }

  #journalLength = 0;

  #atEnd(journalLength: number): this {
    this.#journalLength = journalLength;
    return this;
  }

  /** The entries of earlier runs, in order. */
  entries(): AsyncGenerator<JournalEntry> {
    return entriesOf(this.#path);
  }

  /** Appends the entry of a message, as JSON, and its line in the output. */
  append(entry: Uint8Array, output: Uint8Array | undefined): void {
    if (output !== undefined) {
      this.#pendingOutput.push(output);
      this.#outputLength += output.byteLength;
    }
    const end = Buffer.from(`,"outputLength":${this.#outputLength}}`);
    this.#pendingJournal.push(...lineOf(entry.subarray(0, -1), end));
    this.#pendingSize += entry.byteLength + end.byteLength + (output?.byteLength ?? 0);
    if (this.#pendingSize >= bufferSize) this.flush();
  }

  /** Writes the buffers, the output first. @throws file system errors. */
  flush(): void {
    const output = Buffer.concat(this.#pendingOutput);
    const journal = Buffer.concat(this.#pendingJournal);
    writeAll(this.#output, output, this.#outputLength - output.byteLength);
    writeAll(this.#journal, journal, this.#journalLength);
    this.#journalLength += journal.byteLength;
    this.#pendingOutput = [];
    this.#pendingJournal = [];
    this.#pendingSize = 0;
  }

  /** Writes everything, synced to disk. */
  close(): void {
    this.flush();
    fdatasyncSync(this.#output);
    fdatasyncSync(this.#journal);
    closeSync(this.#output);
    closeSync(this.#journal);
  }
}

/** A journal that was read on its own. */
export interface ReadJournal {
  /** The name of the source that was migrated. */
  readonly source: string;
  /** The outcomes, in order. */
  readonly entries: () => AsyncGenerator<JournalEntry>;
}

/** Reads the journal of an output, which is not changed. @throws SobreError `InvalidArgument` when there is none. */
export async function readJournal(output: string): Promise<ReadJournal> {
  for await (const { value } of storedLines(output)) {
    const head = headOf(value);
    if (head === undefined) break;
    return { source: sourceOf(head), entries: () => entriesOf(output) };
  }
  throw new SobreError("InvalidArgument", `${journalPath(output)} is not the journal of a migration.`);
}

async function* storedLines(output: string): ReturnType<typeof linesOf> {
  try {
    yield* linesOf(output);
  } catch (error) {
    throw invalidInput(`${journalPath(output)} cannot be read`, error, reasonOf(error));
  }
}

function sourceOf({ settings }: JournalHead): string {
  const { source }: { readonly source?: unknown } = JSON.parse(settings);
  return typeof source === "string" ? source : "";
}

/** The entries of a journal, in order. */
async function* entriesOf(output: string): AsyncGenerator<JournalEntry> {
  let first = true;
  for await (const { value } of linesOf(output)) {
    const line = first ? undefined : journalLine(value);
    first = false;
    if (line !== undefined) yield line.entry;
  }
}

/** The path of an output's journal, next to it. */
function journalPath(path: string): string {
  return `${path}.journal`;
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength;)
    done += writeSync(file, bytes, done, bytes.byteLength - done, position + done);
}

const noBytes = new Uint8Array(0);
const newline = Buffer.from("\n");

/** The line of a JSON text in two parts. */
function lineOf(start: Uint8Array, end: Uint8Array): readonly Uint8Array[] {
  return [Buffer.from(`${checksum(crc32(end, crc32(start)))} `), start, end, newline];
}

function checksum(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** The values of the lines up to the first that is torn or damaged. */
async function* linesOf(path: string): AsyncGenerator<{ readonly value: unknown; readonly end: number }> {
  const file = journalPath(path);
  const { size } = statSync(file);
  for await (const { bytes, end } of jsonTexts(createReadStream(file), "lines", Number.MAX_SAFE_INTEGER)) {
    const text = Buffer.from(bytes).toString();
    const json = text.slice(9);
    // A line without a line end is torn, even if its checksum is right.
    if (text.slice(0, 8) !== checksum(crc32(json)) || (end === size && !endsWithNewline(file, size))) return;
    yield { value: JSON.parse(json), end };
  }
}

function endsWithNewline(path: string, size: number): boolean {
  const file = openSync(path, "r");
  const last = new Uint8Array(1);
  readSync(file, last, 0, 1, size - 1);
  closeSync(file);
  return last[0] === 0x0a;
}

function headOf(value: unknown): JournalHead | undefined {
  const { settings, profiles }: Partial<Record<string, unknown>> = { ...(typeof value === "object" ? value : {}) };
  return typeof settings === "string" ? { settings, profiles } : undefined;
}

function journalLine(value: unknown): JournalLine | undefined {
  if (!isJournalLine(value)) return undefined;
  const { outputLength, ...entry } = value;
  return { outputLength, entry: entryFromJson(entry) };
}

interface WrittenLine extends JournalEntryJson {
  readonly outputLength: number;
}

/** A minimal check suffices: the checksum has shown that the line is as written. */
function isJournalLine(value: unknown): value is WrittenLine {
  return typeof value === "object" && value !== null && "outputLength" in value && "order" in value;
}
