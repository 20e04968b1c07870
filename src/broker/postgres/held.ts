import { lockLost, sessionLockLost } from "../../core/engine/refusals.ts";
import type { LockToken } from "../../core/engine/delivery.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { DatabaseSession } from "./database.ts";
import type { TableQueue } from "./entities.ts";
import { markOf, readToken, type TableMessage } from "./messages.ts";
import { type InQueue, readMessages } from "./returns.ts";

/** SQL condition that `token` holds row `d`, by the message's own lock or by its session's. */
const isHeld = (schema: string, queue: TableQueue, token: string, now: string): string =>
  queue.requiresSession
    ? `d.token = ${token} and exists (select 1 from ${schema}.session s where s.queue = d.queue and s.id = d.session
        and s.mark = ((d.token >> 32) & 4294967295) and s.locked_until > ${now})`
    : `d.token = ${token} and d.locked_until > ${now}`;

/** The token of row `d` among those given, by binary search: a planner that expects few would compare each row with each of them. */
const tokenOfIt = (tokens: string, seqs: string): string =>
  `(${tokens}::bigint[])[width_bucket(d.seq, ${seqs}::bigint[])]`;

type Halves = NonNullable<ReturnType<typeof readToken>>;

/** Positions and tokens, in the order in which {@link tokenOfIt} searches. */
function inOrder(held: readonly Halves[]): readonly (readonly bigint[])[] {
  const sorted = held.toSorted((a, b) => (a.seq < b.seq ? -1 : 1));
  return [sorted.map(({ seq }) => seq), sorted.map(({ token }) => token)];
}

/**
 * Deletes held messages, each position once; returns the positions of those not held, or `undefined` when the entities have changed.
 *
 * The database is the fence: of two holders, one with an expired token and one with a new one, only one ever succeeds.
 */
export async function completeHeld(
  session: DatabaseSession,
  schema: string,
  { queue, version, now }: { readonly queue: TableQueue; readonly version: bigint; readonly now: number },
  held: readonly Halves[],
): Promise<ReadonlySet<bigint> | undefined> {
  const rows = await session.query(
    `with guard as materialized (select 1 from ${schema}.namespace where one and version = $1),
      gone as (
        delete from ${schema}.delivery d
        where exists (select from guard) and d.queue = $2 and d.seq = any($3::bigint[]) and ${isHeld(schema, queue, tokenOfIt("$4", "$3"), "$5")}
        returning d.seq
      ),
      bodies as (delete from ${schema}.body b where b.queue = $2 and b.seq = any(array(select seq from gone)))
      select lost.seq from guard left join (select unnest($3::bigint[]) as seq except select seq from gone) lost on true`,
    [version, queue.number, ...inOrder(held), now],
  );
  if (rows.length === 0) return undefined;
  return new Set(rows.flatMap(({ seq }) => (typeof seq === "bigint" ? [seq] : [])));
}

/** Reads a held message and locks its row until the end of the transaction. @throws SobreError `MessageLockLost`, `SessionLockLost`. */
export async function readHeld(within: InQueue, text: LockToken): Promise<TableMessage> {
  const [message] = await readAllHeld(within, [text]);
  if (message === undefined) throw await lostLock(within, text);
  return message;
}

/** Reads those of the messages that are held, of two tokens of one message the later, and locks their rows until the end of the transaction. */
export async function readAllHeld(within: InQueue, texts: readonly LockToken[]): Promise<readonly TableMessage[]> {
  const { schema, queue, now } = within;
  const bySeq = new Map(texts.flatMap((text) => readToken(text) ?? []).map((held) => [held.seq, held]));
  if (bySeq.size === 0) return [];
  const condition = `d.seq = any($2::bigint[]) and ${isHeld(schema, queue, tokenOfIt("$3", "$2"), "$4")} order by d.seq for update of d`;
  return readMessages(within, condition, [...inOrder([...bySeq.values()]), now]);
}

/** Keeps the session of a held message from being accepted until the end of the transaction. @throws SobreError `SessionLockLost`, `MessageLockLost`. */
export async function shareSession(within: InQueue, text: LockToken): Promise<void> {
  const { session, schema, queue, now } = within;
  const held = readToken(text);
  const [row] = await session.query(
    `select 1 as one from ${schema}.delivery d join ${schema}.session s on s.queue = d.queue and s.id = d.session
     where d.queue = $1 and d.seq = $2 and d.token = $3 and s.mark = $4 and s.locked_until > $5 for key share of s`,
    [queue.number, held?.seq, held?.token, held && markOf(held.token), now],
  );
  if (row === undefined) throw await lostLock(within, text);
}

/** Renews a message's own lock; returns whether it was still held. */
export async function renewHeld(within: InQueue, text: LockToken, until: number): Promise<boolean> {
  const { session, schema, queue, now } = within;
  const held = readToken(text);
  const rows = await session.query(
    `update ${schema}.delivery d set locked_until = $5 where d.queue = $1 and d.seq = $2 and ${isHeld(schema, queue, "$3", "$4")} returning 1 as one`,
    [queue.number, held?.seq, held?.token, now, until],
  );
  return rows.length > 0;
}

/** The error for a token that holds nothing: the session's lock or the message's is lost. */
export async function lostLock({ session, schema, queue, now }: InQueue, text: LockToken): Promise<SobreError> {
  const isText = typeof text === "string";
  if (!queue.requiresSession || !isText) return lockLost(queue.address);
  const held = readToken(text);
  const [holding] = await session.query(
    `select 1 as one from ${schema}.session where queue = $1 and mark = $2 and locked_until > $3 limit 1`,
    [queue.number, held && markOf(held.token), now],
  );
  return holding === undefined ? sessionLockLost(undefined, queue.address) : lockLost(queue.address);
}
