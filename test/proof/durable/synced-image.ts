import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { duplicateKey } from "../../../src/broker/policy/duplicate-key.ts";
import { readRule } from "../../../src/broker/policy/stored-rule.ts";
import { subQueueSuffix, subscriptionAddress } from "../../../src/core/engine/address.ts";
import { readEnvelope } from "../../../src/broker/durable/fact-rows.ts";
import { headOf, readHead, unpackStatus } from "../../../src/broker/durable/message-row.ts";
import { unguardStatus } from "../../../src/broker/durable/row-check.ts";
import { readEntity } from "../../../src/broker/durable/stored-entity.ts";
import type { EntityFact } from "../../../src/broker/memory/store.ts";
import { describe, markOf } from "./acknowledgements.ts";
import { Disk } from "./disk.ts";
import type { Event } from "./record.ts";

const frameHead = 24;
const logHead = 32;

/**
 * The database that a loss of power would leave if nothing since the last sync survived, kept up to date and read by SQLite itself:
 * the synced commits of the log are copied into the synced database, with a header that names no log.
 */
export class SyncedImage {
  readonly #disk = new Disk();
  readonly #path: string;
  readonly #file: number;
  #database: DatabaseSync | undefined;
  /** The header of the log that is being copied, and how far it is. */
  #log = Buffer.alloc(0);
  #copied = logHead;
  #changes = 1;
  #first = Buffer.alloc(0);
  readonly #entities = new Map<string, { readonly entity: number; readonly value: EntityFact }>();
  readonly #addresses = new Map<number, string>();
  /** Messages by their ids: a copy for each subscription, and one more where it is a dead letter. */
  readonly #records = new Map<string, number[]>();
  #lastRecord = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "w+");
  }

  add(event: Event): void {
    this.#disk.add(event);
    if (event.kind === "sync ends" && event.file === "w") this.#copyCommits();
  }

  /** The value of a name of `Effects`. */
  value(name: string): string {
    const [kind, address = "", rest = ""] = name.split(" ");
    const found = this.#entities.get(address.split("/$")[0] ?? "");
    if (kind === "message") return this.#message(address, rest);
    if (found === undefined) return "";
    const { entity, value } = found;
    switch (kind) {
      case "entity":
        return value.settings.userMetadata ?? "";
      case "seen":
        return this.#cell("SELECT 1 FROM seen WHERE entity = ? AND key = ?", entity, duplicateKey(rest, undefined));
      case "state":
        return this.#cell("SELECT state FROM session WHERE entity = ? AND session = ?", entity, rest);
      case "rule": {
        const text = this.#cell("SELECT value FROM rule WHERE entity = ? AND name = ?", entity, rest);
        const filter = text === "" ? undefined : readRule(text).filter;
        return filter?.kind === "sql" ? filter.expression : "";
      }
      default:
        throw new Error(`Nothing has a name like ${name}.`);
    }
  }

  close(): void {
    this.#database?.close();
    closeSync(this.#file);
  }

  #message(address: string, id: string): string {
    const found: string[] = [];
    for (const record of this.#records.get(id) ?? []) {
      const [row] = this.#rows(
        "SELECT entity, value, coalesce((SELECT status FROM status WHERE record = m.record), status) status FROM message m WHERE record = ?",
        record,
      );
      if (!(row?.["value"] instanceof Uint8Array)) continue;
      const { entity, status, value } = row;
      const { message } = readHead(
        headOf(value),
        record,
        Number(entity),
        unpackStatus(unguardStatus(record, Number(status)) ?? 0),
      );
      const suffix = message.part === "deadLetters" ? subQueueSuffix.deadLetter : "";
      if (`${this.#addresses.get(Number(entity))}${suffix}` !== address) continue;
      found.push(describe({ ...message, mark: markOf(readEnvelope(value).applicationProperties) }));
    }
    return found.join(" and ");
  }

  #copyCommits(): void {
    const log = this.#disk.files.w.synced;
    if (log.length < logHead) return;
    const begins = !this.#log.equals(log.subarray(0, logHead));
    if (begins) this.#beginLog(log);
    const pageSize = log.readUInt32BE(8);
    let pages: (readonly [page: number, at: number])[] = [];
    const before = this.#copied;
    for (let at = before; at + frameHead + pageSize <= log.length; at += frameHead + pageSize) {
      // The frames behind have the salt of an earlier round.
      if (!log.subarray(at + 8, at + 16).equals(this.#log.subarray(16, 24))) break;
      pages.push([log.readUInt32BE(at), at + frameHead]);
      const size = log.readUInt32BE(at + 4);
      if (size === 0) continue;
      for (const [page, from] of pages) this.#write(page, log.subarray(from, from + pageSize));
      pages = [];
      ftruncateSync(this.#file, size * pageSize);
      this.#first.writeUInt32BE(size, 28);
      this.#copied = at + frameHead + pageSize;
    }
    if (begins || this.#copied !== before) this.#show();
  }

  /** The log begins again, since the database has what was in it. */
  #beginLog(log: Buffer): void {
    this.#log = Buffer.from(log.subarray(0, logHead));
    this.#copied = logHead;
    const database = this.#disk.files.m.synced;
    const pageSize = log.readUInt32BE(8);
    ftruncateSync(this.#file, 0);
    for (let at = 0; at < database.length; at += pageSize)
      this.#write(at / pageSize + 1, database.subarray(at, at + pageSize));
  }

  #write(page: number, bytes: Buffer): void {
    writeSync(this.#file, bytes, 0, bytes.length, (page - 1) * bytes.length);
    if (page === 1) this.#first = Buffer.from(bytes);
  }

  /** Marks the file as changed and without a log, and reads what has come. */
  #show(): void {
    this.#first.fill(1, 18, 20);
    this.#changes++;
    for (const at of [24, 92]) this.#first.writeUInt32BE(this.#changes, at);
    writeSync(this.#file, this.#first, 0, this.#first.length, 0);
    this.#database ??= new DatabaseSync(this.#path, { readOnly: true });
    this.#entities.clear();
    this.#addresses.clear();
    if (this.#rows("SELECT 1 FROM sqlite_schema WHERE name = 'message'").length === 0) return;
    for (const { entity, value } of this.#rows("SELECT entity, value FROM entity ORDER BY entity")) {
      const fact = readEntity(Number(entity), String(value));
      const address =
        fact.type === "subscription"
          ? subscriptionAddress(this.#addresses.get(fact.topic) ?? "", fact.name)
          : fact.name;
      this.#entities.set(address, { entity: Number(entity), value: fact });
      this.#addresses.set(Number(entity), address);
    }
    const come = this.#rows("SELECT record, value FROM message WHERE record > ? ORDER BY record", this.#lastRecord);
    for (const { record, value } of come) {
      if (!(value instanceof Uint8Array)) continue;
      const id = String(readEnvelope(value).brokerProperties.messageId);
      this.#records.set(id, [...(this.#records.get(id) ?? []), Number(record)]);
      this.#lastRecord = Number(record);
    }
  }

  #cell(sql: string, ...values: readonly (string | number)[]): string {
    const [row] = this.#rows(sql, ...values);
    const [cell] = row === undefined ? [""] : Object.values(row);
    return cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell);
  }

  #rows(sql: string, ...values: readonly (string | number)[]): readonly Readonly<Record<string, unknown>>[] {
    return this.#database?.prepare(sql).all(...values) ?? [];
  }
}
