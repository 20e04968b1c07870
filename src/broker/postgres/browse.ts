import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { DeleteOptions, ListSessionsOptions, PeekOptions } from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { entityDisabled, messageNotFound, sessionLockLost } from "../../core/engine/refusals.ts";
import { partitionKeyOf } from "../policy/partitions.ts";
import { type HeldSession, lockRows, takenOf } from "./claim.ts";
import { hasSessions, isPartitioned, type Lane, laneOf, lockDuration, type Sendable } from "./entities.ts";
import { sent } from "./incoming.ts";
import { messageColumns, newToken, readMessage, type StoredMessage, toDelivery } from "./messages.ts";
import { readMessages, remove, type Returning } from "./returns.ts";
import { partitionOf, type Routing } from "./routing.ts";
import { numberOf, textOf } from "./rows.ts";
import type { Store } from "./store.ts";
import { inTransaction } from "./sweep.ts";
import { touch } from "./admin.ts";
import type { Enlisted } from "./enlisted.ts";

/** The column that identifies messages of a lane by sequence number. */
export const numberColumn = (lane: Lane): string => (isPartitioned(lane) ? "b.number" : "b.seq");

/** The condition of the partial index for partitioned queues. */
const numberIndex = (lane: Lane): string => (isPartitioned(lane) ? " and b.number <> b.seq" : "");

/** Maximum number of rows in a `limit`. */
const mostRows = 2 ** 31 - 1;

/** How many rows are read at a time to find those of a session where no index has it. */
const pageSize = 250;

/** Reads pages until one is short or enough is found; `readPage` gets the last message of the page before. */
async function searchPages(
  { maxMessages, sessionId }: { readonly maxMessages: number; readonly sessionId: string },
  readPage: (after: StoredMessage | undefined) => Promise<readonly StoredMessage[]>,
): Promise<readonly StoredMessage[]> {
  const found: StoredMessage[] = [];
  let page: readonly StoredMessage[] = [];
  do {
    page = await readPage(page.at(-1));
    found.push(...page.filter(({ envelope }) => envelope.brokerProperties.sessionId === sessionId));
  } while (page.length === pageSize && found.length < maxMessages);
  return found.slice(0, maxMessages);
}

/** Peeks at messages in sequence-number order. */
export async function peek(
  store: Store,
  lane: Lane,
  { maxMessages, fromSequenceNumber = 0n, sessionId }: PeekOptions,
): Promise<readonly Delivery[]> {
  const messages =
    sessionId === undefined || hasSessions(lane)
      ? await peekPage(store, lane, fromSequenceNumber, { limit: maxMessages, sessionId })
      : await searchPages({ maxMessages, sessionId }, (after) =>
          peekPage(store, lane, after === undefined ? fromSequenceNumber : after.number + 1n, { limit: pageSize }),
        );
  return messages.map((message) => toDelivery(message));
}

