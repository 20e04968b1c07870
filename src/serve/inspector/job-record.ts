import type { RedriveLog } from "../../client/client/redrive/log.ts";
import type { RedriveEntry } from "../../client/client/redrive/report.ts";
import { parsedJson } from "../../core/values/json.ts";
import { isObject } from "../../core/values/plain-object.ts";
import type { Guarantee, JobState, RedriveInit } from "./api.ts";

/** The beginning of a re-drive's record. */
export interface RecordHead {
  readonly id: string;
  readonly init: RedriveInit;
  readonly startedAt: string;
}

/** A line of the record between the outcomes of messages. */
export type Note =
  | { readonly note: "begun"; readonly head: RecordHead }
  | {
      readonly note: "running";
      readonly pid: number;
      readonly guarantee: Guarantee;
      readonly total: number | null;
    }
  | { readonly note: "sending"; readonly sequenceNumber: string }
  | { readonly note: "ended"; readonly state: JobState; readonly why: string; readonly seen: number };

/** The record of a re-drive: the client's log, with notes in between. */
export interface JobRecord extends RedriveLog {
  note(note: Note): Promise<void>;
}

/** The past of a re-drive, by its record. */
export interface JobPast {
  readonly head: RecordHead;
  /** How it last ended; `undefined` when its process ended first. */
  readonly end: { readonly state: JobState; readonly why: string } | undefined;
  /** The process that ran it last; 0 when none did. After its end, another one may have that number. */
  readonly pid: number;
  readonly guarantee: Guarantee;
  readonly total: number | null;
  readonly seen: number;
  readonly entries: readonly RedriveEntry[];
  /** Messages whose outcome was not recorded: they may have been sent. */
  readonly inDoubt: readonly bigint[];
}

/** The line of a note, which the client's log passes over. */
export const lineOf = (note: Note): string => `#${JSON.stringify(note)}`;

/** The past in the lines of a record; `undefined` when they are not one. A last line may be cut short. */
export function pastOf(lines: readonly string[]): JobPast | undefined {
  let head: RecordHead | undefined;
  let running: Extract<Note, { readonly note: "running" }> | undefined;
  let end: Extract<Note, { readonly note: "ended" }> | undefined;
  const entries: RedriveEntry[] = [];
  const sending = new Set<bigint>();
  const inDoubt = new Set<bigint>();
  for (const line of lines) {
    const value = parsedJson(line.replace(/^#/, ""));
    if (!isObject(value)) continue;
    if (isNote(value)) {
      if (value.note === "begun") head = value.head;
      else if (value.note === "sending") sending.add(BigInt(value.sequenceNumber));
      else if (value.note === "running") {
        for (const one of sending) inDoubt.add(one);
        running = value;
        end = undefined;
      } else {
        // A run that ended in order knows the outcome of all that it sent; one that failed may not have recorded it.
        if (value.state !== "failed") sending.clear();
        end = value;
      }
    } else if (isEntry(value)) {
      const entry = { ...value, sequenceNumber: BigInt(value.sequenceNumber) };
      entries.push(entry);
      sending.delete(entry.sequenceNumber);
    }
  }
  if (head === undefined) return undefined;
  const { pid = 0, guarantee = "sendThenComplete", total = null } = running ?? {};
  const seen = Math.max(end?.seen ?? 0, entries.length);
  return { head, end, pid, guarantee, total, seen, entries, inDoubt: [...new Set([...inDoubt, ...sending])] };
}

/** Only this program writes records, in a directory of its own. */
const isNote = (value: object): value is Note => "note" in value;

const isEntry = (value: object): value is Omit<RedriveEntry, "sequenceNumber"> & { readonly sequenceNumber: string } =>
  "outcome" in value && "sequenceNumber" in value && typeof value.sequenceNumber === "string";
