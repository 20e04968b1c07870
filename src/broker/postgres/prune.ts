import { numberOf } from "./rows.ts";
import type { PostgresStore } from "./store.ts";

/** Milliseconds between two looks for message ids that are over. */
const interval = 10_000;

/** Maximum number of rows per entity and statement, and of statements per look. */
const maxRowsPerStatement = 5000;
const maxStatements = 20;

/** Milliseconds after which a place is looked at again where another transaction held a row. */
const forgottenAfter = 3_600_000;

/** Deletes the message ids whose time for duplicate detection is over, each node a share of them. */
export class Prune {
  readonly #store: PostgresStore;
  #prunedAt = -Infinity;
  #forgottenAt = -Infinity;
  /** Everything before was deleted: rows that are dead and cannot be vacuumed yet are not read again. */
  readonly #reached = new Map<number, number>();

  constructor(store: PostgresStore) {
    this.#store = store;
  }

  async run(now: number): Promise<void> {
    if (now < this.#prunedAt + interval) return;
    this.#prunedAt = now;
    if (now >= this.#forgottenAt + forgottenAfter) {
      this.#reached.clear();
      this.#forgottenAt = now;
    }
    let ends = new Map<number, number>();
    for (const { id, type, settings } of this.#store.directory.entities())
      if (type !== "subscription" && settings.requiresDuplicateDetection)
        ends.set(id, now - Math.ceil(settings.duplicateDetectionHistoryTimeWindow));
    for (let statements = 0; ends.size > 0 && statements < maxStatements; statements++) {
      const unfinished = await this.#delete(ends);
      ends = new Map([...ends].filter(([id]) => unfinished.has(id)));
    }
  }

  /** Deletes a batch of each entity; returns those that may have more. */
  async #delete(ends: ReadonlyMap<number, number>): Promise<ReadonlySet<number>> {
    const { database, schema } = this.#store;
    const ids = [...ends.keys()];
    const rows = await database.query(
      `with over as materialized (
         select s.entity, s.key, s.at from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as e(id, first, last), lateral (
           select entity, key, at from ${schema}.seen where entity = e.id and at >= e.first and at <= e.last
           order by at limit $4 for update skip locked
         ) as s
       ), gone as (delete from ${schema}.seen s using over where s.entity = over.entity and s.key = over.key)
       select entity, count(*) as count, max(at) as reached from over group by entity`,
      [ids, ids.map((id) => this.#reached.get(id) ?? 0), [...ends.values()], maxRowsPerStatement],
    );
    const unfinished = new Set<number>();
    for (const row of rows) {
      const id = numberOf(row, "entity");
      this.#reached.set(id, numberOf(row, "reached"));
      if (numberOf(row, "count") === maxRowsPerStatement) unfinished.add(id);
    }
    return unfinished;
  }
}
