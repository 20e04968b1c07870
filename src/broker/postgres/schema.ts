import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Database, DatabaseSession } from "./database.ts";
import { numberOf } from "./rows.ts";

/**
 * Statements that upgrade the tables from each version to the next; `$schema` stands for the quoted schema. They are never
 * changed once released, and each leaves the tables usable by nodes of the previous version.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    // One row; its version increases with every change of an entity or rule, so that nodes notice when their cache is stale.
    "create table $schema.namespace (one boolean primary key default true check (one), version bigint not null)",
    "insert into $schema.namespace values (true, 1)",
    `create table $schema.entity (
      id bigint generated always as identity primary key,
      key text,
      name text not null,
      type text not null check (type in ('queue', 'topic', 'subscription')),
      topic bigint,
      settings text not null,
      rules text[] not null default '{}',
      version bigint not null,
      created_at bigint not null,
      modified_at bigint not null,
      used_at bigint not null
    )`,
    // The key of a deleted entity is NULL: its row shows other nodes the deletion.
    "create unique index entity_key on $schema.entity (key)",
    "create index entity_version on $schema.entity (version)",
    // Narrow, since every lock rewrites the row. Neither token, locked_until nor count is in an index.
    `create table $schema.delivery (
      queue bigint not null,
      seq bigint not null,
      token bigint,
      locked_until bigint not null default 0,
      due bigint,
      count integer not null,
      size integer not null,
      state smallint not null,
      returned boolean not null default false,
      session text,
      primary key (queue, seq)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,
    "create index delivery_returned on $schema.delivery (queue, seq) where returned",
    "create index delivery_due on $schema.delivery (due) where due is not null",
    "create index delivery_session on $schema.delivery (queue, session, seq) where session is not null",
    `create table $schema.body (
      queue bigint not null,
      seq bigint not null,
      number bigint not null,
      enqueued_number bigint not null,
      enqueued_at bigint not null,
      expires_at bigint,
      reason text,
      description text,
      source text,
      time_to_live double precision,
      body_kind text,
      message bytea not null,
      primary key (queue, seq)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,
    "create index body_number on $schema.body (queue, number) where number <> seq",
    `create table $schema.session (
      queue bigint not null,
      id text not null,
      mark bigint,
      locked_until bigint not null default 0,
      ready bigint,
      overdue boolean not null default false,
      state bytea,
      state_at bigint,
      holder text,
      primary key (queue, id)
    ) with (fillfactor = 50)`,
    "create index session_ready on $schema.session (queue, ready) where ready is not null",
    `create table $schema.seen (
      entity bigint not null, key text not null, at bigint not null, primary key (entity, key)
    )`,
    "create index seen_at on $schema.seen (entity, at)",
  ],
  [
    // Shared by the nodes that serve the namespace, for what they hand to clients that may turn to another node.
    "alter table $schema.namespace add column secret text not null default gen_random_uuid()::text",
    // Old message ids are deleted in batches.
    "alter table $schema.seen set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)",
  ],
];

/** Serializes migrations of any schema: only one runs at a time. */
const migrationLock = 0x736f_6272;

/** Milliseconds that an upgrade waits for a table: while it waits, the nodes that use the table wait, too. */
const maxWait = 5000;

/**
 * Creates the schema and its tables, or upgrades them if they are not up to date, in one transaction. Nodes of older
 * releases keep working meanwhile and afterwards.
 *
 * @param schema Quoted.
 * @returns the versions before and after.
 * @throws SobreError `InvalidOperation` for tables of a newer release; `ServiceBusy` when a table is in use for longer
 * than 5 seconds.
 */
export async function migrate(
  database: Database,
  schema: string,
  steps: typeof migrations = migrations,
): Promise<{ readonly from: number; readonly to: number }> {
  const to = steps.length;
  if ((await versionOf(database, schema)) === to) return { from: to, to };
  return database.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    await session.query("select set_config('lock_timeout', $1, true)", [String(maxWait)]);
    // Even of a schema that exists, the statement needs the right to create one.
    const [there] = await session.query("select 1 as one where to_regnamespace($1) is not null", [schema]);
    if (there === undefined) await session.query(`create schema ${schema}`);
    await session.query(
      `create table if not exists ${schema}.migration (version integer primary key, at timestamptz not null default now())`,
    );
    const from = await versionOf(session, schema);
    checkVersion(from, to);
    for (const [index, statements] of steps.entries()) {
      if (index < from) continue;
      for (const statement of statements) await session.query(statement.replaceAll("$schema", schema));
      await session.query(`insert into ${schema}.migration (version) values ($1)`, [index + 1]);
    }
    return { from, to };
  });
}

/** @throws SobreError `InvalidOperation` unless the tables have the version of this release. */
export async function checkSchema(database: Database, schema: string): Promise<void> {
  const version = await versionOf(database, schema);
  const needed = migrations.length;
  checkVersion(version, needed);
  if (version === needed) return;
  const found =
    version === 0 ? `The schema ${schema} has no tables of sobre` : `The tables in ${schema} have version ${version}`;
  throw new SobreError(
    "InvalidOperation",
    `${found}, and this release needs version ${needed}. Run \`sobre postgres migrate\`, or allow it with \`migrate\`.`,
  );
}

/** 0 without tables. */
async function versionOf(session: DatabaseSession, schema: string): Promise<number> {
  const [found] = await session.query("select (to_regclass($1) is not null)::int as there", [`${schema}.migration`]);
  if (found === undefined || numberOf(found, "there") === 0) return 0;
  const [row] = await session.query(`select coalesce(max(version), 0) as version from ${schema}.migration`);
  return row === undefined ? 0 : numberOf(row, "version");
}

function checkVersion(version: number, known: number): void {
  if (version <= known) return;
  throw new SobreError(
    "InvalidOperation",
    `The tables have version ${version}, and this release knows ${known}. Use a newer release of sobre.`,
  );
}

/**
 * Lets a role send, receive and settle, and nothing else: it can neither create, change or delete entities nor upgrade tables.
 *
 * @param role Quoted.
 */
export async function grantMessages(database: Database, schema: string, role: string): Promise<void> {
  const grants = [
    `grant usage on schema ${schema} to ${role}`,
    `grant select on ${schema}.migration, ${schema}.namespace, ${schema}.entity to ${role}`,
    `grant update (used_at) on ${schema}.entity to ${role}`,
    `grant select, insert, update, delete on ${schema}.delivery, ${schema}.body, ${schema}.session, ${schema}.seen to ${role}`,
    // Each queue has sequences for its numbers, those to be created included.
    `grant usage, select on all sequences in schema ${schema} to ${role}`,
    `alter default privileges in schema ${schema} grant usage, select on sequences to ${role}`,
  ];
  await database.transaction(async (session) => {
    for (const grant of grants) await session.query(grant);
  });
}
