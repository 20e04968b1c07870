import { parseAddress } from "../../core/engine/address.ts";
import type { EntitySettings } from "../../core/engine/entity-settings.ts";
import type { EntityLookup } from "../policy/directory.ts";
import { type SubscriptionEntity } from "../policy/entities.ts";
import type { EntityChange, NewEntity } from "../policy/entity-changes.ts";
import { partitionCount } from "../policy/partitions.ts";
import { writeRule } from "../policy/stored-rule.ts";
import type { DatabaseSession } from "./database.ts";
import { tombstoneAge } from "./directory.ts";
import { type EntityRow, queueNumber, queuesOf, type TableEntity, withSubscriptions } from "./entities.ts";
import { giveBackAll } from "./give-back-all.ts";
import { sequencesOf } from "./place.ts";
import { states } from "./placement.ts";
import { numberOf } from "./rows.ts";
import type { PostgresStore } from "./store.ts";

/** Settings as JSON, without infinite durations: these are the defaults. */
const written = (settings: EntitySettings): string =>
  JSON.stringify(settings, (_key, value: unknown) => (value === Infinity ? undefined : value));

/** Changes entities in a transaction; afterwards every node reloads them. */
async function alter<T>(
  store: PostgresStore,
  work: (session: DatabaseSession, version: bigint) => Promise<T>,
): Promise<T> {
  const { schema, directory } = store;
  const result = await store.database.transaction(async (session) => {
    // One change at a time: the row is locked until the commit.
    const [row] = await session.query(`update ${schema}.namespace set version = version + 1 returning version`);
    await directory.refreshOn(session, 1n);
    return work(session, row === undefined ? 0n : BigInt(numberOf(row, "version")));
  });
  await directory.refresh();
  return result;
}

/** Carries out a change that is decided from the entities in the database. */
export async function changeEntities(
  store: PostgresStore,
  decide: (entities: EntityLookup<EntityRow>) => EntityChange<EntityRow>,
): Promise<void> {
  const change = await alter(store, async (session, version) => {
    const decided = decide(store.directory);
    await carryOut(store, session, decided, version);
    return decided;
  });
  const updated = change.kind === "update" ? store.directory.byId(change.entity.id) : undefined;
  if (updated !== undefined && updated.type !== "topic") await giveBackAll(store, updated);
}

async function carryOut(
  store: PostgresStore,
  session: DatabaseSession,
  change: EntityChange<EntityRow>,
  version: bigint,
): Promise<void> {
  switch (change.kind) {
    case "create":
      return insert(store, session, change.entity, version);
    case "update":
      await session.query(
        `update ${store.schema}.entity set settings = $2, version = $3, modified_at = $4 where id = $1`,
        [change.entity.id, written(change.settings), version, store.now()],
      );
      return store.uses.record(session, change.entity, store.now());
    case "delete":
      return drop(store, session, withSubscriptions(change.entity), version);
    case "addRule":
      await store.uses.record(session, change.subscription, store.now());
      return writeRules(store, session, change.subscription, [...rulesOf(change.subscription), change.rule], version);
    case "deleteRule": {
      const { subscription, rule } = change;
      const left = rulesOf(subscription).filter((other) => other !== rule.properties);
      await store.uses.record(session, subscription, store.now());
      return writeRules(store, session, subscription, left, version);
    }
    default:
      return change satisfies never;
  }
}

type RuleList = readonly Parameters<typeof writeRule>[0][];

const rulesOf = ({ rules }: SubscriptionEntity<EntityRow>): RuleList =>
  Array.from(rules.values(), ({ properties }) => properties);

async function writeRules(
  { schema }: PostgresStore,
  session: DatabaseSession,
  { id }: SubscriptionEntity<EntityRow>,
  rules: RuleList,
  version: bigint,
): Promise<void> {
  await session.query(`update ${schema}.entity set rules = $2, version = $3 where id = $1`, [
    id,
    rules.map(writeRule),
    version,
  ]);
}

async function insert(
  store: PostgresStore,
  session: DatabaseSession,
  entity: NewEntity<EntityRow>,
  version: bigint,
): Promise<void> {
  const { schema } = store;
  const { type, address, settings } = entity;
  const [topic, rules] = entity.type === "subscription" ? [entity.topic, entity.rules] : [undefined, []];
  const [row] = await session.query(
    `insert into ${schema}.entity (key, name, type, topic, settings, rules, version, created_at, modified_at, used_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8) returning id`,
    [
      parseAddress(address).key,
      address,
      type,
      topic?.id ?? null,
      written(settings),
      rules.map(writeRule),
      version,
      store.now(),
    ],
  );
  if (row === undefined) return;
  if (topic !== undefined) await store.uses.record(session, topic, store.now());
  for (const sequence of sequencesOf(schema, numberOf(row, "id"), shapeOf(entity)))
    await session.query(`create sequence ${sequence}`);
}

