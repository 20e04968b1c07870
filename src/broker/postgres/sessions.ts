import { sessionLockLost } from "../../core/engine/refusals.ts";
import type { ClaimedSession } from "./claim.ts";
import { newMark } from "./messages.ts";
import { numbersOf } from "./place.ts";
import { expireMessages, giveBack, giveBackClosed, type InQueue, readMessages, type Returning } from "./returns.ts";
import { maybeBytes, maybeBigint, numberOf, type ResultRow, textOfColumn } from "./rows.ts";

const columns = "id, mark, locked_until, ready, overdue";

/** Locks the session with this id, or returns `undefined` when it is held. */
export async function acceptNamed(
  returning: Returning,
  id: string,
  holder: string | undefined,
): Promise<ClaimedSession | undefined> {
  const { session, schema, queue } = returning;
  await session.query(`insert into ${schema}.session (queue, id) values ($1, $2) on conflict (queue, id) do nothing`, [
    queue.number,
    id,
  ]);
  const row = await free(returning, id);
  if (row === undefined) return undefined;
  await settleLost(returning, row);
  const held = await grant(returning, id, holder);
  await expireOverdue(returning, row);
  return held;
}

/** How often a session's row is tried that is locked and not held. */
const maxTries = 10;

/** The row of a session that is not held, locked; waits for those who send to it, and not for a transaction that settles its messages. */
async function free({ session, schema, queue, now }: Returning, id: string): Promise<ResultRow | undefined> {
  const read = async (locking: string): Promise<ResultRow | undefined> => {
    const [row] = await session.query(
      `select ${columns} from ${schema}.session where queue = $1 and id = $2 ${locking}`,
      [queue.number, id],
    );
    return row === undefined || isHeldNow(row, now) ? undefined : row;
  };
  for (let tries = 0; tries < maxTries; tries++) {
    const row = await read("for update skip locked");
    if (row !== undefined) return row;
    const seen = await read("");
    if (seen === undefined || maybeBigint(seen, "mark") !== undefined) return undefined;
    // A send commits within milliseconds.
    await session.query("select pg_sleep(0.01)");
  }
  return undefined;
}

/** Locks the session with messages that has been available longest, or returns `undefined`. */
export async function acceptNext(
  returning: Returning,
  holder: string | undefined,
): Promise<ClaimedSession | undefined> {
  const { session, schema, queue, now } = returning;
  for (;;) {
    const [row] = await session.query(
      `select ${columns} from ${schema}.session
       where queue = $1 and ready is not null and (mark is null or locked_until <= $2)
       order by ready limit 1 for update skip locked`,
      [queue.number, now],
    );
    if (row === undefined) return undefined;
    await settleLost(returning, row);
    await expireOverdue(returning, row);
    const id = textOfColumn(row, "id");
    const [waiting] = await session.query(
      `select 1 as one from ${schema}.delivery where queue = $1 and session = $2 and state = 0 limit 1`,
      [queue.number, id],
    );
    if (waiting !== undefined) return grant(returning, id, holder);
    await session.query(
      `update ${schema}.session set mark = null, locked_until = 0, ready = null where queue = $1 and id = $2`,
      [queue.number, id],
    );
    await forget(returning, id);
  }
}

/** Renews a session's lock. @throws SobreError `SessionLockLost`. */
export async function renewSession(within: InQueue, { id, mark }: ClaimedSession): Promise<ClaimedSession> {
  const until = within.now + within.queue.lockDuration;
  await updateHeld(within, { id, mark }, "locked_until = $5", until);
  return { id, mark, until };
}

/** Changes the row of a session that is held. */
async function updateHeld(
  { session, schema, queue, now }: InQueue,
  { id, mark }: Pick<ClaimedSession, "id" | "mark">,
  change: string,
  value: unknown,
): Promise<void> {
  const rows = await session.query(
    `update ${schema}.session set ${change} where queue = $1 and id = $2 and mark = $3 and locked_until > $4 returning 1 as one`,
    [queue.number, id, mark, now, value],
  );
  if (rows.length === 0) throw sessionLockLost(id, queue.address);
}

/** The row of a session, if it is held. */
async function readRow(
  { session, schema, queue, now }: InQueue,
  { id, mark }: ClaimedSession,
  read: string,
  locking: string,
): Promise<ResultRow | undefined> {
  const [row] = await session.query(
    `select ${read} from ${schema}.session where queue = $1 and id = $2 and mark = $3 and locked_until > $4 ${locking}`,
    [queue.number, id, mark, now],
  );
  return row;
}

/**
 * The row of a session that is held; `for share` keeps it so until the end of the transaction.
 *
 * @throws SobreError `SessionLockLost`.
 */
export async function heldRow(
  within: InQueue,
  held: ClaimedSession,
  read: string = "1 as one",
  locking: "" | "for share" = "",
): Promise<ResultRow> {
  const row = await readRow(within, held, read, locking);
  if (row === undefined) throw sessionLockLost(held.id, within.queue.address);
  return row;
}

