import type { DatabaseSession } from "./database.ts";
import type { TableEntity } from "./entities.ts";

/** Milliseconds within which another use of an entity is not recorded. */
const usedFor = 60_000;

/** Records when entities were used, for those that are deleted when idle; a use of a subscription is one of its topic. */
export class EntityUses {
  readonly #session: DatabaseSession;
  readonly #schema: string;
  /** When each entity was recorded last, by id, in milliseconds since 1970. */
  readonly #recorded = new Map<number, number>();
  /** Uses to record, by the messages that came to entities otherwise than by a call for them. */
  readonly #noted = new Map<TableEntity, number>();

  constructor(session: DatabaseSession, schema: string) {
    this.#session = session;
    this.#schema = schema;
  }

  /** Records a use, unless one was recorded recently. */
  async touch(entity: TableEntity, now: number): Promise<void> {
    if (now < (this.#recorded.get(entity.id) ?? -Infinity) + Math.min(usedFor, idleTimeOf(entity) / 10)) return;
    this.#recorded.set(entity.id, now);
    await this.record(this.#session, entity, now);
  }

  /** Records a use in any case. */
  async record(session: DatabaseSession, entity: TableEntity, at: number): Promise<void> {
    const ids = entity.type === "subscription" ? [entity.id, entity.topic.id] : [entity.id];
    await session.query(
      `update ${this.#schema}.entity set used_at = $2 where id = any($1::bigint[]) and used_at < $2`,
      [ids, at],
    );
  }

  /** Whether the entity or its topic is deleted when idle. */
  isWatched(entity: TableEntity): boolean {
    return idleTimeOf(entity) !== Infinity;
  }

  /** Notes the use of an entity that may be deleted when idle; {@link recordNoted} records it. */
  note(entity: TableEntity, at: number): void {
    if (!this.isWatched(entity)) return;
    this.#noted.set(entity, Math.max(at, this.#noted.get(entity) ?? -Infinity));
  }

  async recordNoted(): Promise<void> {
    for (const [entity, at] of this.#noted) {
      this.#noted.delete(entity);
      await this.record(this.#session, entity, at);
    }
  }
}

/** Milliseconds without use after which the entity or its topic is deleted. */
const idleTimeOf = (entity: TableEntity): number =>
  entity.type === "subscription"
    ? Math.min(entity.settings.autoDeleteOnIdle, entity.topic.settings.autoDeleteOnIdle)
    : entity.settings.autoDeleteOnIdle;
