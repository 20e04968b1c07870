import { SobreError } from "../../core/errors/sobre-error.ts";
import { Arrivals } from "./arrivals.ts";
import type { DatabaseSession } from "./database.ts";
import { isOfRow } from "./failures.ts";
import { entityOf, partOf, TableQueue } from "./entities.ts";
import type { ClaimCursor } from "./claim.ts";
import { messageColumns, readMessage } from "./messages.ts";
import { states } from "./placement.ts";
import {
  expireMessages,
  giveBack,
  moved,
  overdueSession,
  readMessages,
  remove,
  removeRows,
  type Returning,
} from "./returns.ts";
import { freeSession, sessionColumns } from "./sessions.ts";
import { bigintOf, maybeBigint, maybeNumber, numberOf, type ResultRow } from "./rows.ts";
import type { PostgresStore } from "./store.ts";

/** Maximum number of rows that a sweep moves per transaction. */
const maxRowsPerTransaction = 500;

/** A queue of this process. */
export interface SweptQueue extends ClaimCursor {
  low: bigint;
  /** From where on the rows below `low` are read next: those that were committed late and never announced. */
  unannounced: bigint;
  /** Whether calls wait for its messages. */
  readonly isAwaited: boolean;
  wake(): void;
}

/** Milliseconds after which a row that could not be moved is tried again. */
const rowRetryDelay = 60_000;

/** How much a sweep looks at: rows that are dead and cannot be vacuumed yet are read as those that are there. */
export interface SweepScope {
  readonly queues: ReadonlyMap<number, SweptQueue>;
  /** Whether to read behind the cursors, where locks expire. */
  readonly behind: boolean;
  /** How many positions to read below the lowest known rows. */
  readonly below: bigint;
  /** The time from which on messages may be due, and up to which the next one is looked for, in milliseconds since 1970. */
  readonly due: readonly [from: number, to: number];
}

/** The findings of a sweep. */
export interface Swept {
  /** Milliseconds that reading took, without the work that was found. */
  readonly took: number;
  /** Whether anything was due. */
  readonly isBusy: boolean;
  /** When the next lock runs out or message is due, in milliseconds since 1970, as far as this sweep has read. */
  readonly next: number | undefined;
  /** When the first message is or was due, within the scope. */
  readonly due: number | undefined;
  /** The errors of queues that could not be swept; the others were. */
  readonly failures: readonly unknown[];
}

