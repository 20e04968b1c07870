import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { DatabaseSession } from "./database.ts";
import type { TableQueue } from "./entities.ts";
import { messageColumns, newToken, readMessage, toDelivery } from "./messages.ts";
import { bigintOf, maybeBigint, type ResultRow } from "./rows.ts";

/** A request for messages of a queue. */
export interface MessageClaim {
  readonly queue: TableQueue;
  readonly version: bigint;
  readonly receiveMode: ReceiveMode;
  readonly maxMessages: number;
  readonly now: number;
}

/** The position from which no message has been delivered yet, as far as this node knows. */
export interface ClaimCursor {
  readonly at: bigint;
  /** The lowest row behind the cursor, by sweeps and arrivals: what is below is gone. */
  readonly low: bigint;
  /** Called when a claim reads `at`. */
  read(): OpenClaimRead;
  /** Called at the end of the claim: moves the cursor forward, but to no message that arrived since the claim began, which may not have seen it. */
  advance(reading: OpenClaimRead | undefined, to: bigint | undefined): void;
  /** Moves the cursor back to a message that has arrived: its number may be lower than those of messages that arrived earlier. */
  rewind(to: bigint): void;
}

/** A claim under way. */
export interface OpenClaimRead {
  /** The highest message that had been announced when it began. */
  readonly announced: bigint | undefined;
  /** The lowest message that has arrived since it began. */
  arrived: bigint | undefined;
}

