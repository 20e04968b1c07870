import type { DatabaseClock } from "./database-clock.ts";
import type { Clock } from "../../core/time/clock.ts";
import { entityNotFound } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { Arrivals } from "./arrivals.ts";
import type { Database, DatabaseSession } from "./database.ts";
import { TableDirectory } from "./directory.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { SendRoute } from "../policy/router.ts";
import { type EntityRow, type TableEntity, TableQueue } from "./entities.ts";
import { isOfDropped } from "./failures.ts";
import { EntityRoom } from "./entity-room.ts";
import { EntityUses } from "./entity-uses.ts";
import { place } from "./place.ts";
import type { InQueue } from "./returns.ts";
import { Routing, type RoutingStore } from "./routing.ts";

/** Maximum number of attempts at a statement when the entities keep changing. */
const maxTries = 20;

/** Number of attempts after which refreshing does not help. */
const triesBeforeReload = 5;

/** Thrown inside a transaction that was routed with stale entities. */
export const stale: unique symbol = Symbol("stale");

/** The result of work, or `undefined` when it went by stale entities. */
export async function unlessStale<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error === stale) return undefined;
    throw error;
  }
}

/** A namespace in a schema of a database, shared by every connection of this process. */
export class PostgresStore {
  readonly database: Database;
  /** Quoted. */
  readonly schema: string;
  readonly directory: TableDirectory;
  readonly room: EntityRoom;
  readonly uses: EntityUses;
  readonly clock: Clock;
  readonly #databaseClock: DatabaseClock | undefined;
  /** Called after the commit with the queues where messages have become available. */
  onArrival: (arrivals: Arrivals) => void = () => {};

  constructor(database: Database, schema: string, clock: Clock, databaseClock: DatabaseClock | undefined) {
    this.database = database;
    this.schema = schema;
    this.clock = clock;
    this.#databaseClock = databaseClock;
    this.directory = new TableDirectory(database, schema);
    this.room = new EntityRoom(database, schema);
    this.uses = new EntityUses(database, schema);
  }

  /** The current time, by the database's clock unless another is given. */
  now(): number {
    return this.clock.now();
  }

  /** Whether {@link refreshTime} has nothing to do. */
  get isTimeFresh(): boolean {
    return this.#databaseClock?.isFresh ?? true;
  }

  /** Called before a statement that depends on the time. */
  async refreshTime(): Promise<void> {
    await this.#databaseClock?.refresh();
  }

  /** Records that an entity is used now. */
  touch(entity: TableEntity): Promise<void> {
    return this.uses.touch(entity, this.now());
  }

  /** A queue at this time, outside transactions. */
  inQueue(queue: TableQueue): InQueue {
    return { session: this.database, schema: this.schema, queue, now: this.now() };
  }

  /** A link's queue with its current entity, which may have been changed or deleted. @throws SobreError `MessagingEntityNotFound`. */
  current(queue: TableQueue): TableQueue {
    const entity = this.directory.byId(queue.entity.id);
    if (entity === undefined) throw entityNotFound(queue.address);
    return entity === queue.entity ? queue : new TableQueue(entity, queue.part);
  }

  /** The current state of a queue or topic. @throws SobreError `MessagingEntityNotFound` when it was deleted. */
  sendable(entity: SendableEntity<EntityRow>): SendableEntity<EntityRow> {
    const current = this.directory.byId(entity.id);
    if (current === undefined || current.type === "subscription") throw entityNotFound(entity.address);
    return current;
  }

  /** A sender's route with the current entities: without a queue in between, that of its target. @throws SobreError `MessagingEntityNotFound`. */
  route({ target, through }: SendRoute<EntityRow>): SendRoute<EntityRow> {
    if (through === undefined) return { target: this.sendable(target), through };
    const current = this.sendable(through);
    return { target, through: current.type === "queue" ? current : through };
  }

  /** Retries until the cached entities used match the database; an attempt returns `undefined` when they did not. */
  async fresh<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < maxTries; tries++) {
      const { version } = this.directory;
      try {
        const result = await attempt();
        if (result !== undefined) return result;
        if (tries < triesBeforeReload) await this.directory.refresh();
        else await this.directory.reload();
      } catch (error) {
        if (!isOfDropped(error)) throw error;
        await this.directory.refresh();
        if (this.directory.version === version) throw error;
      }
    }
    throw new SobreError("ServiceBusy", "The entities change too fast to go by them. Try again.");
  }

  /** {@link fresh} in a transaction, which locks the entities against changes until its end. */
  async change<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const { result } = await this.fresh(() =>
      unlessStale(() =>
        this.database.transaction(async (session) => {
          await this.#checkVersion(session);
          return { result: await work(session) };
        }),
      ),
    );
    return result;
  }

  /** Routes messages and inserts them into their queues, in one statement unless message ids must be recorded. */
  async send(first: SendableEntity<EntityRow>, route: (routing: Routing) => Promise<void>): Promise<readonly bigint[]> {
    const arrivals = new Arrivals();
    const placed = await this.fresh(async () => {
      if (this.#needsTransaction(this.sendable(first)))
        return this.change(async (session) => {
          const routing = this.routing(session);
          await route(routing);
          return this.finish(session, routing, arrivals);
        });
      const { version } = this.directory;
      const routing = this.routing();
      await route(routing);
      return place(this.database, this.schema, version, routing, arrivals);
    });
    this.onArrival(arrivals);
    return placed;
  }

  /** Routes messages, in a transaction if there is a session. */
  routing(session?: DatabaseSession, at: number = this.now()): Routing {
    return new Routing(this.#routingStore(session), at);
  }

  /** Inserts the messages routed in a transaction into their queues, provided that the transaction sees this version. */
  async finish(
    session: DatabaseSession,
    routing: Routing,
    arrivals: Arrivals,
    version: bigint = this.directory.version,
  ): Promise<readonly bigint[]> {
    await routing.transferAll();
    if (routing.placements.length === 0 && routing.passed.length === 0) return [];
    const placed = await place(session, this.schema, version, routing, arrivals);
    if (placed === undefined) throw stale;
    return placed;
  }

  #needsTransaction(entity: TableEntity): boolean {
    if (entity.type !== "subscription" && entity.settings.requiresDuplicateDetection) return true;
    const forwards = entity.type === "topic" || entity.settings.forwardTo !== undefined;
    return forwards && this.directory.detectsDuplicates;
  }

  #routingStore(session: DatabaseSession | undefined): RoutingStore {
    const { directory, database } = this;
    const room = session === undefined ? this.room : this.room.within(session);
    return {
      directory,
      room,
      seen: (entity, key) => this.#seen(session ?? database, entity, key),
      used: (entity) => this.uses.note(entity, this.now()),
    };
  }

  async #seen(session: DatabaseSession, { id, settings }: SendableEntity<EntityRow>, key: string): Promise<boolean> {
    const now = this.now();
    const rows = await session.query(
      `insert into ${this.schema}.seen as s (entity, key, at) values ($1, $2, $3)
       on conflict (entity, key) do update set at = excluded.at where s.at + $4::bigint <= excluded.at returning 1 as one`,
      [id, key, now, Math.ceil(settings.duplicateDetectionHistoryTimeWindow)],
    );
    return rows.length === 0;
  }

  async #checkVersion(session: DatabaseSession): Promise<void> {
    const rows = await session.query(`select 1 as one from ${this.schema}.namespace where version = $1`, [
      this.directory.version,
    ]);
    if (rows.length === 0) throw stale;
  }
}