async function peekPage(
  store: Store,
  given: Lane,
  from: bigint,
  { limit, sessionId }: { readonly limit: number; readonly sessionId?: string | undefined },
): Promise<readonly StoredMessage[]> {
  const { database, schema, directory } = store;
  return store.fresh(async () => {
    const lane = store.current(given);
    const { name, settings } = lane.entity;
    if (settings.status === "Disabled") throw entityDisabled(name, settings.status);
    const number = numberColumn(lane);
    const rows = await database.query(
      `with guard as materialized (select 1 from ${schema}.namespace where version = $1)
       select p.* from guard left join lateral (
         select ${messageColumns} from ${schema}.body b join ${schema}.delivery d on d.queue = b.queue and d.seq = b.seq
         where b.queue = $2 and ${number} >= $3${sessionId === undefined ? "" : " and d.session = $5"} order by ${number} limit $4
       ) p on true order by p.number`,
      [directory.version, lane.queue, from, Math.min(limit, mostRows), ...(sessionId === undefined ? [] : [sessionId])],
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
  { session, schema, lane, now }: Returning,
  numbers: readonly bigint[],
  state: "scheduled" | "deferred",
): Promise<readonly StoredMessage[]> {
  const these = `from ${schema}.body b join ${schema}.delivery d on d.queue = b.queue and d.seq = b.seq
     where b.queue = $1 and ${numberColumn(lane)} = any($2::bigint[])${numberIndex(lane)} and d.state = $3
       and (d.token is null or d.locked_until <= $4) and (d.state = 2 or b.expires_at is null or b.expires_at > $4)`;
  const values = [lane.queue, numbers, state === "deferred" ? 1 : 2, now];
  const rows = await session.query(
    `select ${messageColumns} ${these} order by b.seq for update of d skip locked`,
    values,
  );
  if (rows.length < numbers.length) {
    const there = await session.query(`select b.seq ${these}`, values);
    if (there.length > rows.length)
      throw new SobreError(
        "ServiceBusy",
        `Another call is changing some of these messages of ${lane.address}. Try again.`,
      );
  }
  const found = new Map(rows.map(readMessage).map((message) => [message.number, message]));
  return numbers.map((number) => {
    const message = found.get(number);
    if (message === undefined) throw messageNotFound(number, state, lane.address);
    found.delete(number);
    return message;
  });
}

/** Receives deferred messages, all or none. @throws SobreError `MessageNotFound`, `SessionLockLost`. */
export async function receiveDeferred(
  store: Store,
  lane: Lane,
  numbers: readonly bigint[],
  { receiveMode, held }: { readonly receiveMode: ReceiveMode; readonly held: HeldSession | undefined },
): Promise<readonly Delivery[]> {
  const now = store.now();
  return inTransaction(store, lane, now, async (returning) => {
    const { session, schema } = returning;
    if (held !== undefined) {
      const [row] = await session.query(
        `select 1 as one from ${schema}.session where queue = $1 and id = $2 and mark = $3 and locked_until > $4 for share`,
        [lane.queue, held.id, held.mark, now],
      );
      if (row === undefined) throw sessionLockLost(held.id, lane.address);
    }
    const messages = await find(returning, numbers, "deferred");
    const foreign = messages.find((message) => held !== undefined && message.session !== held.id);
    if (foreign !== undefined) throw messageNotFound(foreign.number, "deferred", lane.address);
    if (receiveMode === "receiveAndDelete") {
      await remove(returning, messages);
      return messages.map((message) => toDelivery(message));
    }
    const token = newToken(held?.mark);
    const until = held?.until ?? now + lockDuration(lane);
    const seqs = messages.map(({ seq }) => seq);
    await lockRows(session, schema, lane, { seqs, token, until: held === undefined ? until : undefined });
    return messages.map((message) => toDelivery(message, { token, until }));
  });
}

/** Cancels scheduled messages, all or none. @throws SobreError `MessageNotFound`. */
export async function cancelScheduled(store: Store, lane: Lane, numbers: readonly bigint[]): Promise<void> {
  await inTransaction(store, lane, store.now(), async (returning) =>
    remove(returning, await find(returning, numbers, "scheduled")),
  );
}

/** Schedules messages; returns their numbers, 0 for a duplicate. */
export async function scheduleNow(
  store: Store,
  target: Sendable,
  envelopes: readonly Envelope[],
): Promise<readonly bigint[]> {
  const messages = envelopes.map(sent);
  let cost = 0;
  await touch(store, target);
  const order: boolean[] = [];
  const numbers = await store.send(
    () => store.sendable(target),
    async (routing, entity) => {
      cost = await routing.intake.checkSend(entity, messages);
      order.length = 0;
      for (const message of messages) {
        const before = routing.placements.length;
        await routing.schedule(entity, message);
        order.push(routing.placements.length > before);
      }
    },
  );
  store.intake.added(target, cost);
  let given = 0;
  return order.map((isPlaced) => (isPlaced ? (numbers[given++] ?? 0n) : 0n));
}

/** Assigns sequence numbers now and schedules the messages at the commit; a rollback leaves a gap. */
export async function scheduleIn(
  store: Store,
  target: Sendable,
  envelopes: readonly Envelope[],
  transaction: Enlisted,
): Promise<readonly bigint[]> {
  const messages = envelopes.map(sent);
  const lane = laneOf(target, 0);
  const passed = messages.map(({ envelope }) => ({ lane, partition: partitionOf(lane, partitionKeyOf(envelope)) }));
  return transaction.addSend({
    entity: target.id,
    passed,
    check: (intake, reserved) => intake.checkSend(store.sendable(target), messages, reserved),
    async route(routing: Routing, numbers: readonly bigint[]) {
      for (const [index, message] of messages.entries())
        await routing.schedule(store.sendable(target), message, numbers[index]);
    },
  });
}

/** Deletes unlocked messages that are not scheduled, oldest first; returns how many. */
export async function deleteMessages(
  store: Store,
  lane: Lane,
  { maxMessages, beforeEnqueueTime, sessionId }: DeleteOptions,
): Promise<number> {
  const now = store.now();
  const ofSession = sessionId !== undefined && hasSessions(lane);
  return inTransaction(store, lane, now, async (returning) => {
    const before = beforeEnqueueTime?.getTime() ?? null;
    const read = (limit: number, after?: StoredMessage): Promise<readonly StoredMessage[]> =>
      readMessages(
        returning,
        `d.state < 2 and (d.token is null or d.locked_until <= $2) and ($3::bigint is null or b.enqueued_at < $3)
           and d.seq > $5${ofSession ? " and d.session = $6" : ""} order by d.seq limit $4 for update of d skip locked`,
        [now, before, Math.min(limit, mostRows), after?.seq ?? -1n, ...(ofSession ? [sessionId] : [])],
      );
    const messages =
      sessionId === undefined || ofSession
        ? await read(maxMessages)
        : await searchPages({ maxMessages, sessionId }, (after) => read(pageSize, after));
    await remove(returning, messages);
    return messages.length;
  });
}

/** The ids of sessions with messages, or of those whose state was set after a time. */
export async function listSessions(
  { database, schema }: Store,
  lane: Lane,
  { updatedAfter, skip = 0, maxSessions = 100 }: ListSessionsOptions,
): Promise<readonly string[]> {
  const rows = await database.query(
    updatedAfter === undefined
      ? `select s.id from ${schema}.session s where s.queue = $1
           and exists (select 1 from ${schema}.delivery d where d.queue = $1 and d.session = s.id and d.state < 2)
         order by s.id collate "C" offset $2 limit $3`
      : `select s.id from ${schema}.session s where s.queue = $1 and s.state is not null and s.state_at > $4
         order by s.id collate "C" offset $2 limit $3`,
    [lane.queue, skip, maxSessions, ...(updatedAfter === undefined ? [] : [updatedAfter.getTime()])],
  );
  return rows.map((row) => textOf(row, "id"));
}

/** How many messages a queue holds, by state, and their bytes. */
export async function countMessages(
  { database, schema }: Store,
  from: number,
  to: number,
): Promise<
  readonly { readonly queue: number; readonly state: number; readonly count: number; readonly bytes: number }[]
> {
  const rows = await database.query(
    `select queue, state, count(*) as count, coalesce(sum(size), 0)::bigint as bytes from ${schema}.delivery
       where queue >= $1 and queue < $2 group by queue, state
     union all
     select queue, -1, 0, coalesce(sum(octet_length(state)), 0)::bigint from ${schema}.session where queue >= $1 and queue < $2 group by queue`,
    [from, to],
  );
  return rows.map((row) => ({
    queue: numberOf(row, "queue"),
    state: numberOf(row, "state"),
    count: numberOf(row, "count"),
    bytes: numberOf(row, "bytes"),
  }));
}