/** The session that a link holds. */
export interface ClaimedSession {
  readonly id: string;
  /** Identifies the lock; part of the tokens of its messages. */
  readonly mark: bigint;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Stored as the lock's end for messages of a session, which the session's lock governs. */
const untilItsSession = 2n ** 62n;

/** Maximum value of the `count` column. */
const maxDeliveries = 2 ** 31 - 1;

/**
 * Rows of a queue to take: returned messages first, then those from the cursor on, including those with expired locks.
 * Messages that have expired or reached the maximum delivery count are left to the sweep.
 */
const ofQueue = (schema: string): string => `
  back as materialized (
    select d.seq from ${schema}.delivery d
    where exists (select from guard) and d.queue = $2 and d.seq >= $7 and d.returned and (d.due is null or d.due > $4)
    order by d.seq limit $3 for update of d skip locked
  ),
  fresh as materialized (
    select d.seq from ${schema}.delivery d
    where exists (select from guard) and d.queue = $2 and d.seq >= $5
      and (d.token is null or (d.locked_until <= $4 and d.count + 1 < $6)) and not d.returned and d.state = 0
      and (d.due is null or d.due > $4)
    order by d.seq limit $3 - (select count(*) from back) for update of d skip locked
  ),
  chosen as materialized (
    select array(select seq from back) as back, array(select seq from back union all select seq from fresh) as seqs
  ),
  passed as (
    select case when cardinality(seqs) < $3 then
      (select d.seq from ${schema}.delivery d where d.queue = $2 and d.seq >= $5 order by d.seq desc limit 1)
    end as last from chosen
  )`;

/** Rows of a session to take, provided that its lock is still held. A row that a sweep has locked is waited for: skipping it would break the order. */
const ofSession = (schema: string): string => `
  fresh as materialized (
    select d.seq from ${schema}.delivery d
    where exists (select from guard) and d.queue = $2 and d.session = $5
      and (d.token is null or ((d.token >> 32) & 4294967295) <> $6) and d.state = 0 and (d.due is null or d.due > $4)
      and exists (select 1 from ${schema}.session s where s.queue = $2 and s.id = $5 and s.mark = $6 and s.locked_until > $4)
    order by d.seq limit $3 for update of d
  ),
  chosen as materialized (select '{}'::bigint[] as back, array(select seq from fresh) as seqs),
  passed as (select null::bigint as last)`;

/**
 * The chosen rows by their positions, as a condition of the index: with a join in its place, a planner that believes the
 * queue to be small would read every row and every dead row of it.
 */
const isChosen = "= any((select seqs from chosen)::bigint[])";

const read = (bodies: string): string => `
  select ${messageColumns}, (d.seq <> all((select back from chosen)::bigint[]))::integer as fresh, passed.last
  from guard cross join passed left join (taken d join ${bodies} b on b.queue = $2 and b.seq ${isChosen} and b.seq = d.seq) on true
  order by fresh, d.seq`;

const lockThem = (schema: string, token: string, until: string): string => `
  taken as (
    update ${schema}.delivery d
    set token = ${token}, locked_until = ${until}, returned = false, count = d.count + (d.token is not null)::integer
    where d.queue = $2 and d.seq ${isChosen} returning d.*
  )${read(`${schema}.body`)}`;

const deleteThem = (schema: string): string => `
  taken as (
    delete from ${schema}.delivery d where d.queue = $2 and d.seq ${isChosen}
    returning d.seq, d.count + (d.token is not null)::integer as count, d.size, d.state, d.session
  ),
  bodies as (delete from ${schema}.body b where b.queue = $2 and b.seq = any(array(select seq from taken)) returning b.*)${read("bodies")}`;

/** A server that crashes may forget who holds a message, as if the lock had run out; it may not forget that a message was deleted. */
const forgettable = " and set_config('synchronous_commit', 'off', true) is not null";

const guarded = (schema: string, receiveMode: ReceiveMode): string =>
  `with guard as materialized (
    select 1 from ${schema}.namespace where one and version = $1${receiveMode === "peekLock" ? forgettable : ""}
  ),`;

/** Takes ready messages of a queue; `undefined` when the entities have changed. */
export async function claim(
  session: DatabaseSession,
  schema: string,
  { queue, version, receiveMode, maxMessages, now }: MessageClaim,
  cursor: ClaimCursor,
): Promise<readonly Delivery[] | undefined> {
  const deletes = receiveMode === "receiveAndDelete";
  const token = newToken();
  const until = now + queue.lockDuration;
  const end = deletes ? deleteThem(schema) : lockThem(schema, "$8", "$9");
  const reading = cursor.read();
  let next: bigint | undefined;
  try {
    const rows = await session.query(`${guarded(schema, receiveMode)}${ofQueue(schema)},${end}`, [
      version,
      queue.number,
      maxMessages,
      now,
      cursor.at,
      Math.min(queue.maxDeliveryCount, maxDeliveries),
      cursor.low,
      ...(deletes ? [] : [token, until]),
    ]);
    const taken = takenOf(rows);
    next = taken === undefined ? undefined : nextOf(rows, taken, maxMessages, reading);
    return taken?.map((row) => toDelivery(readMessage(row), deletes ? undefined : { token, until }));
  } finally {
    cursor.advance(reading, next);
  }
}

/** Where the next claim begins. */
function nextOf(
  rows: readonly ResultRow[],
  taken: readonly ResultRow[],
  most: number,
  { announced }: OpenClaimRead,
): bigint | undefined {
  // Fewer rows than requested means that nothing from the cursor on is free, so the cursor moves past the locked rows; the
  // sweep returns those. With no row left at all, it moves past what was announced, which other processes have taken.
  const [first] = rows;
  const last = (first === undefined ? undefined : maybeBigint(first, "last")) ?? announced;
  const passed = taken.length < most ? last : lastFresh(taken);
  return passed === undefined ? undefined : passed + 1n;
}

/** The last message that was delivered for the first time. */
const lastFresh = (taken: readonly ResultRow[]): bigint | undefined =>
  taken
    .filter((row) => row["fresh"] === 1)
    .map((row) => bigintOf(row, "seq"))
    .at(-1);

/** Takes ready messages of a locked session; `undefined` when the entities have changed. */
export async function claimOfSession(
  session: DatabaseSession,
  schema: string,
  { queue, version, receiveMode, maxMessages, now }: MessageClaim,
  { id, mark, until }: ClaimedSession,
): Promise<readonly Delivery[] | undefined> {
  const deletes = receiveMode === "receiveAndDelete";
  const token = newToken(mark);
  const end = deletes ? deleteThem(schema) : lockThem(schema, "$7", "$8");
  const rows = await session.query(`${guarded(schema, receiveMode)}${ofSession(schema)},${end}`, [
    version,
    queue.number,
    maxMessages,
    now,
    id,
    mark,
    ...(deletes ? [] : [token, untilItsSession]),
  ]);
  return takenOf(rows)?.map((row) => toDelivery(readMessage(row), deletes ? undefined : { token, until }));
}

/** The rows of a guarded statement; `undefined` when the guard failed because the entities have changed. */
export function takenOf(rows: readonly ResultRow[]): readonly ResultRow[] | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  return first["seq"] === null ? [] : rows;
}

/** Locks messages that a transaction has read, under one token. */
export async function lockRows(
  session: DatabaseSession,
  schema: string,
  queue: TableQueue,
  {
    seqs,
    token,
    until,
  }: { readonly seqs: readonly bigint[]; readonly token: bigint; readonly until: number | undefined },
): Promise<void> {
  await session.query(
    `update ${schema}.delivery set token = $3, locked_until = $4, returned = false where queue = $1 and seq = any($2::bigint[])`,
    [queue.number, seqs, token, until ?? untilItsSession],
  );
}
