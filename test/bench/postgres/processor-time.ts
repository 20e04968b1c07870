import { readdirSync, readFileSync } from "node:fs";
import type { PostgresServer } from "../../external/postgres-server.support.ts";

/** Milliseconds of a tick of the kernel's counters. */
const tick = 10;

/** Processor time of a server in milliseconds: of its processes, and of those that have ended. */
export function timeOfServer({ folder }: PostgresServer): number {
  const [first = ""] = readFileSync(`${folder}/data/postmaster.pid`, "utf8").split("\n");
  let ticks = 0;
  for (const pid of readdirSync("/proc")) {
    const [parent, ...times] = countersOf(pid);
    if (pid === first) ticks += times.reduce((sum, time) => sum + time, 0);
    else if (parent === Number(first)) ticks += (times[0] ?? 0) + (times[1] ?? 0);
  }
  return ticks * tick;
}

/** Processor time of a process in milliseconds. */
export function timeOfProcess(pid: number | undefined): number {
  const [, user = 0, system = 0] = countersOf(String(pid));
  return (user + system) * tick;
}

/** A process's parent, its time in and outside the kernel, and the same of its children that have ended; empty when it has ended. */
function countersOf(pid: string): readonly number[] {
  if (!/^\d+$/.test(pid)) return [];
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may have spaces and brackets.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return [fields[1] ?? 0, ...fields.slice(11, 15)];
  } catch {
    return [];
  }
}
