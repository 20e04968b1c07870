import type {
  DeadLetterSums,
  SessionInspection,
  StateCounts,
  SumDeadLettersOptions,
} from "../../core/engine/inspection.ts";
import { numberColumn } from "./browse.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { Part } from "../policy/entities.ts";
import { queueNumber, queuesOf, type TableEntity, type TableQueue, withSubscriptions } from "./entities.ts";
import { states } from "./placement.ts";
import {
  bigintOf,
  maybeBigint,
  maybeBytes,
  maybeNumber,
  maybeText,
  numberOf,
  type ResultRow,
  textOfColumn,
} from "./rows.ts";
import type { PostgresStore } from "./store.ts";

/** Counts the messages and bytes of an entity. */
export async function measureEntity({ database, schema }: PostgresStore, entity: TableEntity): Promise<EntityMeasure> {
  const { id, createdAt, modifiedAt } = entity;
  const ranges = withSubscriptions(entity).map((one) => queuesOf(one.id));
  const rows = await database.query(
    `with held as (select * from unnest($1::bigint[], $2::bigint[]) as e(low, high))
     select d.queue, d.state, count(*) as count, coalesce(sum(d.size), 0)::bigint as bytes from held
       cross join lateral (select queue, state, size from ${schema}.delivery where queue >= held.low and queue < held.high) d
       group by d.queue, d.state
     union all
     select s.queue, -1, 0, coalesce(sum(octet_length(s.state)), 0)::bigint from held
       cross join lateral (select queue, state from ${schema}.session where queue >= held.low and queue < held.high) s
       group by s.queue`,
    [ranges.map(([from]) => from), ranges.map(([, to]) => to)],
  );
  const [used] = await database.query(`select used_at from ${schema}.entity where id = $1`, [id]);
  const countOf = (part: Part, state?: number): number =>
    rows
      .filter((row) => numberOf(row, "queue") === queueNumber(id, part))
      .filter((row) => state === undefined || numberOf(row, "state") === state)
      .reduce((sum, row) => sum + numberOf(row, "count"), 0);
  return {
    messages: countOf("messages"),
    scheduled: countOf("messages", states.scheduled),
    deadLetters: countOf("deadLetters"),
    transferDeadLetters: countOf("transferDeadLetters"),
    bytes: rows.reduce((sum, row) => sum + numberOf(row, "bytes"), 0),
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
    accessedAt: new Date(used === undefined ? createdAt : numberOf(used, "used_at")),
  };
}

/** The messages of a queue by state. */
export async function countsOf(store: PostgresStore, { number }: TableQueue): Promise<StateCounts> {
  const { database, schema } = store;
  const [row = {}] = await database.query(
    `select count(*) filter (where d.state = 0) as active, count(*) filter (where d.state = 1) as deferred,
       count(*) filter (where d.state = 2) as scheduled,
       count(*) filter (where d.token is not null and coalesce(s.locked_until, d.locked_until) > $2) as locked,
       (select b.enqueued_at from ${schema}.body b join ${schema}.delivery o on o.queue = b.queue and o.seq = b.seq
        where b.queue = $1 and o.state < 2 order by b.seq limit 1) as oldest
     from ${schema}.delivery d left join ${schema}.session s on s.queue = d.queue and s.id = d.session
     where d.queue = $1`,
    [number, store.now()],
  );
  return {
    active: numberOf(row, "active"),
    deferred: numberOf(row, "deferred"),
    scheduled: numberOf(row, "scheduled"),
    locked: numberOf(row, "locked"),
    oldestEnqueuedTimeUtc: dateOf(row, "oldest"),
  };
}

/** Some sessions of a queue, by id. */
export async function sessionsOf(
  store: PostgresStore,
  queue: TableQueue,
  skip: number,
  maxSessions: number,
): Promise<readonly SessionInspection[]> {
  const { database, schema } = store;
  const now = store.now();
  const rows = await database.query(
    `select s.*, m.messages, m.first from ${schema}.session s cross join lateral (
       select count(*) as messages, min(${numberColumn(queue)}) as first
       from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq
       where d.queue = $1 and d.session = s.id and d.state < 2
     ) m
     where s.queue = $1 and (m.messages > 0 or s.state is not null or (s.mark is not null and s.locked_until > $2))
     order by s.id collate "C" offset $3 limit $4`,
    [queue.number, now, skip, maxSessions],
  );
  return rows.map((row) => sessionOf(row, now));
}

/** Counts messages of a queue by dead-letter reason and source. */
export async function deadLettersOf(
  { database, schema }: PostgresStore,
  queue: TableQueue,
  { maxMessages, fromSequenceNumber = 0n }: SumDeadLettersOptions,
): Promise<DeadLetterSums> {
  const number = numberColumn(queue);
  const rows = await database.query(
    `with part as materialized (
       select ${number} as number, b.reason, b.source from ${schema}.body b
       where b.queue = $1 and ${number} >= $2 order by ${number} limit $3::bigint + 1
     )
     select reason, source, count(*) as count, min(number) as first, (select number from part order by number offset $3 limit 1) as next
     from (select * from part order by number limit $3) as counted group by reason, source order by count desc, first`,
    [queue.number, fromSequenceNumber, maxMessages],
  );
  const [first = {}] = rows;
  return {
    sums: rows.map((row) => ({
      reason: maybeText(row, "reason"),
      source: maybeText(row, "source"),
      count: numberOf(row, "count"),
      firstSequenceNumber: bigintOf(row, "first"),
    })),
    next: maybeBigint(first, "next"),
  };
}

function sessionOf(row: ResultRow, now: number): SessionInspection {
  const isHeld = maybeBigint(row, "mark") !== undefined && numberOf(row, "locked_until") > now;
  return {
    sessionId: textOfColumn(row, "id"),
    holder: isHeld ? (maybeText(row, "holder") ?? "") : undefined,
    lockedUntilUtc: isHeld ? dateOf(row, "locked_until") : undefined,
    state: maybeBytes(row, "state"),
    stateSetAtUtc: maybeBytes(row, "state") === undefined ? undefined : dateOf(row, "state_at"),
    messageCount: numberOf(row, "messages"),
    firstSequenceNumber: maybeBigint(row, "first"),
  };
}

function dateOf(row: ResultRow, column: string): Date | undefined {
  const time = maybeNumber(row, column);
  return time === undefined ? undefined : new Date(time);
}
