import { inTransaction } from "./sweep.ts";
import { parts, type ReceivableEntity } from "../policy/entities.ts";
import { type EntityRow, TableQueue } from "./entities.ts";
import { giveBack, moved, readMessages, remove } from "./returns.ts";
import { numberOf } from "./rows.ts";
import { freeSession, sessionColumns } from "./sessions.ts";
import type { PostgresStore } from "./store.ts";

/** Maximum number of messages forwarded per transaction. */
const maxMessagesPerTransaction = 500;

const noSequenceNumbers: ReadonlySet<bigint> = new Set();

/** After a change of an entity's settings: ends every lock without counting a delivery and, if it now forwards, forwards the ready messages. */
export async function giveBackAll(store: PostgresStore, entity: ReceivableEntity<EntityRow>): Promise<void> {
  const { schema } = store;
  const now = store.now();
  for (const part of parts) {
    const queue = new TableQueue(entity, part);
    await inTransaction(store, queue, now, async (returning) => {
      const { session } = returning;
      const sessions = await session.query(
        `select ${sessionColumns} from ${schema}.session where queue = $1 and mark is not null for update`,
        [queue.number],
      );
      for (const row of sessions) await freeSession(returning, row, noSequenceNumbers);
      const locked = await readMessages(returning, "d.token is not null order by d.seq for update of d", []);
      await giveBack(returning, locked, "uncounted");
    });
  }
  if (entity.settings.forwardTo !== undefined)
    while ((await forwardReady(store, entity, now)) === maxMessagesPerTransaction);
}

/**
 * Forwards what senders that knew an entity's older settings have put into it since it forwards: their statements may end
 * after the change. Returns whether more may be left: a large queue must not hold up the sweeps of the others.
 *
 * @throws the first failure, when all queues had their turn.
 */
export async function forwardLeft(store: PostgresStore): Promise<boolean> {
  const forwarding = new Map<number, ReceivableEntity<EntityRow>>();
  for (const entity of store.directory.entities())
    if (entity.type !== "topic" && entity.settings.forwardTo !== undefined)
      forwarding.set(new TableQueue(entity, "messages").number, entity);
  if (forwarding.size === 0) return false;
  const left = await store.database.query(
    `select q as queue from unnest($1::bigint[]) as q
     where exists (select from ${store.schema}.delivery d where d.queue = q and d.token is null and d.state = 0)`,
    [[...forwarding.keys()]],
  );
  let isMore = false;
  const failures: unknown[] = [];
  for (const row of left) {
    const entity = forwarding.get(numberOf(row, "queue"));
    if (entity === undefined) continue;
    const forwarded = await forwardReady(store, entity, store.now()).catch((error: unknown) => failures.push(error));
    isMore ||= forwarded === maxMessagesPerTransaction;
  }
  if (failures.length > 0) throw failures[0];
  return isMore;
}

/** Forwards ready messages; returns how many. */
async function forwardReady(store: PostgresStore, entity: ReceivableEntity<EntityRow>, now: number): Promise<number> {
  return inTransaction(store, new TableQueue(entity, "messages"), now, async (returning) => {
    const { queue, routing } = returning;
    // By the settings of today: arriving in its own queue, a message would get a new number and a new time to live.
    if (queue.entity.type === "topic" || queue.entity.settings.forwardTo === undefined) return 0;
    const ready = `d.token is null and d.state = 0 order by d.seq limit ${maxMessagesPerTransaction} for update of d skip locked`;
    const messages = await readMessages(returning, ready, []);
    await remove(returning, messages);
    for (const message of messages) routing.arrive(queue.entity, moved(message), now);
    return messages.length;
  });
}