/** Reads a session's state. @throws SobreError `SessionLockLost`. */
export const readState = async (within: InQueue, held: ClaimedSession): Promise<Uint8Array | undefined> =>
  maybeBytes(await heldRow(within, held, "state"), "state");

/** Sets a session's state, or clears it. @throws SobreError `SessionLockLost`. */
export async function writeState(within: InQueue, held: ClaimedSession, state: Uint8Array | undefined): Promise<void> {
  await updateHeld(within, held, "state = $5, state_at = $4", state ?? null);
}

/**
 * Ends the lock of a session as an orderly close does, if it is still held; waits for nobody who sends to it or settles in it.
 *
 * @param settled The positions of the messages that a transaction has settled. Default: none.
 */
export async function releaseSession(
  returning: Returning,
  held: ClaimedSession,
  settled: ReadonlySet<bigint> = new Set(),
): Promise<void> {
  const row = await readRow(returning, held, columns, "for no key update");
  if (row !== undefined) await freeSession(returning, row, settled);
}

/**
 * Ends the lock of a session: its messages return to the queue, and it can be accepted again.
 *
 * A message that a transaction is settling keeps its token: after a rollback it holds nothing, since the mark is gone.
 *
 * @param counted Whose delivery counts: that of all, or of the messages at these positions.
 */
export async function freeSession(
  returning: Returning,
  row: ResultRow,
  counted: "counted" | ReadonlySet<bigint>,
): Promise<void> {
  const { session, schema, queue } = returning;
  const id = textOfColumn(row, "id");
  await session.query(
    `update ${schema}.session set mark = null, locked_until = 0,
       ready = (select last_value from ${numbersOf(schema, queue.number)}) where queue = $1 and id = $2`,
    [queue.number, id],
  );
  const locked = "d.session = $2 and d.token is not null order by d.seq for update of d skip locked";
  const messages = await readMessages(returning, locked, [id]);
  if (counted === "counted") await giveBack(returning, messages, counted);
  else await giveBackClosed(returning, messages, counted);
  await forget(returning, id);
}

/** The columns that {@link freeSession} reads. */
export const sessionColumns: string = columns;

/** Ends a lock that has expired. */
async function settleLost(returning: Returning, row: ResultRow): Promise<void> {
  if (maybeBigint(row, "mark") !== undefined) await freeSession(returning, row, "counted");
}

async function expireOverdue(returning: Returning, row: ResultRow): Promise<void> {
  const { session, schema, queue, now } = returning;
  const id = textOfColumn(row, "id");
  const messages = await readMessages(
    returning,
    `d.session = $2 and d.token is null and d.state < 2 and exists (
       select 1 from ${schema}.delivery o join ${schema}.body e on e.queue = o.queue and e.seq = o.seq
       where o.queue = $1 and o.session = $2 and e.expires_at <= $3
     ) order by d.seq for update of d skip locked`,
    [id, now],
  );
  await expireMessages(returning, messages);
  if (messages.length > 0)
    await session.query(`update ${schema}.session set overdue = false where queue = $1 and id = $2`, [
      queue.number,
      id,
    ]);
}

/** The session is on offer from here on, once its lock ends: senders need not put it there. */
async function grant(
  { session, schema, queue, now }: Returning,
  id: string,
  holder: string | undefined,
): Promise<ClaimedSession> {
  const held = { id, mark: newMark(), until: now + queue.lockDuration };
  await session.query(
    `insert into ${schema}.session as s (queue, id, mark, locked_until, holder, ready)
     values ($1, $2, $3, $4, $5, (select last_value from ${numbersOf(schema, queue.number)}))
     on conflict (queue, id) do update set mark = excluded.mark, locked_until = excluded.locked_until,
       holder = excluded.holder, ready = coalesce(s.ready, excluded.ready)`,
    [queue.number, id, held.mark, held.until, holder ?? null],
  );
  return held;
}

/** Deletes the row of a session without messages, state or lock. */
async function forget({ session, schema, queue }: Returning, id: string): Promise<void> {
  // Locked first: a sender that comes before the lock has its messages seen by the next statement.
  const [unused] = await session.query(
    `select 1 as one from ${schema}.session where queue = $1 and id = $2 and mark is null and state is null for update skip locked`,
    [queue.number, id],
  );
  if (unused === undefined) return;
  await session.query(
    `delete from ${schema}.session s where s.queue = $1 and s.id = $2 and s.mark is null and s.state is null
       and not exists (select 1 from ${schema}.delivery d where d.queue = $1 and d.session = $2)`,
    [queue.number, id],
  );
}

const isHeldNow = (row: ResultRow, now: number): boolean =>
  maybeBigint(row, "mark") !== undefined && numberOf(row, "locked_until") > now;
