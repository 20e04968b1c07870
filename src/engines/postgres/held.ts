import { lockLost, sessionLockLost } from "../../broker/refusals.ts";
import type { LockToken } from "../../engine/delivery.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { Session } from "./database.ts";
import { hasSessions, type Lane } from "./entities.ts";
import { markOf, readToken, type StoredMessage } from "./messages.ts";
import { type InLane, readMessages } from "./returns.ts";

/** SQL condition that `token` holds row `d`, by the message's own lock or by its session's. */
const isHeld = (schema: string, lane: Lane, token: string, now: string): string =>
  hasSessions(lane)
    ? `d.token = ${token} and exists (select 1 from ${schema}.session s where s.queue = d.queue and s.id = d.session
        and s.mark = ((d.token >> 32) & 4294967295) and s.locked_until > ${now})`
    : `d.token = ${token} and d.locked_until > ${now}`;

/** The token of row `d` among those given, by binary search: a planner that expects few would compare each row with each of them. */
const tokenOfIt = "($4::bigint[])[width_bucket(d.seq, $3::bigint[])]";

/**
 * Deletes held messages, each position once; returns the positions of those not held, or `undefined` when the entities have changed.
 *
 * The database is the fence: of two holders, one with an expired token and one with a new one, only one ever succeeds.
 */
export async function completeHeld(
  session: Session,
  schema: string,
  { lane, version, now }: { readonly lane: Lane; readonly version: bigint; readonly now: number },
  held: readonly { readonly token: bigint; readonly seq: bigint }[],
): Promise<ReadonlySet<bigint> | undefined> {
  const inOrder = held.toSorted((a, b) => (a.seq < b.seq ? -1 : 1));
  const rows = await session.query(
    `with guard as materialized (select 1 from ${schema}.namespace where one and version = $1),
      gone as (
        delete from ${schema}.delivery d
        where exists (select from guard) and d.queue = $2 and d.seq = any($3::bigint[]) and ${isHeld(schema, lane, tokenOfIt, "$5")}
        returning d.seq
      ),
      bodies as (delete from ${schema}.body b where b.queue = $2 and b.seq = any(array(select seq from gone)))
      select lost.seq from guard left join (select unnest($3::bigint[]) as seq except select seq from gone) lost on true`,
    [version, lane.queue, inOrder.map(({ seq }) => seq), inOrder.map(({ token }) => token), now],
  );
  if (rows.length === 0) return undefined;
  return new Set(rows.flatMap(({ seq }) => (typeof seq === "bigint" ? [seq] : [])));
}

/** Reads a held message and locks its row until the end of the transaction. @throws SobreError `MessageLockLost`, `SessionLockLost`. */
export async function readHeld(within: InLane, text: LockToken): Promise<StoredMessage> {
  const { schema, lane, now } = within;
  const token = readToken(text);
  if (token === undefined) throw await lostLock(within, text);
  const held = `d.seq = $2 and ${isHeld(schema, lane, "$3", "$4")} for update of d`;
  const [message] = await readMessages(within, held, [token.seq, token.token, now]);
  if (message === undefined) throw await lostLock(within, text);
  return message;
}

/** Keeps the session of a held message from being accepted until the end of the transaction. @throws SobreError `SessionLockLost`, `MessageLockLost`. */
export async function shareSession(within: InLane, text: LockToken): Promise<void> {
  const { session, schema, lane, now } = within;
  const token = readToken(text);
  const [row] =
    token === undefined
      ? []
      : await session.query(
          `select 1 as one from ${schema}.delivery d join ${schema}.session s on s.queue = d.queue and s.id = d.session
           where d.queue = $1 and d.seq = $2 and d.token = $3 and s.mark = $4 and s.locked_until > $5 for key share of s`,
          [lane.queue, token.seq, token.token, markOf(token.token), now],
        );
  if (row === undefined) throw await lostLock(within, text);
}

/** Renews a message's own lock; returns whether it was still held. */
export async function renewHeld(within: InLane, text: LockToken, until: number): Promise<boolean> {
  const { session, schema, lane, now } = within;
  const token = readToken(text);
  if (token === undefined) return false;
  const rows = await session.query(
    `update ${schema}.delivery d set locked_until = $5 where d.queue = $1 and d.seq = $2 and ${isHeld(schema, lane, "$3", "$4")} returning 1 as one`,
    [lane.queue, token.seq, token.token, now, until],
  );
  return rows.length > 0;
}

/** The error for a token that holds nothing: the session's lock or the message's is lost. */
export async function lostLock({ session, schema, lane, now }: InLane, text: LockToken): Promise<SobreError> {
  const isText = typeof text === "string";
  if (!hasSessions(lane) || !isText) return lockLost(lane.address);
  const token = readToken(text);
  const [holding] =
    token === undefined
      ? []
      : await session.query(
          `select 1 as one from ${schema}.session where queue = $1 and mark = $2 and locked_until > $3 limit 1`,
          [lane.queue, markOf(token.token), now],
        );
  return holding === undefined ? sessionLockLost(undefined, lane.address) : lockLost(lane.address);
}
