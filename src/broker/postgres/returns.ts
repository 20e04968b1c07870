import { tooManyDeliveries } from "../policy/dead-letter-marks.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { kept } from "../../wire/amqp/message/kept-envelope.ts";
import type { DatabaseSession } from "./database.ts";
import type { TableQueue } from "./entities.ts";
import { messageColumns, readMessage, type TableMessage } from "./messages.ts";
import type { TableIncoming } from "./placement.ts";
import type { Routing } from "./routing.ts";

/** Where the statements on a queue run, and by what time. */
export interface InQueue {
  readonly session: DatabaseSession;
  readonly schema: string;
  readonly queue: TableQueue;
  readonly now: number;
}

/** A transaction in which messages leave one queue or return to it. */
export interface Returning extends InQueue {
  readonly routing: Routing;
}

/** Messages of a queue by a condition on `d` and `b` whose parameters begin with `$2`, and how to lock them. */
export async function readMessages(
  { session, schema, queue }: Omit<InQueue, "now">,
  condition: string,
  values: readonly unknown[],
): Promise<readonly TableMessage[]> {
  const rows = await session.query(
    `select ${messageColumns} from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq where d.queue = $1 and ${condition}`,
    [queue.number, ...values],
  );
  return rows.map(readMessage);
}

/** A message that has left one queue and is on its way into another. */
export const moved = ({ envelope, size, enqueuedSequenceNumber, deadLetter }: TableMessage): TableIncoming => ({
  envelope,
  size,
  hops: 0,
  enqueuedSequenceNumber,
  deadLetter,
});

/** Deletes messages. */
export async function remove({ session, schema, queue }: Returning, messages: readonly TableMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await removeRows(
    session,
    schema,
    queue.number,
    messages.map(({ seq }) => seq),
  );
}

/** Deletes the rows of messages, whether or not their entity still exists. */
export async function removeRows(
  session: DatabaseSession,
  schema: string,
  queue: number,
  seqs: readonly bigint[],
): Promise<void> {
  await session.query(
    `with gone as (delete from ${schema}.delivery where queue = $1 and seq = any($2::bigint[]))
     delete from ${schema}.body where queue = $1 and seq = any($2::bigint[])`,
    [queue, seqs],
  );
}

/** Replaces the envelope of a message. */
export async function amendStored(
  { session, schema, queue }: Returning,
  message: TableMessage,
  envelope: Envelope,
): Promise<TableMessage> {
  if (envelope === message.envelope) return message;
  const size = sizeOfEnvelope(envelope);
  const { envelope: whole, besides } = kept(envelope);
  await session.query(
    `with resized as (update ${schema}.delivery set size = $3 where queue = $1 and seq = $2)
     update ${schema}.body set message = $4, body_kind = $5 where queue = $1 and seq = $2`,
    [queue.number, message.seq, size, encodeMessage(whole), besides.bodyKind ?? null],
  );
  return { ...message, envelope, size };
}

/** Ends the locks of messages and returns them to the queue; those at the maximum delivery count are dead-lettered, expired ones expire. */
export async function giveBack(
  returning: Returning,
  messages: readonly TableMessage[],
  counting: "counted" | "uncounted",
): Promise<void> {
  const { session, schema, queue, now } = returning;
  const most = queue.maxDeliveryCount;
  const counted = counting === "counted" ? 1 : 0;
  const [leaving, expired, staying]: TableMessage[][] = [[], [], []];
  for (const message of messages) {
    const after = { ...message, deliveryCount: message.deliveryCount + counted };
    if (counted === 1 && after.deliveryCount >= most) leaving?.push(after);
    else if (message.expiresAt <= now && !queue.requiresSession) expired?.push(after);
    else staying?.push(after);
  }
  await deadLetterOverdelivered(returning, leaving ?? []);
  await expireMessages(returning, expired ?? []);
  if (staying === undefined || staying.length === 0) return;
  await session.query(
    `update ${schema}.delivery set token = null, locked_until = 0, count = count + $3, returned = (state = 0 and session is null)
     where queue = $1 and seq = any($2::bigint[])`,
    [queue.number, staying.map(({ seq }) => seq), counted],
  );
  const overdue = new Set(
    staying.flatMap(({ expiresAt, session: id }) => (id !== undefined && expiresAt <= now ? [id] : [])),
  );
  for (const id of overdue) await overdueSession(returning, id);
}

/**
 * {@link giveBack} of an orderly close: it counts a delivery of those that a transaction has settled, whose receiver has
 * worked on them.
 *
 * @param settled Their positions.
 */
export async function giveBackClosed(
  returning: Returning,
  messages: readonly TableMessage[],
  settled: ReadonlySet<bigint>,
): Promise<void> {
  const isSettled = ({ seq }: TableMessage): boolean => settled.has(seq);
  await giveBack(returning, messages.filter(isSettled), "counted");
  await giveBack(
    returning,
    messages.filter((message) => !isSettled(message)),
    "uncounted",
  );
}

/** Expires every unlocked message of a session if the session is held; otherwise marks the session as overdue. */
export async function overdueSession(returning: Returning, id: string): Promise<void> {
  const { session, schema, queue, now } = returning;
  const [row] = await session.query(
    `update ${schema}.session set overdue = (mark is null or locked_until <= $3) where queue = $1 and id = $2 returning overdue`,
    [queue.number, id, now],
  );
  if (row?.["overdue"] !== false) return;
  const free = "d.session = $2 and d.token is null and d.state < 2 order by d.seq for update of d skip locked";
  await expireMessages(returning, await readMessages(returning, free, [id]));
}

/** Sets a held message aside; deferring counts as a delivery and never dead-letters. */
export async function setAside(returning: Returning, message: TableMessage): Promise<void> {
  const { session, schema, queue, now } = returning;
  if (message.expiresAt <= now && !queue.requiresSession) {
    await expireMessages(returning, [{ ...message, deliveryCount: message.deliveryCount + 1 }]);
    return;
  }
  await session.query(
    `update ${schema}.delivery set token = null, locked_until = 0, count = count + 1, state = 1, returned = false where queue = $1 and seq = $2`,
    [queue.number, message.seq],
  );
  if (message.session !== undefined && message.expiresAt <= now) await overdueSession(returning, message.session);
}

async function deadLetterOverdelivered(returning: Returning, messages: readonly TableMessage[]): Promise<void> {
  const { queue, routing, now } = returning;
  const { entity } = queue;
  if (entity.type === "topic") return;
  for (const message of messages)
    routing.deadLetter(entity, moved(message), tooManyDeliveries(message.deliveryCount), message, now);
  await remove(returning, messages);
}

/** Deletes expired messages, or dead-letters them if the settings say so. */
export async function expireMessages(returning: Returning, messages: readonly TableMessage[]): Promise<void> {
  const { queue, routing, now } = returning;
  const { entity } = queue;
  if (entity.type !== "topic") for (const message of messages) routing.expire(entity, moved(message), message, now);
  await remove(returning, messages);
}