/** Applies everything that is due: expired locks of these queues, scheduled messages, expired messages. Wakes the queues where messages wait. */
export async function sweep(store: PostgresStore, { queues, behind, below, due }: SweepScope): Promise<Swept> {
  const { schema } = store;
  const now = store.now();
  const known = [...queues].flatMap(([number, state]) => {
    const queue = queueIn(store, number);
    if (queue === undefined) return [];
    const withSessions = queue.requiresSession;
    const from = state.unannounced < state.low ? state.unannounced : 0n;
    const read = { end: state.at, low: state.low, from, to: lowest(from + below, state.low) };
    return [{ queue, state, withSessions, reading: state.read(), read: behind && !withSessions ? read : undefined }];
  });
  const begun = performance.now();
  const rows = await store.database
    .query(
      `select l.queue, behind.free, behind.low, behind.expired or sessions.expired as expired, ahead.ready, least(behind.next, sessions.next) as next
     from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[], $7::bigint[], $8::bigint[])
       as l(queue, at, behind, with_sessions, low, slice, slice_end)
     cross join lateral (
       select min(seq) as low, min(seq) filter (where token is null and not returned and state = 0) as free,
         coalesce(bool_or(token is not null and locked_until <= $1), false) as expired,
         min(locked_until) filter (where token is not null and locked_until > $1) as next
       from (
         select * from ${schema}.delivery where queue = l.queue and seq >= l.low and seq < l.behind
         union all
         select * from ${schema}.delivery where queue = l.queue and seq >= l.slice and seq < l.slice_end
       ) d
     ) behind
     cross join lateral (
       select coalesce(bool_or(locked_until <= $1), false) as expired, min(locked_until) filter (where locked_until > $1) as next
       from ${schema}.session s where l.with_sessions and s.queue = l.queue and s.mark is not null
     ) sessions
     cross join lateral (
       select exists (
         select from ${schema}.delivery d where d.queue = l.queue and d.seq >= l.at and d.token is null and not d.returned and d.state = 0
       ) or exists (select from ${schema}.delivery d where d.queue = l.queue and d.seq >= l.low and d.returned) as ready
     ) ahead
     union all
     select null, null, null, coalesce(min(due) <= $1, false), false, min(due) from ${schema}.delivery where due >= $9 and due <= $10`,
      [
        now,
        known.map(({ queue }) => queue.number),
        known.map(({ state, withSessions }) => (state.isAwaited && !withSessions ? state.at : null)),
        known.map(({ read }) => read?.end ?? null),
        known.map(({ withSessions }) => withSessions),
        known.map(({ state }) => state.low),
        known.map(({ read }) => read?.from ?? null),
        known.map(({ read }) => read?.to ?? null),
        ...due,
      ],
    )
    .finally(() => {
      for (const { state, reading } of known) state.advance(reading, undefined);
    });
  const took = performance.now() - begun;
  const found = new Map(rows.map((row) => [maybeNumber(row, "queue"), row]));
  for (const { queue, state, reading, read } of known) {
    const row = found.get(queue.number);
    if (read === undefined || row === undefined) continue;
    state.unannounced = read.to;
    state.low = lowest(maybeBigint(row, "low") ?? read.end, reading.arrived);
  }
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    // Without a connection the others would only wait for one in turn.
    if (error instanceof SobreError && error.code === "ServiceCommunicationProblem") throw error;
    failures.push(error);
  };
  let isBusy = false;
  let next = Infinity;
  for (const row of rows) next = Math.min(next, maybeNumber(row, "next") ?? Infinity);
  for (const { queue, state, withSessions, read } of known) {
    const row = found.get(queue.number);
    const free = row === undefined ? undefined : maybeBigint(row, "free");
    if (free !== undefined) state.rewind(free);
    const isExpired = row?.["expired"] === true;
    if (isExpired)
      await (withSessions ? freeExpiredSessions(store, queue, now) : returnExpired(store, queue, state, now)).catch(
        fail,
      );
    if (isExpired || free !== undefined) isBusy = true;
    // Until now no claim has looked this low for returned messages.
    const isLower = read !== undefined && row !== undefined && (maybeBigint(row, "low") ?? read.low) < read.low;
    // A session's receiver waits for messages of its own.
    if (state.isAwaited && (withSessions || free !== undefined || isLower || row?.["ready"] === true)) state.wake();
  }
  const dueRow = found.get(undefined);
  const firstDue = dueRow === undefined ? undefined : maybeNumber(dueRow, "next");
  if (dueRow?.["expired"] === true) {
    isBusy = true;
    while ((await handleDue(store, now, firstDue ?? 0).catch(fail)) === maxRowsPerTransaction);
  }
  return { isBusy, next: next === Infinity ? undefined : next, due: firstDue, failures, took };
}

const lowest = (one: bigint, other: bigint | undefined): bigint => (other !== undefined && other < one ? other : one);

/** Returns messages whose locks have expired. */
async function returnExpired(store: PostgresStore, queue: TableQueue, cursor: ClaimCursor, now: number): Promise<void> {
  await inTransaction(store, queue, now, async (returning) => {
    const messages = await readMessages(
      returning,
      `d.seq >= $4 and d.seq < $3 and d.token is not null and d.locked_until <= $2 order by d.seq limit ${maxRowsPerTransaction} for update of d skip locked`,
      [now, cursor.at, cursor.low],
    );
    await giveBack(returning, messages, "counted");
  });
}

async function freeExpiredSessions(store: PostgresStore, queue: TableQueue, now: number): Promise<void> {
  const { schema } = store;
  await inTransaction(store, queue, now, async (returning) => {
    const rows = await returning.session.query(
      `select ${sessionColumns} from ${schema}.session where queue = $1 and mark is not null and locked_until <= $2 for update skip locked`,
      [queue.number, now],
    );
    for (const row of rows) await freeSession(returning, row, "counted");
  });
}

