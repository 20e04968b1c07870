import type { Session } from "./database.ts";
import { entityOf, hasSessions, type Lane, laneOf, type Part } from "./entities.ts";
import type { Cursor } from "./claim.ts";
import { messageColumns, readMessage } from "./messages.ts";
import { states } from "./placement.ts";
import { expireMessages, giveBack, moved, overdueSession, remove, type Returning } from "./returns.ts";
import { freeSession, sessionColumns } from "./sessions.ts";
import { maybeBigint, numberOf, type Row } from "./rows.ts";
import type { Store } from "./store.ts";

/** Maximum number of rows that a sweep moves per transaction. */
const atOnce = 500;

/** Applies everything that is due: expired locks of these lanes, scheduled messages, expired messages. */
export async function sweep(store: Store, cursors: ReadonlyMap<number, Cursor>): Promise<void> {
  const now = store.now();
  for (const [queue, cursor] of cursors) {
    const lane = laneIn(store, queue);
    if (lane === undefined) continue;
    if (hasSessions(lane)) await freeExpiredSessions(store, lane, now);
    else await returnExpired(store, lane, cursor, now);
  }
  while ((await handleDue(store, now)) === atOnce);
}

/** Returns messages whose locks have expired, and moves the cursor back to messages committed behind it. */
async function returnExpired(store: Store, lane: Lane, cursor: Cursor, now: number): Promise<void> {
  const { schema } = store;
  const [lowest] = await store.database.query(
    `select min(seq) filter (where token is null and not returned and state = 0) as free,
       coalesce(bool_or(token is not null and locked_until <= $3), false) as expired
     from ${schema}.delivery where queue = $1 and seq < $2`,
    [lane.queue, cursor.at, now],
  );
  const free = lowest === undefined ? undefined : maybeBigint(lowest, "free");
  if (free !== undefined && free < cursor.at) cursor.at = free;
  if (lowest?.["expired"] !== true) return;
  await inTransaction(store, lane, now, async (returning) => {
    const rows = await returning.session.query(
      `select ${messageColumns} from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq
       where d.queue = $1 and d.seq < $3 and d.token is not null and d.locked_until <= $2 order by d.seq limit ${atOnce} for update of d skip locked`,
      [lane.queue, now, cursor.at],
    );
    await giveBack(returning, rows.map(readMessage), "counted");
  });
}

async function freeExpiredSessions(store: Store, lane: Lane, now: number): Promise<void> {
  const { schema } = store;
  await inTransaction(store, lane, now, async (returning) => {
    const rows = await returning.session.query(
      `select ${sessionColumns} from ${schema}.session where queue = $1 and mark is not null and locked_until <= $2 for update skip locked`,
      [lane.queue, now],
    );
    for (const row of rows) await freeSession(returning, row, "counted");
  });
}

/** Moves scheduled and expired messages of every queue; returns how many rows were found. */
async function handleDue(store: Store, now: number): Promise<number> {
  const { schema } = store;
  const queues = new Set<number>();
  const found = await store.change(async (session) => {
    const rows = await session.query(
      `select d.queue, d.locked_until, ${messageColumns} from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq
       where d.due <= $1 and (d.token is null or d.session is not null or d.locked_until <= $1)
       order by d.due, d.seq limit ${atOnce} for update of d skip locked`,
      [now],
    );
    for (const row of rows) await handleDueRow(store, session, row, now, queues);
    return rows.length;
  });
  if (queues.size > 0) store.onArrival(queues);
  return found;
}

async function handleDueRow(store: Store, session: Session, row: Row, now: number, queues: Set<number>): Promise<void> {
  const lane = laneIn(store, numberOf(row, "queue"));
  if (lane === undefined) return;
  const message = readMessage(row);
  const at = numberOf(row, "due");
  const isScheduled = numberOf(row, "state") === states.scheduled;
  // A scheduled message arrives at its due time, however late the sweep is.
  const routing = store.routing(session, isScheduled ? at : now);
  const returning = { session, schema: store.schema, lane, routing, now };
  if (isScheduled) {
    await remove(returning, [message]);
    await routing.arrive(lane.entity, moved(message));
  } else if (message.session === undefined) await expireMessages(returning, [message]);
  else {
    await session.query(`update ${store.schema}.delivery set due = null where queue = $1 and seq = $2`, [
      lane.queue,
      message.seq,
    ]);
    await overdueSession(returning, message.session);
  }
  await store.finish(session, routing, queues);
}

/** Runs work on a lane in a transaction, then inserts the messages that it routed elsewhere; `wakes` decides from the result whether to retry the lane's waits. */
export async function inTransaction<T>(
  store: Store,
  lane: Lane,
  now: number,
  work: (returning: Returning) => Promise<T>,
  wakes: (result: T) => boolean = () => true,
): Promise<T> {
  const queues = new Set<number>();
  const result = await store.change(async (session) => {
    const routing = store.routing(session, now);
    const done = await work({ session, schema: store.schema, lane: store.current(lane), routing, now });
    await store.finish(session, routing, queues);
    return done;
  });
  if (wakes(result)) queues.add(lane.queue);
  store.onArrival(queues);
  return result;
}

function laneIn({ directory }: Store, queue: number): Lane | undefined {
  const entity = directory.byId(entityOf(queue));
  const part: Part = queue % 4 === 1 ? 1 : queue % 4 === 2 ? 2 : 0;
  return entity === undefined ? undefined : laneOf(entity, part);
}
