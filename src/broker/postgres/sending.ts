import type { Envelope } from "../../core/envelope/envelope.ts";
import type { SendableEntity } from "../policy/entities.ts";
import { partitionKeyOf } from "../policy/partitions.ts";
import type { SendRoute } from "../policy/router.ts";
import type { Enlisted, PendingSend } from "./enlisted.ts";
import { type EntityRow, TableQueue } from "./entities.ts";
import { sent } from "./incoming.ts";
import { partitionOf } from "./routing.ts";
import type { PostgresStore } from "./store.ts";

// The entities may change meanwhile, so they are looked up again each time.

/** Sends messages, all or none: now, or at the commit of a transaction. */
export async function send(
  store: PostgresStore,
  route: SendRoute<EntityRow>,
  envelopes: readonly Envelope[],
  transaction?: Enlisted,
): Promise<void> {
  const messages = envelopes.map(sent);
  const first = route.through ?? route.target;
  const pending: PendingSend = {
    entity: first.id,
    passed: [],
    check: async (routing, reserved) => routing.check(store.route(route), messages, reserved),
    route: async (routing) => routing.send(store.route(route), messages),
  };
  if (transaction !== undefined) await transaction.addSend(pending);
  else if (messages.length === 0) await pending.check(store.routing(), 0);
  else await sendNow(store, first, pending);
}

/**
 * Schedules messages, now or at the commit of a transaction; returns their numbers, 0 for a duplicate. In a transaction
 * they are assigned at once, so that a rollback leaves a gap.
 */
export async function schedule(
  store: PostgresStore,
  target: SendableEntity<EntityRow>,
  envelopes: readonly Envelope[],
  transaction: Enlisted | undefined,
): Promise<readonly bigint[]> {
  const messages = envelopes.map(sent);
  const queue = new TableQueue(target, "messages");
  const isPlaced: boolean[] = [];
  const pending: Omit<PendingSend, "passed"> = {
    entity: target.id,
    check: async (routing, reserved) =>
      routing.check({ target: store.sendable(target), through: undefined }, messages, reserved),
    async route(routing, numbers) {
      isPlaced.length = 0;
      for (const [index, message] of messages.entries())
        isPlaced.push(await routing.schedule(store.sendable(target), message, numbers[index]));
    },
  };
  if (transaction !== undefined) {
    const passed = messages.map(({ envelope }) => ({ queue, partition: partitionOf(queue, partitionKeyOf(envelope)) }));
    return transaction.addSend({ ...pending, passed });
  }
  const numbers = await sendNow(store, target, pending);
  let given = 0;
  return isPlaced.map((placed) => (placed ? (numbers[given++] ?? 0n) : 0n));
}

async function sendNow(
  store: PostgresStore,
  first: SendableEntity<EntityRow>,
  { check, route }: Pick<PendingSend, "check" | "route">,
): Promise<readonly bigint[]> {
  let cost = 0;
  await store.touch(first);
  const numbers = await store.send(first, async (routing) => {
    cost = await check(routing, 0);
    await route(routing, []);
  });
  store.room.added(first, cost);
  return numbers;
}
