import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import { Directory } from "../policy/directory.ts";
import type { SubscriptionEntity, TopicEntity } from "../policy/entities.ts";
import { compileInto } from "../policy/entity-changes.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { readRule } from "../policy/stored-rule.ts";
import type { DatabaseSession } from "./database.ts";
import { type EntityRow, type TableEntity, TableQueue } from "./entities.ts";
import { bigintOf, maybeNumber, maybeText, numberOf, type ResultRow, textOfColumn } from "./rows.ts";

/** Milliseconds for which the rows of deleted entities are kept, so that every node notices the deletion. */
export const tombstoneAge = 3_600_000;

/** This node's cache of the entities of a namespace; every statement checks that it matches the database. */
export class TableDirectory extends Directory<EntityRow, TableQueue> {
  readonly #schema: string;
  readonly #session: DatabaseSession;
  readonly #byId = new Map<number, TableEntity>();
  #version = 0n;
  #loadedAt = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(session: DatabaseSession, schema: string) {
    super((entity, part) => new TableQueue(entity, part));
    this.#session = session;
    this.#schema = schema;
  }

  /** The version that statements compare with the one in the database. */
  get version(): bigint {
    return this.#version;
  }

  /** Whether any entity detects duplicates. */
  get detectsDuplicates(): boolean {
    for (const { type, settings } of this.entities())
      if (type !== "subscription" && settings.requiresDuplicateDetection) return true;
    return false;
  }

  byId(id: number): TableEntity | undefined {
    return this.#byId.get(id);
  }

  /** Loads the changes. */
  async refresh(): Promise<void> {
    this.#loading ??= this.refreshOn(this.#session).finally(() => (this.#loading = undefined));
    await this.#loading;
  }

  /** Loads everything, also if the version has gone back, as it does after a failover to a server that lacks the last commits. */
  async reload(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    this.#version = 0n;
    this.#loadedAt = -Infinity;
    await this.refresh();
  }

  /**
   * Loads the changes over a connection that the caller holds: it must not wait for another.
   *
   * @param uncommitted How many increments of the version are not committed yet: a transaction that makes further changes
   * holds the version's row, so no other node changes anything meanwhile.
   */
  async refreshOn(session: DatabaseSession, uncommitted = 0n): Promise<void> {
    // The row of an entity that was deleted long ago no longer exists.
    const isOld = performance.now() - this.#loadedAt > tombstoneAge / 2;
    const since = isOld ? 0n : this.#version;
    const rows = await session.query(
      `select n.version as now, e.* from ${this.#schema}.namespace n left join ${this.#schema}.entity e on e.version > $1 order by e.id`,
      [since],
    );
    this.#loadedAt = performance.now();
    const [first] = rows;
    // Another load that started later may have finished earlier.
    if (first === undefined || bigintOf(first, "now") - uncommitted < this.#version) return;
    const before = new Map(this.#byId);
    if (isOld) {
      for (const entity of this.#byId.values()) this.delete(entity);
      this.#byId.clear();
    }
    for (const row of rows) if (row["id"] !== null) this.#apply(row);
    this.#version = bigintOf(first, "now") - uncommitted;
    for (const [id, entity] of before) if (!this.#byId.has(id)) this.announceDeletion(entity);
  }

  #apply(row: ResultRow): void {
    const id = numberOf(row, "id");
    const before = this.#byId.get(id);
    if (before !== undefined) {
      this.#byId.delete(id);
      this.delete(before);
    }
    const entity = maybeText(row, "key") === undefined ? undefined : this.#read(row, id, before);
    if (entity === undefined) return;
    this.add(entity);
    this.#byId.set(id, entity);
  }

  #read(row: ResultRow, id: number, before: TableEntity | undefined): TableEntity | undefined {
    const known = {
      id,
      address: textOfColumn(row, "name"),
      createdAt: numberOf(row, "created_at"),
      modifiedAt: numberOf(row, "modified_at"),
    };
    const settings: object = JSON.parse(textOfColumn(row, "settings"));
    switch (textOfColumn(row, "type")) {
      case "queue":
        return { ...known, type: "queue", settings: queueSettings(settings) };
      case "topic":
        return topicOf({ ...known, type: "topic", settings: topicSettings(settings) }, before);
      default: {
        const topic = this.#byId.get(maybeNumber(row, "topic") ?? -1);
        return topic?.type === "topic" ? subscriptionOf(row, { ...known, topic }, settings) : undefined;
      }
    }
  }
}

/** Keeps the object, since its subscriptions refer to it. */
function topicOf(
  read: Omit<TopicEntity<EntityRow>, "subscriptions" | "rules">,
  before: TableEntity | undefined,
): TopicEntity<EntityRow> {
  if (before?.type === "topic") return Object.assign(before, read);
  return { ...read, subscriptions: new Map(), rules: new RuleIndex() };
}

function subscriptionOf(
  row: ResultRow,
  known: EntityRow & Pick<SubscriptionEntity<EntityRow>, "address" | "topic">,
  settings: object,
): SubscriptionEntity<EntityRow> {
  const subscription: SubscriptionEntity<EntityRow> = {
    ...known,
    type: "subscription",
    settings: subscriptionSettings(settings),
    name: known.address.slice(known.topic.address.length + "/Subscriptions/".length),
    rules: new Map(),
  };
  const rules: readonly unknown[] = Array.isArray(row["rules"]) ? row["rules"] : [];
  for (const rule of rules) compileInto(subscription, readRule(String(rule)));
  return subscription;
}
