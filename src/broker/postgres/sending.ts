import type { Envelope } from "../../core/envelope/envelope.ts";
import type { SendableEntity } from "../policy/entities.ts";
import { partitionKeyOf } from "../policy/partitions.ts";
import type { SendRoute } from "../policy/router.ts";
import { touch } from "./admin.ts";
import type { Enlisted } from "./enlisted.ts";
import { type EntityRow, TableQueue } from "./entities.ts";
import { sent } from "./incoming.ts";
import type { TableIncoming } from "./placement.ts";
import { partitionOf, type Routing } from "./routing.ts";
import type { Store } from "./store.ts";

type Route = SendRoute<EntityRow>;

// The entities may change meanwhile, so they are looked up again each time.

/** Sends messages: all or none. */
export async function sendNow(store: Store, route: Route, envelopes: readonly Envelope[]): Promise<void> {
  const messages = envelopes.map(sent);
  if (messages.length === 0) {
    await store.routing().check(store.route(route), messages);
    return;
  }
  const first = route.through ?? route.target;
  let cost = 0;
  await touch(store, first);
  await store.send(
    () => store.sendable(first),
    async (routing) => {
      cost = await checkAndSend(store, routing, route, messages);
    },
  );
  store.room.added(first, cost);
}

/** Sends messages at the commit. */
export async function sendIn(
  store: Store,
  transaction: Enlisted,
  route: Route,
  envelopes: readonly Envelope[],
): Promise<void> {
  const messages = envelopes.map(sent);
  await transaction.addSend({
    entity: (route.through ?? route.target).id,
    passed: [],
    check: async (routing, reserved) => routing.check(store.route(route), messages, reserved),
    route: async (routing) => void (await checkAndSend(store, routing, route, messages)),
  });
}

async function checkAndSend(
  store: Store,
  routing: Routing,
  route: Route,
  messages: readonly TableIncoming[],
): Promise<number> {
  const cost = await routing.check(store.route(route), messages);
  await routing.send(store.route(route), messages);
  return cost;
}

/** Schedules messages; returns their numbers, 0 for a duplicate. */
export async function scheduleNow(
  store: Store,
  target: SendableEntity<EntityRow>,
  envelopes: readonly Envelope[],
): Promise<readonly bigint[]> {
  const messages = envelopes.map(sent);
  let cost = 0;
  await touch(store, target);
  const isPlaced: boolean[] = [];
  const numbers = await store.send(
    () => store.sendable(target),
    async (routing, entity) => {
      cost = await routing.check({ target: entity, through: undefined }, messages);
      isPlaced.length = 0;
      for (const message of messages) isPlaced.push(await routing.schedule(entity, message));
    },
  );
  store.room.added(target, cost);
  let given = 0;
  return isPlaced.map((placed) => (placed ? (numbers[given++] ?? 0n) : 0n));
}

/** Assigns sequence numbers now and schedules the messages at the commit; a rollback leaves a gap. */
export async function scheduleIn(
  store: Store,
  target: SendableEntity<EntityRow>,
  envelopes: readonly Envelope[],
  transaction: Enlisted,
): Promise<readonly bigint[]> {
  const messages = envelopes.map(sent);
  const queue = new TableQueue(target, "messages");
  const passed = messages.map(({ envelope }) => ({ queue, partition: partitionOf(queue, partitionKeyOf(envelope)) }));
  return transaction.addSend({
    entity: target.id,
    passed,
    check: async (routing, reserved) =>
      routing.check({ target: store.sendable(target), through: undefined }, messages, reserved),
    async route(routing, numbers) {
      for (const [index, message] of messages.entries())
        await routing.schedule(store.sendable(target), message, numbers[index]);
    },
  });
}
