import { writeSync } from "node:fs";

/** An entry of a process's log; `begun` comes before the call, `done` after it was acknowledged, `refused` when it certainly had no effect. */
export interface Entry {
  /** Nanoseconds of a clock that all processes of the machine share. */
  readonly at: bigint;
  /** When the call began that this is the end of. */
  readonly since: bigint;
  readonly kind: "send" | "receive" | "complete" | "deadLetter" | "state" | "seen" | "failed";
  readonly when: "begun" | "done" | "refused";
  readonly queue: string;
  readonly ids: readonly string[];
}

/** Writes an entry as a line of its own, which outlives the process; returns its time. */
export function say(
  kind: Entry["kind"],
  when: Entry["when"],
  queue: string,
  ids: readonly string[],
  since: bigint = process.hrtime.bigint(),
): bigint {
  const at = process.hrtime.bigint();
  writeSync(1, `${at} ${since} ${kind} ${when} ${queue} ${ids.join(",")}\n`);
  return at;
}

/** Reads a line; `undefined` for the half of one that a killed process has left behind. */
export function readEntry(line: string): Entry | undefined {
  const [, at, since, kind, when, queue, ids] =
    /^(\d+) (\d+) (send|receive|complete|deadLetter|state|seen|failed) (begun|done|refused) (\S+) (.*)$/.exec(line) ??
    [];
  if (at === undefined || since === undefined || queue === undefined || ids === undefined) return undefined;
  return {
    at: BigInt(at),
    since: BigInt(since),
    kind: kindOf(kind),
    when: whenOf(when),
    queue,
    ids: ids === "" ? [] : ids.split(","),
  };
}

const kinds: readonly Entry["kind"][] = ["send", "receive", "complete", "deadLetter", "state", "seen", "failed"];
const whens: readonly Entry["when"][] = ["begun", "done", "refused"];

function kindOf(text: string | undefined): Entry["kind"] {
  return kinds.find((kind) => kind === text) ?? "failed";
}

function whenOf(text: string | undefined): Entry["when"] {
  return whens.find((when) => when === text) ?? "begun";
}
