import type { Random } from "../../random.support.ts";
import type { Event, StoreFile } from "./record.ts";

/** The files of a store in its directory. */
export const storeFiles: Readonly<Record<StoreFile, string>> = {
  m: "store.sqlite",
  j: "store.sqlite-journal",
  w: "store.sqlite-wal",
  s: "synced",
};
const sector = 512;

type Change = Extract<Event, { readonly kind: "write" } | { readonly kind: "truncate" }>;

/** Bytes that grow where they are. */
class Bytes {
  #room: Buffer;
  #length: number;

  constructor(from: Buffer = Buffer.alloc(0)) {
    this.#room = Buffer.from(from);
    this.#length = from.length;
  }

  get all(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  apply(change: Change): void {
    if (change.kind === "write") {
      this.#grow(Math.max(this.#length, change.offset + change.bytes.length));
      change.bytes.copy(this.#room, change.offset);
    } else if (change.length > this.#length) this.#grow(change.length);
    else this.#length = change.length;
  }

  #grow(length: number): void {
    if (length > this.#room.length) this.#room = Buffer.concat([this.all], length * 2);
    else this.#room.fill(0, this.#length, length);
    this.#length = length;
  }
}

/** A file as a disk has it: what was synced, and what was written since, of which a loss of power leaves anything. */
class DiskFile {
  readonly #synced = new Bytes();
  #since: Change[] = [];
  #syncing = 0;

  /** The file if nothing written since the last sync is there. */
  get synced(): Buffer {
    return this.#synced.all;
  }

  add(event: Event): void {
    if (event.kind === "write" || event.kind === "truncate") this.#since.push(event);
    else if (event.kind === "sync begins") this.#syncing = this.#since.length;
    else if (event.kind === "sync ends") {
      for (const change of this.#since.splice(0, this.#syncing)) this.#synced.apply(change);
      this.#syncing = 0;
    }
  }

  /** The file after a loss of power: each change since the last sync is there, is not, or is torn. */
  lost(random: Random): Buffer {
    const bytes = new Bytes(this.synced);
    for (const change of this.#since) {
      if (random.chance(0.4)) continue;
      bytes.apply(random.chance(0.5) ? torn(change, random) : change);
    }
    return bytes.all;
  }
}

/** The files of a store on a disk, by what a process did to them. */
export class Disk {
  readonly files: Readonly<Record<StoreFile, DiskFile>> = {
    m: new DiskFile(),
    j: new DiskFile(),
    w: new DiskFile(),
    s: new DiskFile(),
  };

  add(event: Event): void {
    if (event.kind !== "line") this.files[event.file].add(event);
  }
}

/** Some sectors of a write are not there. */
function torn(change: Change, random: Random): Change {
  if (change.kind === "truncate" || change.bytes.length <= sector) return change;
  const bytes = Buffer.from(change.bytes);
  for (let at = 0; at < bytes.length; at += sector) if (random.chance(0.3)) bytes.fill(0, at, at + sector);
  return { ...change, bytes };
}
