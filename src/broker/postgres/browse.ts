import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { DeleteOptions, ListSessionsOptions, PeekOptions } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { messageNotFound } from "../../core/engine/refusals.ts";
import { type ClaimedSession, lockRows, takenOf } from "./claim.ts";
import { TableQueue } from "./entities.ts";
import { messageColumns, newToken, readMessage, type TableMessage, toDelivery } from "./messages.ts";
import { readMessages, remove, type Returning } from "./returns.ts";
import { textOfColumn } from "./rows.ts";
import { heldRow } from "./sessions.ts";
import type { PostgresStore } from "./store.ts";
import { inTransaction } from "./sweep.ts";

/** The column that identifies messages of a queue by sequence number. */
export const numberColumn = (queue: TableQueue): string => (queue.isPartitioned ? "b.number" : "b.seq");

/** The condition of the partial index for partitioned queues. */
const numberIndex = (queue: TableQueue): string => (queue.isPartitioned ? " and b.number <> b.seq" : "");

/** Maximum number of rows in a `limit`. */
const maxRows = 2 ** 31 - 1;

/** How many rows are read at a time to find those of a session where no index has it. */
const pageSize = 250;

/** Reads pages until one is short or enough is found; `readPage` gets the last message of the page before. */
async function searchPages(
  { maxMessages, sessionId }: { readonly maxMessages: number; readonly sessionId: string },
  readPage: (after: TableMessage | undefined) => Promise<readonly TableMessage[]>,
): Promise<readonly TableMessage[]> {
  const found: TableMessage[] = [];
  let page: readonly TableMessage[] = [];
  do {
    page = await readPage(page.at(-1));
    found.push(...page.filter(({ envelope }) => envelope.brokerProperties.sessionId === sessionId));
  } while (page.length === pageSize && found.length < maxMessages);
  return found.slice(0, maxMessages);
}

/** Peeks at messages in sequence-number order. */
export async function peek(
  store: PostgresStore,
  queue: TableQueue,
  { maxMessages, fromSequenceNumber = 0n, sessionId }: PeekOptions,
): Promise<readonly Delivery[]> {
  const messages =
    sessionId === undefined || queue.requiresSession
      ? await peekPage(store, queue, fromSequenceNumber, { limit: maxMessages, sessionId })
      : await searchPages({ maxMessages, sessionId }, (after) =>
          peekPage(store, queue, after === undefined ? fromSequenceNumber : after.number + 1n, { limit: pageSize }),
        );
  return messages.map((message) => toDelivery(message));
}

async function peekPage(
  store: PostgresStore,
  given: TableQueue,
  from: bigint,
  { limit, sessionId }: { readonly limit: number; readonly sessionId?: string | undefined },
): Promise<readonly TableMessage[]> {
  const { database, schema, directory } = store;
  return store.fresh(async () => {
    const queue = store.current(given);
    const { peekRefusal } = queue;
    if (peekRefusal !== undefined) throw peekRefusal;
    const number = numberColumn(queue);
    const rows = await database.query(
      `with guard as materialized (select 1 from ${schema}.namespace where version = $1)
       select p.* from guard left join lateral (
         select ${messageColumns} from ${schema}.body b join ${schema}.delivery d on d.queue = b.queue and d.seq = b.seq
         where b.queue = $2 and ${number} >= $3${sessionId === undefined ? "" : " and d.session = $5"} order by ${number} limit $4
       ) p on true order by p.number`,
      [
        directory.version,
        queue.number,
        from,
        Math.min(limit, maxRows),
        ...(sessionId === undefined ? [] : [sessionId]),
      ],
    );
    return takenOf(rows)?.map(readMessage);
  });
}

/**
 * The unlocked messages with these numbers, in the order given.
 *
 * @throws SobreError `MessageNotFound` unless all exist, `ServiceBusy` while another call changes some.
 */
async function find(
  { session, schema, queue, now }: Returning,
  numbers: readonly bigint[],
  state: "scheduled" | "deferred",
): Promise<readonly TableMessage[]> {
  const these = `from ${schema}.body b join ${schema}.delivery d on d.queue = b.queue and d.seq = b.seq
     where b.queue = $1 and ${numberColumn(queue)} = any($2::bigint[])${numberIndex(queue)} and d.state = $3
       and (d.token is null or d.locked_until <= $4) and (d.state = 2 or b.expires_at is null or b.expires_at > $4)`;
  const values = [queue.number, numbers, state === "deferred" ? 1 : 2, now];
  const rows = await session.query(
    `select ${messageColumns} ${these} order by b.seq for update of d skip locked`,
    values,
  );
  if (rows.length < numbers.length) {
    const there = await session.query(`select b.seq ${these}`, values);
    if (there.length > rows.length)
      throw new SobreError(
        "ServiceBusy",
        `Another call is changing some of these messages of ${queue.address}. Try again.`,
      );
  }
  const found = new Map(rows.map(readMessage).map((message) => [message.number, message]));
  return numbers.map((number) => {
    const message = found.get(number);
    if (message === undefined) throw messageNotFound(number, state, queue.address);
    found.delete(number);
    return message;
  });
}

