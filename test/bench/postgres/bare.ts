import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { batch, callers, type Called, called, payload } from "./contender.ts";

/** Milliseconds after which a receiver that found nothing looks again. */
const nothingThere = 2;

/** A script of three prepared statements on tables like the engine's, which keeps no promise but the lock. */
export async function bare(connectionString: string, like: string, schema = "bare"): Promise<Called> {
  const pool = new Pool({ connectionString, max: 10, options: "-c enable_seqscan=off -c enable_bitmapscan=off" });
  await pool.query(`create schema if not exists ${schema}`);
  await pool.query(`create sequence if not exists ${schema}.numbers`);
  for (const table of ["delivery", "body"])
    await pool.query(`create table if not exists ${schema}.${table} (like ${like}.${table} including all)`);
  const storage = "autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0";
  await pool.query(`alter table ${schema}.delivery set (fillfactor = 50, ${storage})`);
  await pool.query(`alter table ${schema}.body set (${storage})`);
  const insert = `with given as materialized (select nextval('${schema}.numbers') as seq, message from unnest($1::bytea[]) as message),
    bodies as (
      insert into ${schema}.body (queue, seq, number, enqueued_number, enqueued_at, message) select 4, seq, seq, seq, $2::bigint, message from given
    )
    insert into ${schema}.delivery (queue, seq, count, size, state) select 4, seq, 0, 1024, 0 from given`;
  const claim = `with chosen as materialized (
      select seq from ${schema}.delivery where queue = 4 and token is null order by seq limit $2 for update skip locked
    ),
    taken as (
      update ${schema}.delivery set token = 1, locked_until = $1 where queue = 4 and seq = any(array(select seq from chosen)) returning seq
    )
    select taken.seq, body.message from taken join ${schema}.body on body.queue = 4 and body.seq = taken.seq order by seq`;
  const remove = `with gone as (delete from ${schema}.delivery where queue = 4 and seq = any($1::bigint[]) and token = 1 returning seq)
    delete from ${schema}.body where queue = 4 and seq = any(array(select seq from gone))`;
  return called({
    name: "bare script",
    configuration: `${callers} senders, ${callers} receivers, three prepared statements, 10 connections, the engine's tables`,
    send: (count) =>
      pool.query({
        name: "insert",
        text: insert,
        values: [Array.from({ length: count }, () => payload), Date.now()],
      }),
    receive: async () => {
      const { rows } = await pool.query<{ readonly seq: string }>({
        name: "claim",
        text: claim,
        values: [Date.now() + 60_000, batch],
      });
      if (rows.length === 0) await sleep(nothingThere);
      else await pool.query({ name: "remove", text: remove, values: [rows.map(({ seq }) => seq)] });
      return rows.length;
    },
    close: () => pool.end(),
  });
}
