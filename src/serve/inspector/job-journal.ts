import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Guarantee } from "./api.ts";
import { type JobPast, type JobRecord, lineOf, pastOf } from "./job-record.ts";

/** Records that are kept; the oldest of those that are done make room. */
const maxJournalJobs = 50;

const suffix = ".redrive.jsonl";

/** The records of re-drives: files of a directory that the owner alone can read. */
export class JobJournal {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The re-drives of earlier runs, the latest first; none where there is no directory. Passes over a damaged record. */
  async load(): Promise<readonly JobPast[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const found: JobPast[] = [];
    for (const name of names.filter((one) => one.endsWith(suffix))) {
      const past = await linesOf(join(this.#directory, name))
        .then(pastOf)
        .catch(() => undefined);
      if (past !== undefined && name === `${past.head.id}${suffix}`) found.push(past);
    }
    const sorted = found.toSorted((a, b) => (a.head.startedAt < b.head.startedAt ? 1 : -1));
    for (const { head, end } of sorted.slice(maxJournalJobs))
      if (end?.state === "done") await rm(this.#path(head.id)).catch(() => undefined);
    return sorted.slice(0, maxJournalJobs);
  }

  /** The record of one re-drive, which need not exist yet. */
  record(id: string): JobRecord {
    const path = this.#path(id);
    // In a transaction, none is ever sent twice: what was recorded last may be lost.
    let guarantee: Guarantee = "sendThenComplete";
    const append = async (line: string): Promise<void> => {
      try {
        await mkdir(this.#directory, { recursive: true, mode: 0o700 });
        await appendFile(path, `${line}\n`, { mode: 0o600, flush: guarantee !== "transaction" });
      } catch (error) {
        throw new SobreError("GeneralError", `The re-drive cannot be recorded in ${this.#directory}.`, {
          cause: error,
        });
      }
    };
    return {
      read: async () => {
        try {
          return await linesOf(path);
        } catch (error) {
          throw new SobreError("GeneralError", `The record of the re-drive cannot be read in ${this.#directory}.`, {
            cause: error,
          });
        }
      },
      async append(line) {
        if (!line.includes('"outcome":"skipped"')) await append(line);
      },
      async note(note) {
        if (note.note === "running") ({ guarantee } = note);
        // The process before may have ended in the middle of a line.
        await append(note.note === "running" ? `\n${lineOf(note)}` : lineOf(note));
      },
    };
  }

  #path(id: string): string {
    return join(this.#directory, `${id}${suffix}`);
  }
}

const linesOf = async (path: string): Promise<readonly string[]> => (await readFile(path, "utf8")).split("\n");

/** A record that ends with the process; messages that were not selected may be many. */
export function memoryRecord(): JobRecord {
  const lines: string[] = [];
  return {
    read: async () => lines,
    async append(line) {
      if (!line.includes('"outcome":"skipped"')) lines.push(line);
    },
    note: async () => undefined,
  };
}
