import type { Event } from "./record.ts";

const ids = /id-\d+-\d+-/g;

/**
 * Holds every acknowledgement to the sync before it: the message lies in what was written to the log before a sync
 * of the log began that has ended.
 *
 * @returns how many acknowledgements there were, and the first that was too early.
 */
export function checkOrder(events: readonly Event[]): { readonly count: number; readonly early: string | undefined } {
  const synced = new Set<string>();
  let syncing = new Set<string>();
  let written = new Set<string>();
  let count = 0;
  for (const event of events) {
    if (event.kind === "write" && event.file === "w") {
      for (const [id] of event.bytes.toString("latin1").matchAll(ids)) written.add(id);
    } else if (event.kind === "sync begins" && event.file === "w") {
      syncing = written;
      written = new Set();
    } else if (event.kind === "sync ends" && event.file === "w") {
      for (const id of syncing) synced.add(id);
    } else if (event.kind === "line" && event.text.startsWith("send done")) {
      count++;
      const [id = ""] = event.text.match(ids) ?? [];
      if (!synced.has(id)) return { count, early: id };
    }
  }
  return { count, early: undefined };
}