/** Moves scheduled and expired messages of every queue, due from a time on; returns how many rows were found. */
async function handleDue(store: PostgresStore, now: number, from: number): Promise<number> {
  try {
    return await handleRows(store, now, from, handleDueRow);
  } catch (error) {
    if (!isOfRow(error)) throw error;
    // Savepoints cost two statements for each row: only a batch that fails pays for them.
    return handleRows(store, now, from, handleOrDelay);
  }
}

async function handleRows(
  store: PostgresStore,
  now: number,
  from: number,
  handle: typeof handleDueRow,
): Promise<number> {
  const { schema } = store;
  const arrivals = new Arrivals();
  const found = await store.change(async (session) => {
    const rows = await session.query(
      `select d.queue, d.due, ${messageColumns} from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq
       where d.due >= $2 and d.due <= $1 and (d.token is null or d.session is not null or d.locked_until <= $1)
       order by d.due, d.seq limit ${maxRowsPerTransaction} for update of d skip locked`,
      [now, from],
    );
    for (const row of rows) await handle(store, session, row, now, arrivals);
    return rows.length;
  });
  if (arrivals.size > 0) store.onArrival(arrivals);
  return found;
}

/** Handles a row in a savepoint; a row that fails is delayed, so that it keeps no other waiting. */
async function handleOrDelay(
  store: PostgresStore,
  session: DatabaseSession,
  row: ResultRow,
  now: number,
  arrivals: Arrivals,
): Promise<void> {
  await session.query("savepoint due_row");
  try {
    await handleDueRow(store, session, row, now, arrivals);
  } catch (error) {
    if (!isOfRow(error)) throw error;
    await session.query("rollback to savepoint due_row");
    await session.query(`update ${store.schema}.delivery set due = $3 where queue = $1 and seq = $2`, [
      numberOf(row, "queue"),
      bigintOf(row, "seq"),
      now + rowRetryDelay,
    ]);
  }
  await session.query("release savepoint due_row");
}

async function handleDueRow(
  store: PostgresStore,
  session: DatabaseSession,
  row: ResultRow,
  now: number,
  arrivals: Arrivals,
): Promise<void> {
  const number = numberOf(row, "queue");
  const queue = queueIn(store, number);
  // The entity is gone, and with it whoever could receive the message.
  if (queue === undefined) return removeRows(session, store.schema, number, [bigintOf(row, "seq")]);
  const message = readMessage(row);
  const at = numberOf(row, "due");
  const isScheduled = numberOf(row, "state") === states.scheduled;
  // A scheduled message arrives at its due time, however late the sweep is.
  const routing = store.routing(session, isScheduled ? at : now);
  const returning = { session, schema: store.schema, queue, routing, now };
  if (isScheduled) {
    store.uses.note(queue.entity, at);
    await remove(returning, [message]);
    routing.arrive(queue.entity, moved(message), at);
  } else if (message.session === undefined) await expireMessages(returning, [message]);
  else {
    await session.query(`update ${store.schema}.delivery set due = null where queue = $1 and seq = $2`, [
      queue.number,
      message.seq,
    ]);
    await overdueSession(returning, message.session);
  }
  await store.finish(session, routing, arrivals);
}

/** Runs work on a queue in a transaction, then inserts the messages that it routed elsewhere; `wakes` decides from the result whether to retry the queue's waits. */
export async function inTransaction<T>(
  store: PostgresStore,
  queue: TableQueue,
  now: number,
  work: (returning: Returning) => Promise<T>,
  wakes: (result: T) => boolean = () => true,
): Promise<T> {
  const arrivals = new Arrivals();
  const result = await store.change(async (session) => {
    const routing = store.routing(session, now);
    const done = await work({ session, schema: store.schema, queue: store.current(queue), routing, now });
    await store.finish(session, routing, arrivals);
    return done;
  });
  if (wakes(result)) arrivals.add(queue.number);
  store.onArrival(arrivals);
  return result;
}

function queueIn({ directory }: PostgresStore, number: number): TableQueue | undefined {
  const entity = directory.byId(entityOf(number));
  return entity === undefined ? undefined : new TableQueue(entity, partOf(number));
}
