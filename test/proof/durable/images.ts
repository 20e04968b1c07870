import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EnvelopeSink } from "../../../src/engines/durable/fact-rows.ts";
import { StoreDatabase } from "../../../src/engines/durable/store-database.ts";
import type { Random } from "../../random.support.ts";
import type { Event, StoreFile } from "./record.ts";

const names: Readonly<Record<StoreFile, string>> = {
  m: "store.sqlite",
  j: "store.sqlite-journal",
  w: "store.sqlite-wal",
  s: "synced",
};
const sector = 512;

type Change = Extract<Event, { readonly kind: "write" } | { readonly kind: "truncate" }>;

/** A file as a disk has it: what was synced, and what was written since, of which a loss of power leaves anything. */
class File {
  #synced: Buffer = Buffer.alloc(0);
  #since: Change[] = [];
  #syncing = 0;

  add(change: Change): void {
    this.#since.push(change);
  }

  beginSync(): void {
    this.#syncing = this.#since.length;
  }

  endSync(): void {
    for (const change of this.#since.splice(0, this.#syncing)) this.#synced = applied(this.#synced, change);
    this.#syncing = 0;
  }

  /** The file after a loss of power: each change since the last sync is there, is not, or is torn. */
  lost(random: Random): Buffer {
    let bytes: Buffer = Buffer.from(this.#synced);
    for (const change of this.#since) {
      if (random.chance(0.4)) continue;
      bytes = applied(bytes, random.chance(0.5) ? torn(change, random) : change);
    }
    return bytes;
  }
}

/** Makes images of a store after a loss of power at random moments, and opens each. */
export async function images(
  events: readonly Event[],
  folder: string,
  count: number,
  random: Random,
): Promise<{ readonly acknowledged: number }> {
  const creation = events.findIndex(({ kind }) => kind === "line");
  const moments = Array.from({ length: count }, (_, index) =>
    random.integer(index % 10 === 0 ? creation : events.length),
  ).toSorted((a, b) => a - b);
  const files: Record<StoreFile, File> = { m: new File(), j: new File(), w: new File(), s: new File() };
  const acknowledged = new Set<string>();
  let next = 0;
  let checked = 0;
  for (const [index, event] of events.entries()) {
    for (; moments[next] === index; next++)
      checked += await openImage(files, join(folder, `image-${next}`), acknowledged, random);
    if (event.kind === "line") {
      const [, id] = /^send done plain (\S+)/.exec(event.text) ?? [];
      if (id !== undefined) acknowledged.add(id);
    } else if (event.kind === "sync begins") files[event.file].beginSync();
    else if (event.kind === "write" || event.kind === "truncate") files[event.file].add(event);
    else files[event.file].endSync();
  }
  return { acknowledged: checked };
}

/** @throws when the image does not open, or an acknowledged message is missing. */
async function openImage(
  files: Readonly<Record<StoreFile, File>>,
  directory: string,
  acknowledged: ReadonlySet<string>,
  random: Random,
): Promise<number> {
  await mkdir(directory);
  for (const file of ["m", "j", "w", "s"] as const)
    await writeFile(join(directory, names[file]), files[file].lost(random));
  const database = new StoreDatabase(directory);
  const sink = new EnvelopeSink();
  for (const _row of database.rows(() => sink)) continue;
  database.close();
  const there = new Set<unknown>();
  for (const envelope of sink.byRecord.values()) {
    if (envelope instanceof Error) throw envelope;
    there.add(envelope.brokerProperties.messageId);
  }
  for (const id of acknowledged)
    if (!there.has(id)) throw new Error(`${id} was acknowledged and is not in ${directory}.`);
  await rm(directory, { recursive: true });
  return acknowledged.size;
}

function applied(bytes: Buffer, change: Change): Buffer {
  if (change.kind === "truncate") {
    if (change.length <= bytes.length) return bytes.subarray(0, change.length);
    return Buffer.concat([bytes, Buffer.alloc(change.length - bytes.length)]);
  }
  const end = change.offset + change.bytes.length;
  const whole = end <= bytes.length ? bytes : Buffer.concat([bytes, Buffer.alloc(end - bytes.length)]);
  change.bytes.copy(whole, change.offset);
  return whole;
}

/** Some sectors of a write are not there. */
function torn(change: Change, random: Random): Change {
  if (change.kind === "truncate" || change.bytes.length <= sector) return change;
  const bytes = Buffer.from(change.bytes);
  for (let at = 0; at < bytes.length; at += sector) if (random.chance(0.3)) bytes.fill(0, at, at + sector);
  return { ...change, bytes };
}
