import { cancel, receive, receiveDeferred, renew, schedule, send, settle } from "./commands.ts";
import { abort, accept, peek, useSession } from "./commands-session.ts";
import { type Connection, type MakeEngine, World } from "./world.ts";

const commands: readonly (readonly [number, (world: World) => void])[] = [
  [22, send],
  [22, receive],
  [20, settle],
  [4, renew],
  [3, receiveDeferred],
  [3, schedule],
  [2, cancel],
  [2, peek],
  [3, accept],
  [6, useSession],
  [1, abort],
  [12, advance],
];
/** Every command as often as it weighs. */
const deck: readonly ((world: World) => void)[] = commands.flatMap(([weight, command]) =>
  Array.from({ length: weight }, () => command),
);

function advance(world: World): void {
  const span = world.random.chance(80) ? world.random.below(120) : world.random.below(2500);
  world.clock.time += span;
  world.model.time.now = world.clock.time;
  // A timer that is late must not be noticed.
  if (world.random.chance(20)) return;
  world.clock.fire();
  world.model.run();
}

/**
 * Drives an engine and its model with the same commands, up to four at a time without waiting for their outcome,
 * and compares everything that comes out.
 *
 * @param progress called after every few commands.
 * @returns how many commands were run.
 * @throws Divergence with the last commands, when engine and model differ.
 */
export async function simulate(
  make: MakeEngine,
  seed: number,
  count: number,
  progress: () => void = () => {},
): Promise<number> {
  const world = new World(make, seed);
  for (let index = 0; index < 3; index++) await world.connect();
  for (let run = 0; run < count;) {
    const batch = 1 + world.random.below(4);
    for (let index = 0; index < batch; index++) {
      const command = world.random.pick(deck) ?? advance;
      command(world);
      run++;
    }
    await world.settle();
    if (world.random.chance(2)) await rarely(world);
    progress();
  }
  await world.root.close();
  return count;
}

/** Operations of several steps are done while nothing else happens. */
async function rarely(world: World): Promise<void> {
  world.model.run();
  const choice = world.random.below(100);
  if (choice < 60) await turnTransaction(world);
  else if (choice < 70) await reconnect(world);
  else if (choice < 75) await update(world);
  await world.settle();
}

async function turnTransaction(world: World): Promise<void> {
  const { transaction, model } = world;
  if (transaction === undefined) {
    const connection = world.connection();
    const opened = { open: true, operations: [], dueAt: world.clock.time + 120_000, setAs: ++model.time.settings };
    if (opened.dueAt < model.time.earliest) model.time.earliest = opened.dueAt;
    model.transactions.add(opened);
    world.transaction = { engine: await connection.engine.begin(), model: opened, connection };
    return;
  }
  world.transaction = undefined;
  const { open, operations } = transaction.model;
  const commits = world.random.chance(60);
  model.endTransaction(transaction.model);
  const lost = operations.some(
    ({ lock, queue }) => lock !== 0 && !queue.messages.some((message) => message.lock === lock),
  );
  const refusal = commits && lost ? "MessageLockLost" : undefined;
  if (open && commits && !lost) for (const { apply } of operations) apply();
  const promise = commits ? transaction.engine.commit() : transaction.engine.rollback();
  world.watch(commits ? "commit" : "roll back", open ? (refusal ?? "ok") : "InvalidOperation", promise, () => "ok");
}

async function reconnect(world: World): Promise<void> {
  const connection = world.connection();
  world.connections = world.connections.filter((other) => other !== connection);
  closeInModel(world, connection);
  await connection.engine.close();
  await world.settle();
  await world.connect();
}

function closeInModel(world: World, connection: Connection): void {
  const { model } = world;
  if (world.transaction?.connection === connection) {
    model.endTransaction(world.transaction.model);
    world.transaction = undefined;
  }
  world.sessions = world.sessions.filter((session) => session.connection !== connection);
  for (const queue of model.queues.values())
    for (const wait of queue.waits.filter(({ holder }) => holder === connection.holder))
      queue.end(wait, wait.max === undefined ? "Closed" : "");
  model.release(connection.holder);
}

async function update(world: World): Promise<void> {
  const entity = world.random.pick(["q", "d", "s"]) ?? "q";
  world.model.releaseEntity(entity);
  world.watch(`update ${entity}`, "ok", world.root.admin.updateQueue(entity, {}), () => "ok");
}
