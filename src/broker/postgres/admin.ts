import { checkEntityName, parseAddress, subscriptionAddress } from "../../core/engine/address.ts";
import type { QueueOptions, SubscriptionOptions } from "../../core/engine/admin.ts";
import { checkRules } from "../../core/engine/check-rule.ts";
import {
  checkFixed,
  type EntitySettings,
  queueSettings,
  subscriptionSettings,
  topicSettings,
} from "../../core/engine/entity-settings.ts";
import { defaultRuleName, type RuleProperties } from "../../core/engine/rules.ts";
import { entityExists, entityNotFound, illegalSubscriptionName } from "../../core/engine/refusals.ts";
import { partitionCount } from "../policy/partitions.ts";
import { compileRule } from "../policy/rule.ts";
import { writeRule } from "../policy/stored-rule.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { Session } from "./database.ts";
import { tombstoneAge } from "./directory.ts";
import { type Entity, queuesOf, type Subscription } from "./entities.ts";
import { sequencesOf } from "./place.ts";
import { numberOf } from "./rows.ts";
import type { Store } from "./store.ts";
import { giveBackAll } from "./give-back-all.ts";

const defaultRule: RuleProperties = { name: defaultRuleName, filter: { kind: "true" } };

/** Settings as JSON, without infinite durations: these are the defaults. */
const written = (settings: EntitySettings): string =>
  JSON.stringify(settings, (_key, value: unknown) => (value === Infinity ? undefined : value));