/** Receives deferred messages, all or none. @throws SobreError `MessageNotFound`, `SessionLockLost`. */
export async function receiveDeferred(
  store: PostgresStore,
  queue: TableQueue,
  numbers: readonly bigint[],
  { receiveMode, held }: { readonly receiveMode: ReceiveMode; readonly held: ClaimedSession | undefined },
): Promise<readonly Delivery[]> {
  const now = store.now();
  return inTransaction(store, queue, now, async (returning) => {
    const { session, schema } = returning;
    if (held !== undefined) await heldRow(returning, held, "1 as one", "for share");
    const messages = await find(returning, numbers, "deferred");
    const foreign = messages.find((message) => held !== undefined && message.session !== held.id);
    if (foreign !== undefined) throw messageNotFound(foreign.number, "deferred", queue.address);
    if (receiveMode === "receiveAndDelete") {
      await remove(returning, messages);
      return messages.map((message) => toDelivery(message));
    }
    const token = newToken(held?.mark);
    const until = held?.until ?? now + queue.lockDuration;
    const seqs = messages.map(({ seq }) => seq);
    await lockRows(session, schema, queue, { seqs, token, until: held === undefined ? until : undefined });
    return messages.map((message) => toDelivery(message, { token, until }));
  });
}

/** Cancels scheduled messages, all or none. @throws SobreError `MessageNotFound`. */
export async function cancelScheduled(
  store: PostgresStore,
  queue: TableQueue,
  numbers: readonly bigint[],
): Promise<void> {
  await inTransaction(store, queue, store.now(), async (returning) =>
    remove(returning, await find(returning, numbers, "scheduled")),
  );
}

/** Deletes unlocked messages that are not scheduled, oldest first; returns how many. */
export async function deleteMessages(
  store: PostgresStore,
  queue: TableQueue,
  { maxMessages, beforeEnqueueTime, sessionId }: DeleteOptions,
): Promise<number> {
  const now = store.now();
  const ofSession = sessionId !== undefined && queue.requiresSession;
  return inTransaction(store, queue, now, async (returning) => {
    const before = beforeEnqueueTime?.getTime() ?? null;
    const read = (limit: number, after?: TableMessage): Promise<readonly TableMessage[]> =>
      readMessages(
        returning,
        `d.state < 2 and (d.token is null or d.locked_until <= $2) and ($3::bigint is null or b.enqueued_at < $3)
           and d.seq > $5${ofSession ? " and d.session = $6" : ""} order by d.seq limit $4 for update of d skip locked`,
        [now, before, Math.min(limit, maxRows), after?.seq ?? -1n, ...(ofSession ? [sessionId] : [])],
      );
    const messages =
      sessionId === undefined || ofSession
        ? await read(maxMessages)
        : await searchPages({ maxMessages, sessionId }, (after) => read(pageSize, after));
    await remove(returning, messages);
    return messages.length;
  });
}

/** The ids of sessions with messages or a state, or of those whose state was set after a time. */
export async function listSessions(
  { database, schema }: PostgresStore,
  queue: TableQueue,
  { updatedAfter, skip = 0, maxSessions = 100 }: ListSessionsOptions,
): Promise<readonly string[]> {
  const rows = await database.query(
    updatedAfter === undefined
      ? `select s.id from ${schema}.session s where s.queue = $1
           and (s.state is not null
             or exists (select 1 from ${schema}.delivery d where d.queue = $1 and d.session = s.id and d.state < 2))
         order by s.id collate "C" offset $2 limit $3`
      : `select s.id from ${schema}.session s where s.queue = $1 and s.state is not null and s.state_at > $4
         order by s.id collate "C" offset $2 limit $3`,
    [queue.number, skip, maxSessions, ...(updatedAfter === undefined ? [] : [updatedAfter.getTime()])],
  );
  return rows.map((row) => textOfColumn(row, "id"));
}
