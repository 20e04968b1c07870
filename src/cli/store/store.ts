import { appendFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { deliveryToJson } from "../../core/engine/delivery-json.ts";
import type { Item } from "../../broker/durable/inventory.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { notWritten } from "../../migration/read/file-reason.ts";
import { counted, oneLine } from "../display.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";
import { renderTable } from "../table.ts";

/** The messages of one queue. */
interface Count {
  messages: number;
  deferred: number;
  scheduled: number;
  bytes: number;
  /** Milliseconds since 1970. */
  oldest: number;
}

/** Characters that are written to a file at a time. */
const buffered = 2 ** 20;

/** Checks every row of a store and prints its counts; resolves to the exit code. */
export async function checkStore(directory: string, terminal: Terminal): Promise<number> {
  checkDirectory(directory);
  const { inventory } = await import("../../broker/durable/inventory.ts");
  const counts = new Map<string, Count>();
  try {
    for (const { address, message } of inventory(directory)) {
      const count = counts.get(address) ?? { messages: 0, deferred: 0, scheduled: 0, bytes: 0, oldest: Infinity };
      count.messages++;
      if (message.state === "deferred") count.deferred++;
      if (message.state === "scheduled") count.scheduled++;
      count.bytes += message.size;
      count.oldest = Math.min(count.oldest, message.enqueuedAt);
      counts.set(address, count);
    }
  } catch (error) {
    return failed(error, terminal);
  }
  const rows = [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([address, { messages, deferred, scheduled, bytes, oldest }]) => [
      oneLine(address),
      String(messages),
      String(deferred),
      String(scheduled),
      String(bytes),
      new Date(oldest).toISOString(),
    ]);
  const head = ["queue", "messages", "deferred", "scheduled", "bytes", "oldest"];
  const table = renderTable(rows, { widths: [30, 9, 9, 9, 12, 24], head, right: [1, 2, 3, 4] });
  await terminal.out(`${oneLine(directory)} is intact.\n${rows.length === 0 ? "No messages.\n" : `\n${table}\n`}`);
  return exitCodes.done;
}

/** Writes the messages of a store into a new folder, one file a queue; resolves to the exit code. */
export async function exportStore(directory: string, folder: string, terminal: Terminal): Promise<number> {
  checkDirectory(directory);
  checkNew(folder);
  const [{ inventory }, { makeDirectory }] = await Promise.all([
    import("../../broker/durable/inventory.ts"),
    import("../../broker/durable/claim.ts"),
  ]);
  const files = new Map<string, string>();
  const damages = new Set<string>();
  let written = 0;
  const report = (where: string): void => {
    if (!damages.has(where)) terminal.err(`sobre: ${oneLine(where)}\n`);
    damages.add(where);
  };
  try {
    for (const item of inventory(directory, report)) {
      const line = lineOf(item, report);
      if (line === undefined) continue;
      const path = join(folder, `${encodeURIComponent(item.address)}.ndjson`);
      const lines = `${files.get(path) ?? ""}${line}\n`;
      makeDirectory(folder);
      if (lines.length > buffered) append(path, lines);
      files.set(path, lines.length > buffered ? "" : lines);
      written++;
    }
    makeDirectory(folder);
    for (const [path, lines] of files) append(path, lines);
  } catch (error) {
    return failed(error, terminal);
  }
  await terminal.out(`${counted(written, "message")} of ${counted(files.size, "queue")} in ${folder}\n`);
  return damages.size === 0 ? exitCodes.done : exitCodes.failed;
}

function lineOf(item: Item, report: (where: string) => void): string | undefined {
  try {
    return JSON.stringify(deliveryToJson(item.delivery()));
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    report(`the message ${item.message.record} cannot be read: ${error.message}`);
    return undefined;
  }
}

/** @throws Misuse for anything but the directory of a store. */
function checkDirectory(directory: string): void {
  // A damaged database is closed under the second name; the third is all that remains of a lost one.
  const paths = ["store.sqlite", "store.sqlite.closing", "synced"].map((name) => join(directory, name));
  if (!paths.some((path) => existsSync(path) && statSync(path).size > 0))
    throw new Misuse(`${directory} has no store: store.sqlite is missing or empty`);
}

/** @throws Misuse for a folder with files, and for a file. */
function checkNew(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new Misuse(`${folder} is a file. Choose a new folder`);
  if (readdirSync(folder).length > 0) throw new Misuse(`${folder} is not empty. Choose a new folder`);
}

/** @throws SobreError when the file cannot be written. */
function append(path: string, lines: string): void {
  try {
    appendFileSync(path, lines);
  } catch (error) {
    throw notWritten(path, error);
  }
}

function failed(error: unknown, terminal: Terminal): number {
  if (!(error instanceof SobreError) && !(error instanceof Error && "errcode" in error)) throw error;
  terminal.err(`sobre: ${oneLine(error.message)}\n`);
  return exitCodes.failed;
}