/** Changes entities in a transaction; afterwards every node reloads them. */
async function alter<T>(store: Store, work: (session: Session, version: bigint) => Promise<T>): Promise<T> {
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

/** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
export async function createEntity(
  store: Store,
  type: "queue" | "topic",
  name: string,
  options: QueueOptions | undefined,
): Promise<void> {
  checkEntityName(name);
  const settings = type === "queue" ? queueSettings(options) : topicSettings(options);
  await alter(store, async (session, version) => {
    if (store.directory.find(name) !== undefined) throw entityExists(name);
    const partitions = settings.enablePartitioning ? partitionCount : 0;
    await insert(store, session, { type, name, settings, version, partitions });
  });
}

/** @throws SobreError `MessagingEntityNotFound`, `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
export async function createSubscription(
  store: Store,
  topicName: string,
  name: string,
  options: SubscriptionOptions | undefined,
): Promise<void> {
  const address = subscriptionAddress(topicName, typeof name === "string" ? name : "");
  const settings = subscriptionSettings(options);
  const rules = options?.rules === undefined ? [defaultRule] : checkRules(options.rules);
  await alter(store, async (session, version) => {
    const topic = store.directory.topic(topicName);
    if (typeof name !== "string" || !/^[\p{L}\p{N}](?:[\p{L}\p{N}_\-.]{0,48}[\p{L}\p{N}])?$/u.test(name))
      throw illegalSubscriptionName();
    if (store.directory.find(address) !== undefined) throw entityExists(subscriptionAddress(topic.name, name));
    const names = new Set<string>();
    for (const rule of rules) {
      if (names.has(rule.name.toLowerCase())) throw entityExists(`${address}/Rules/${rule.name}`);
      names.add(rule.name.toLowerCase());
      topic.rules.checkRoom([compileRule(undefined, rule)]);
    }
    const partitions = topic.settings.enablePartitioning ? partitionCount : 0;
    const setup = { type: "subscription", name: subscriptionAddress(topic.name, name), settings, version } as const;
    await insert(store, session, { ...setup, partitions, topic: topic.id, rules });
  });
}

interface NewEntity {
  readonly type: Entity["type"];
  readonly name: string;
  readonly settings: EntitySettings;
  readonly version: bigint;
  readonly partitions: number;
  readonly topic?: number;
  readonly rules?: readonly RuleProperties[];
}

async function insert(
  store: Store,
  session: Session,
  { type, name, settings, version, partitions, topic, rules = [] }: NewEntity,
): Promise<void> {
  const { schema } = store;
  const [row] = await session.query(
    `insert into ${schema}.entity (key, name, type, topic, settings, rules, version, created_at, modified_at, used_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8) returning id`,
    [parseAddress(name).key, name, type, topic ?? null, written(settings), rules.map(writeRule), version, store.now()],
  );
  if (row === undefined) return;
  const shape = { partitions, hasSubQueues: type !== "topic" };
  for (const sequence of sequencesOf(schema, numberOf(row, "id"), shape))
    await session.query(`create sequence ${sequence}`);
}

/** Changes the settings of an entity; the options given replace the existing ones. @throws SobreError `InvalidArgument`. */
export async function updateEntity(
  store: Store,
  find: () => Entity,
  options: QueueOptions & SubscriptionOptions,
): Promise<void> {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalidOption("options", "must be an object");
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const updated = await alter(store, async (session, version) => {
    const entity = find();
    const merged = { ...entity.settings, ...given };
    const settings =
      entity.type === "subscription"
        ? subscriptionSettings(merged)
        : entity.type === "topic"
          ? topicSettings(merged)
          : queueSettings(merged);
    checkFixed(entity.settings, settings);
    await session.query(
      `update ${store.schema}.entity set settings = $2, version = $3, modified_at = $4 where id = $1`,
      [entity.id, written(settings), version, store.now()],
    );
    return entity.id;
  });
  const entity = store.directory.byId(updated);
  if (entity !== undefined && entity.type !== "topic") await giveBackAll(store, entity);
}

/** Deletes an entity and its contents; a topic with its subscriptions. */
export async function deleteEntity(store: Store, find: () => Entity): Promise<void> {
  await alter(store, async (session, version) => {
    const entity = find();
    const all = entity.type === "topic" ? [...entity.subscriptions, entity] : [entity];
    await drop(store, session, all, version);
  });
}

async function drop(store: Store, session: Session, entities: readonly Entity[], version: bigint): Promise<void> {
  const { schema } = store;
  await session.query(
    `update ${schema}.entity set key = null, version = $2, used_at = $3 where id = any($1::bigint[])`,
    [entities.map(({ id }) => id), version, store.now()],
  );
  await session.query(`delete from ${schema}.entity where key is null and used_at < $1`, [store.now() - tombstoneAge]);
  for (const entity of entities) {
    const partitioned = entity.type === "subscription" ? entity.topic.settings : entity.settings;
    const partitions = partitioned.enablePartitioning ? partitionCount : 0;
    // Dropping waits for every transaction that has taken a number; later ones do not find the sequence.
    for (const sequence of sequencesOf(schema, entity.id, { partitions, hasSubQueues: entity.type !== "topic" }))
      await session.query(`drop sequence ${sequence}`);
    await empty(store, session, entity);
  }
}

async function empty({ schema }: Store, session: Session, entity: Entity): Promise<void> {
  const [from, to] = queuesOf(entity.id);
  for (const table of ["delivery", "body", "session"])
    await session.query(`delete from ${schema}.${table} where queue >= $1 and queue < $2`, [from, to]);
  await session.query(`delete from ${schema}.seen where entity = $1`, [entity.id]);
}

/** Deletes every message, lock, session state and message id of an entity and, for a topic, of its subscriptions. */
export async function clearEntity(store: Store, find: () => Entity): Promise<void> {
  await store.change(async (session) => {
    const entity = find();
    const all = entity.type === "topic" ? [...entity.subscriptions, entity] : [entity];
    for (const one of all) await empty(store, session, one);
  });
}

/** Changes the rules of a subscription. */
export async function changeRules(
  store: Store,
  find: () => Subscription,
  change: (subscription: Subscription) => readonly RuleProperties[],
): Promise<void> {
  await alter(store, async (session, version) => {
    const subscription = find();
    await session.query(`update ${store.schema}.entity set rules = $2, version = $3 where id = $1`, [
      subscription.id,
      change(subscription).map(writeRule),
      version,
    ]);
  });
}

/** The rules with a rule added. @throws SobreError `MessagingEntityAlreadyExists`, `QuotaExceeded`, `InvalidArgument`. */
export function withRule({ name, rules, topic }: Subscription, rule: RuleProperties): readonly RuleProperties[] {
  const key = rule.name.toLowerCase();
  if (rules.some((other) => other.name.toLowerCase() === key)) throw entityExists(`${name}/Rules/${rule.name}`);
  topic.rules.checkRoom([compileRule(undefined, rule)]);
  return [...rules, rule];
}

/** The rules without one. @throws SobreError `MessagingEntityNotFound`. */
export function withoutRule({ name, rules }: Subscription, rule: string): readonly RuleProperties[] {
  if (typeof rule !== "string") throw invalidOption("name", "must name a rule");
  const left = rules.filter((other) => other.name.toLowerCase() !== rule.toLowerCase());
  if (left.length === rules.length) throw entityNotFound(`${name}/Rules/${rule}`);
  return left;
}

/** Deletes the entities that have been idle for the time in their settings. */
export async function deleteIdle(store: Store, now: number): Promise<void> {
  const { schema, directory } = store;
  const watched = [...directory.entities()].filter(({ settings }) => settings.autoDeleteOnIdle !== Infinity);
  if (watched.length === 0) return;
  const idle = await idleOf(store.database, schema, watched, now);
  if (idle.length === 0) return;
  await alter(store, async (session, version) => {
    // Since the first look they may have been used, or got other settings.
    const current = idle.flatMap((id) => directory.byId(id) ?? []);
    const dropped = new Set<Entity>();
    for (const id of await idleOf(session, schema, current, now, "for update of e")) {
      const entity = directory.byId(id);
      if (entity === undefined) continue;
      if (entity.type === "topic") for (const subscription of entity.subscriptions) dropped.add(subscription);
      dropped.add(entity);
    }
    if (dropped.size > 0) await drop(store, session, [...dropped], version);
  });
}

async function idleOf(
  session: Session,
  schema: string,
  entities: readonly Entity[],
  now: number,
  locking: "" | "for update of e" = "",
): Promise<readonly number[]> {
  const rows = await session.query(
    `select e.id from ${schema}.entity e join unnest($1::bigint[], $2::float8[]) as w(id, idle) on w.id = e.id
     where e.key is not null and e.used_at + w.idle <= $3::bigint order by e.id ${locking}`,
    [entities.map(({ id }) => id), entities.map(({ settings }) => Math.ceil(settings.autoDeleteOnIdle)), now],
  );
  return rows.map((row) => numberOf(row, "id"));
}

/** Milliseconds within which another use of an entity is not recorded. */
const usedFor = 60_000;

const uses = new WeakMap<Store, Map<number, number>>();

/** Records that an entity was used, unless that was recorded recently. */
export async function touch(store: Store, { id, settings }: Entity): Promise<void> {
  const now = store.now();
  const known = uses.get(store) ?? new Map<number, number>();
  uses.set(store, known);
  if (now < (known.get(id) ?? -Infinity) + Math.min(usedFor, settings.autoDeleteOnIdle / 10)) return;
  known.set(id, now);
  await store.database.query(`update ${store.schema}.entity set used_at = $2 where id = $1 and used_at < $2`, [
    id,
    now,
  ]);
}
