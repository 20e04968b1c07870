import { quotaExceeded } from "../../core/engine/refusals.ts";
import { maxBytesOf, parts, type SendableEntity, sizedEntity } from "../policy/entities.ts";
import type { DatabaseSession } from "./database.ts";
import { type EntityRow, queueNumber, type TableEntity } from "./entities.ts";
import { numbersOf } from "./place.ts";
import { bigintOf, numberOf } from "./rows.ts";

/** Bytes of overhead that each message counts. */
export const besidesMessage = 640;

/** Milliseconds for which a count of an entity's bytes is used, if little is sent meanwhile. */
const countedFor = 5000;

/** The share of the remaining room that may be filled before bytes are counted again. */
const shareOfRoom = 1 / 8;

/** Counts take at most one part in this many of the time, unless they are short: they read the whole entity. */
const shareOfCounts = 20;

/** The same of counts while this node alone would not fill the room: each of several nodes counts what all have sent. */
const shareOfRoutineCounts = 100;

/** The same of counts of rows from the first one on: others begin at the lowest row that the one before has found, since rows that are dead and cannot be vacuumed yet are read as well. */
const shareOfWholeCounts = 200;

/** Milliseconds up to which a count is short: then a full entity is counted again before it refuses a message. */
const short = 500;

interface Usage {
  readonly bytes: number;
  /** When it was counted, or a count failed. */
  readonly countedAt: number;
  /** Milliseconds that this took. */
  readonly took: number;
  /** The lowest row of each queue, and when the rows before may be counted again. */
  readonly lowest: ReadonlyMap<number, bigint>;
  readonly wholeAt: number;
  /** Bytes that this node had sent when the count began: those since are added to it. */
  readonly before: number;
}

/** Byte counts of entities, by their ids, shared by every {@link EntityRoom} of this node. */
interface Counts {
  readonly session: DatabaseSession;
  readonly usage: Map<number, Usage>;
  /** All bytes that this node has sent. */
  readonly sent: Map<number, number>;
  /** The counts under way outside transactions. */
  readonly counting: Map<number, Promise<Usage>>;
}

/**
 * Checks that an entity has room for messages. This node caches the byte counts and renews them in
 * the background; a send waits only for the first count, and before it is refused.
 */
export class EntityRoom {
  readonly #session: DatabaseSession;
  readonly #schema: string;
  readonly #counts: Counts;

  constructor(
    session: DatabaseSession,
    schema: string,
    counts: Counts = { session, usage: new Map(), sent: new Map(), counting: new Map() },
  ) {
    this.#session = session;
    this.#schema = schema;
    this.#counts = counts;
  }

  /** The same checks on a transaction's connection: code that holds one connection must not wait for another. */
  within(session: DatabaseSession): EntityRoom {
    return new EntityRoom(session, this.#schema, this.#counts);
  }

  /** @throws SobreError `QuotaExceeded` when the entity lacks room for this many bytes. */
  async check(entity: TableEntity, cost: number, reserved = 0): Promise<void> {
    const owner = sizedEntity(entity);
    const { maxSizeInMegabytes } = owner.settings;
    const most = maxBytesOf(owner);
    const needed = reserved + cost;
    const known = this.#counts.usage.get(owner.id);
    const used = ({ bytes, before }: Usage): number => bytes + (this.#counts.sent.get(owner.id) ?? 0) - before;
    const age = known === undefined ? Infinity : performance.now() - known.countedAt;
    const isDue = known === undefined || age > known.took * shareOfCounts;
    if (known !== undefined && used(known) + needed <= most) {
      const isFilling = used(known) - known.bytes + needed > (most - known.bytes) * shareOfRoom;
      const isOld = age > Math.max(countedFor, known.took * shareOfRoutineCounts);
      if (isDue && (isFilling || isOld)) void this.#shared(owner).catch(() => {});
      return;
    }
    // Of what was sent since the count, this node does not know how much has left: only a count may refuse.
    const isFull = (usage: Usage): boolean => used(usage) + needed > most;
    if (!isDue && known.took > short && known.bytes + needed > most)
      throw quotaExceeded(owner.address, maxSizeInMegabytes);
    const isEarlier = this.#counts.counting.has(owner.id);
    let usage = await this.#awaited(owner);
    // A count that began before this call may not have seen what left in between.
    if (isEarlier && isFull(usage)) usage = await this.#awaited(owner);
    if (isFull(usage)) throw quotaExceeded(owner.address, maxSizeInMegabytes);
  }

  /** Adds sent bytes to the cached count. */
  added(entity: TableEntity, bytes: number): void {
    const owner = sizedEntity(entity);
    const { sent } = this.#counts;
    sent.set(owner.id, (sent.get(owner.id) ?? 0) + bytes);
  }

  /** A count that a call waits for. One in a transaction, which has a connection of its own, must not wait for another. */
  #awaited(owner: SendableEntity<EntityRow>): Promise<Usage> {
    return this.#session === this.#counts.session ? this.#shared(owner) : this.#count(owner, this.#session);
  }

  /** A count that sends at the same time share, outside their transactions, which its failure would abort. */
  #shared(owner: SendableEntity<EntityRow>): Promise<Usage> {
    const { counting, session } = this.#counts;
    let count = counting.get(owner.id);
    if (count === undefined) {
      count = this.#count(owner, session).finally(() => counting.delete(owner.id));
      counting.set(owner.id, count);
    }
    return count;
  }

  async #count(owner: SendableEntity<EntityRow>, session: DatabaseSession): Promise<Usage> {
    const begun = performance.now();
    const before = this.#counts.sent.get(owner.id) ?? 0;
    const entities = owner.type === "topic" ? [owner, ...owner.subscriptions.values()] : [owner];
    const queues = entities.flatMap(({ id }) => parts.map((part) => queueNumber(id, part)));
    const known = this.#counts.usage.get(owner.id);
    const isWhole = known === undefined || begun >= known.wholeAt;
    const rows = await session
      .query(
        `select q.queue, coalesce(d.low, pg_sequence_last_value(to_regclass(q.numbers)), q.low) as low, (d.bytes + s.bytes)::bigint as bytes
         from unnest($1::bigint[], $2::bigint[], $3::text[]) as q(queue, low, numbers),
           lateral (
             select coalesce(sum(size + ${besidesMessage}::bigint), 0) as bytes, min(seq) as low
             from ${this.#schema}.delivery where queue = q.queue and seq >= q.low
           ) d,
           lateral (select coalesce(sum(octet_length(state)), 0) as bytes from ${this.#schema}.session where queue = q.queue) s`,
        [
          queues,
          queues.map((queue) => (isWhole ? 0n : (known.lowest.get(queue) ?? 0n))),
          queues.map((queue) => numbersOf(this.#schema, queue)),
        ],
      )
      .catch((error: unknown) => {
        // The next one waits as long as after a count.
        const latest = this.#counts.usage.get(owner.id);
        const failedAt = performance.now();
        if (latest !== undefined)
          this.#counts.usage.set(owner.id, { ...latest, countedAt: failedAt, took: failedAt - begun });
        throw error;
      });
    const countedAt = performance.now();
    const took = countedAt - begun;
    const usage = {
      bytes: rows.reduce((sum, row) => sum + numberOf(row, "bytes"), 0),
      lowest: new Map(rows.map((row) => [numberOf(row, "queue"), bigintOf(row, "low")])),
      wholeAt: isWhole ? countedAt + took * shareOfWholeCounts : known.wholeAt,
      countedAt,
      took,
      before,
    };
    this.#counts.usage.set(owner.id, usage);
    return usage;
  }
}
