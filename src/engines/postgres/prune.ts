import { numberOf } from "./rows.ts";
import type { Store } from "./store.ts";

/** Milliseconds between two looks for message ids that are over. */
const interval = 5000;

/** Maximum number of rows per statement, and of statements per look and entity. */
const atOnce = 5000;
const mostStatements = 20;

/** Milliseconds after which a place is looked at again where another transaction held a row. */
const forgottenAfter = 3_600_000;

/** Deletes the message ids whose time for duplicate detection is over, each node a share of them. */
export class Prune {
  readonly #store: Store;
  #prunedAt = -Infinity;
  #forgottenAt = -Infinity;
  /** Everything before was deleted: rows that are dead and cannot be vacuumed yet are not read again. */
  readonly #reached = new Map<number, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  async run(now: number): Promise<void> {
    if (now < this.#prunedAt + interval) return;
    this.#prunedAt = now;
    if (now >= this.#forgottenAt + forgottenAfter) {
      this.#reached.clear();
      this.#forgottenAt = now;
    }
    for (const { id, type, settings } of this.#store.directory.entities())
      if (type !== "subscription" && settings.requiresDuplicateDetection)
        await this.#entity(id, now - Math.ceil(settings.duplicateDetectionHistoryTimeWindow));
  }

  async #entity(id: number, until: number): Promise<void> {
    const { database, schema } = this.#store;
    for (let tries = 0; tries < mostStatements; tries++) {
      const [row] = await database.query(
        `with over as materialized (
           select key, at from ${schema}.seen where entity = $1 and at >= $2 and at <= $3
           order by at limit $4 for update skip locked
         ), gone as (delete from ${schema}.seen s using over where s.entity = $1 and s.key = over.key)
         select count(*) as count, coalesce(max(at), $2) as last from over`,
        [id, this.#reached.get(id) ?? 0, until, atOnce],
      );
      if (row === undefined) return;
      this.#reached.set(id, numberOf(row, "last"));
      if (numberOf(row, "count") < atOnce) return;
    }
  }
}