/** The facts that decide which sequences an entity has. */
function shapeOf(entity: TableEntity | NewEntity<EntityRow>): Parameters<typeof sequencesOf>[2] {
  const { enablePartitioning } = entity.type === "subscription" ? entity.topic.settings : entity.settings;
  return { partitions: enablePartitioning ? partitionCount : 0, hasSubQueues: entity.type !== "topic" };
}

async function drop(
  store: PostgresStore,
  session: DatabaseSession,
  entities: readonly TableEntity[],
  version: bigint,
): Promise<void> {
  const { schema } = store;
  await session.query(
    `update ${schema}.entity set key = null, version = $2, used_at = $3 where id = any($1::bigint[])`,
    [entities.map(({ id }) => id), version, store.now()],
  );
  await session.query(`delete from ${schema}.entity where key is null and used_at < $1`, [store.now() - tombstoneAge]);
  for (const entity of entities) {
    // Dropping waits for every transaction that has taken a number; later ones do not find the sequence.
    for (const sequence of sequencesOf(schema, entity.id, shapeOf(entity)))
      await session.query(`drop sequence ${sequence}`);
    await empty(store, session, entity);
  }
}

async function empty({ schema }: PostgresStore, session: DatabaseSession, entity: TableEntity): Promise<void> {
  const [from, to] = queuesOf(entity.id);
  for (const table of ["delivery", "body", "session"])
    await session.query(`delete from ${schema}.${table} where queue >= $1 and queue < $2`, [from, to]);
  await session.query(`delete from ${schema}.seen where entity = $1`, [entity.id]);
}

/** Deletes every message, lock, session state and message id of an entity and, for a topic, of its subscriptions. */
export async function clearEntity(store: PostgresStore, find: () => TableEntity): Promise<void> {
  await store.change(async (session) => {
    for (const one of withSubscriptions(find())) await empty(store, session, one);
  });
}

/** Deletes the entities that have been idle for the time in their settings; returns whether there were any. */
export async function deleteIdle(store: PostgresStore, now: number): Promise<boolean> {
  const { database, directory } = store;
  await store.uses.recordNoted();
  const watched = [...directory.entities()].filter(mayBeIdle);
  if (watched.length === 0) return false;
  const idle = await idleOf(store, database, watched, now);
  if (idle.length === 0) return false;
  return alter(store, async (session, version) => {
    // Since the first look they may have been used, or got other settings.
    const current = idle.flatMap(({ id }) => directory.byId(id) ?? []).filter(mayBeIdle);
    const still = await idleOf(store, session, current, now, "for update of e");
    const dropped = new Set(still.flatMap(withSubscriptions));
    if (dropped.size > 0) await drop(store, session, [...dropped], version);
    return dropped.size > 0;
  });
}

/** An entity that forwards is used all the time, as if it had a receiver. */
function mayBeIdle(entity: TableEntity): boolean {
  if (entity.settings.autoDeleteOnIdle === Infinity) return false;
  return withSubscriptions(entity).every(
    ({ settings }) => !("forwardTo" in settings) || settings.forwardTo === undefined,
  );
}

/** The idle ones among entities; those with scheduled messages count as used now. */
async function idleOf(
  { schema, directory, uses }: PostgresStore,
  session: DatabaseSession,
  entities: readonly TableEntity[],
  now: number,
  locking: "" | "for update of e" = "",
): Promise<readonly TableEntity[]> {
  const rows = await session.query(
    `select e.id from ${schema}.entity e join unnest($1::bigint[], $2::float8[]) as w(id, idle) on w.id = e.id
     where e.key is not null and e.used_at + w.idle <= $3::bigint order by e.id ${locking}`,
    [entities.map(({ id }) => id), entities.map(({ settings }) => Math.ceil(settings.autoDeleteOnIdle)), now],
  );
  const idle: TableEntity[] = [];
  for (const entity of rows.flatMap((row) => directory.byId(numberOf(row, "id")) ?? []))
    if (await hasScheduled(schema, session, entity)) await uses.record(session, entity, now);
    else idle.push(entity);
  return idle;
}

async function hasScheduled(schema: string, session: DatabaseSession, { id }: TableEntity): Promise<boolean> {
  const rows = await session.query(
    `select 1 as one from ${schema}.delivery where queue = $1 and state = ${states.scheduled} limit 1`,
    [queueNumber(id, "messages")],
  );
  return rows.length > 0;
}
