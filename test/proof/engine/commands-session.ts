import { told } from "./model-message.ts";
import { someNumbers } from "./commands.ts";
import { describe, type OpenSession, type World } from "./world.ts";

const done = (): string => "ok";

export function peek(world: World): void {
  world.model.run();
  const { random } = world;
  const entity =
    random.pick(["q", "d", "s", "f", "t", "t/Subscriptions/b", "q/$DeadLetterQueue", "s/$DeadLetterQueue"]) ?? "q";
  const queue = world.model.queue(entity);
  const maxMessages = 1 + random.below(20);
  const from = random.chance(50) ? 1 + random.below((queue.messages[0]?.number ?? 0) + 10) : 0;
  const found = queue.messages
    .filter(({ number }) => number >= from)
    .toSorted((left, right) => left.number - right.number);
  const expected = found.slice(0, maxMessages).map((message) => told(message, undefined));
  const promise = world.connection().engine.peek(entity, { maxMessages, fromSequenceNumber: BigInt(from) });
  world.watch(`peek ${entity} from ${from}`, expected.join("|"), promise, (seen) => seen.map(describe).join("|"));
}

export function accept(world: World): void {
  world.model.run();
  const { random } = world;
  const queue = world.model.queue("s");
  const connection = world.connection();
  const sessionId = random.chance(50) ? `s${random.below(4)}` : undefined;
  const wait = random.chance(40) ? 1 + random.below(1500) : 0;
  const contended = queue.waits.some(({ max, sessionId: wanted }) => max === undefined && wanted === undefined);
  let expected = wait === 0 ? "SessionCannotBeLocked" : undefined;
  let lock =
    sessionId !== undefined && queue.lockOf(sessionId) === undefined
      ? queue.grant(sessionId, connection.holder)
      : undefined;
  if (sessionId === undefined) {
    lock = contended ? undefined : queue.grantNext(connection.holder);
    expected = wait === 0 ? "ServiceTimeout" : undefined;
  }
  if (lock !== undefined) expected = `session ${lock.id}`;
  const controller = new AbortController();
  const abortSignal = expected === undefined ? controller.signal : undefined;
  const promise = connection.engine.acceptSession("s", {
    sessionId,
    receiveMode: "peekLock",
    maxWaitTimeInMs: wait,
    abortSignal,
  });
  let receiver: OpenSession["receiver"] | undefined;
  const slot = world.watch(
    `accept ${sessionId ?? "the next"} wait ${wait} as ${connection.holder}`,
    expected,
    promise,
    (accepted) => {
      receiver = accepted;
      return `session ${accepted.sessionId}`;
    },
    ({ sessionLock }) => {
      if (receiver !== undefined && sessionLock !== undefined)
        world.sessions.push({ receiver, lock: sessionLock, connection });
      if (world.sessions.length > 8) world.sessions.shift();
    },
  );
  slot.sessionLock = lock;
  if (expected !== undefined) return;
  const waiting = {
    holder: connection.holder,
    sessionLock: undefined,
    max: undefined,
    sessionId,
    deletes: false,
    slot,
    dueAt: Infinity,
    setAs: 0,
  };
  queue.set(waiting, world.clock.time + wait);
  queue.waits.push(waiting);
  queue.wake();
  world.waiting.push({ abort: controller, slot, entity: "s" });
}

/** Does something with a session that was accepted, and may be lost by now. */
export function useSession(world: World): void {
  const open = world.random.pick(world.sessions);
  if (open === undefined) return;
  world.model.run();
  const choice = world.random.below(100);
  if (choice < 55) receiveInSession(world, open);
  else if (choice < 65) renewSession(world, open);
  else if (choice < 75) setState(world, open);
  else if (choice < 85) getState(world, open);
  else if (choice < 92) receiveDeferredInSession(world, open);
  else closeSession(world, open);
}

function receiveInSession(world: World, { receiver, lock, connection }: OpenSession): void {
  const { random } = world;
  const queue = world.model.queue("s");
  const max = 1 + random.below(3);
  const wait = random.chance(25) ? 1 + random.below(1500) : 0;
  const queued = wait > 0 && queue.waits.some(({ sessionLock }) => sessionLock === lock);
  const taken = lock.held && !queued ? queue.take(lock, max, false, connection.holder) : { text: "", locks: [] };
  const waits = lock.held && wait > 0 && taken.text === "";
  const expected = lock.held ? (waits ? undefined : taken.text) : "SessionLockLost";
  const promise = receiver.receive({ maxMessages: max, maxWaitTimeInMs: wait });
  const slot = world.watchDeliveries(`receive in ${lock.id} wait ${wait}`, expected, promise, {
    entity: "s",
    sessionLock: lock,
  });
  slot.locks = taken.locks;
  if (!waits) return;
  const waiting = {
    holder: connection.holder,
    sessionLock: lock,
    max,
    deletes: false,
    slot,
    dueAt: Infinity,
    setAs: 0,
  };
  queue.set(waiting, world.clock.time + wait);
  queue.waits.push(waiting);
}

function renewSession(world: World, { receiver, lock }: OpenSession): void {
  const queue = world.model.queue("s");
  if (lock.held) {
    queue.set(lock, world.clock.time + queue.options.lockDuration);
    for (const message of queue.messages)
      if (message.session === lock.id && message.lock !== 0) message.lockedUntil = lock.dueAt;
  }
  const expected = lock.held ? String(lock.dueAt) : "SessionLockLost";
  world.watch(`renew ${lock.id}`, expected, receiver.renewSessionLock(), (until) => String(until.getTime()));
}

function setState(world: World, { receiver, lock }: OpenSession): void {
  const states = world.model.queue("s").states;
  const value = world.random.chance(70) ? world.random.below(256) : undefined;
  if (lock.held && value !== undefined) states.set(lock.id, String(value));
  if (lock.held && value === undefined) states.delete(lock.id);
  const promise = receiver.setSessionState(value === undefined ? undefined : Uint8Array.of(value));
  world.watch(`set state of ${lock.id}`, lock.held ? "ok" : "SessionLockLost", promise, done);
}

function getState(world: World, { receiver, lock }: OpenSession): void {
  const expected = lock.held ? (world.model.queue("s").states.get(lock.id) ?? "none") : "SessionLockLost";
  world.watch(`get state of ${lock.id}`, expected, receiver.getSessionState(), (state) => state?.join() ?? "none");
}

function receiveDeferredInSession(world: World, { lock, connection }: OpenSession): void {
  const queue = world.model.queue("s");
  const numbers = someNumbers(world, queue, "deferred");
  const found = queue.find(numbers, "deferred");
  const own = found?.every(({ session }) => session === lock.id) === true ? found : undefined;
  const mine = queue.lockOf(lock.id)?.holder === connection.holder ? queue.lockOf(lock.id) : undefined;
  const taken =
    mine === undefined || own === undefined ? undefined : queue.handOver(own, mine, false, connection.holder);
  const expected = mine === undefined ? "SessionLockLost" : (taken?.text ?? "MessageNotFound");
  const options = { receiveMode: "peekLock", sessionId: lock.id } as const;
  const promise = connection.engine.receiveDeferred("s", numbers.map(BigInt), options);
  const from = { entity: "s", sessionLock: mine };
  const slot = world.watchDeliveries(`receive deferred ${numbers.join()} of ${lock.id}`, expected, promise, from);
  slot.locks = taken?.locks ?? [];
}

function closeSession(world: World, open: OpenSession): void {
  const queue = world.model.queue("s");
  world.sessions = world.sessions.filter((other) => other !== open);
  for (const wait of queue.waits.filter(({ sessionLock }) => sessionLock === open.lock)) queue.end(wait, "");
  if (open.lock.held) queue.lose(open.lock, "ifSettled");
  world.watch(`close ${open.lock.id}`, "ok", open.receiver.close(), done);
}

/** Aborts a wait of the last few; one that is over is not changed by it. */
export function abort(world: World): void {
  const waiting = world.random.pick(world.waiting);
  if (waiting === undefined) return;
  world.waiting = world.waiting.filter((other) => other !== waiting).slice(-12);
  const queue = world.model.queue(waiting.entity);
  const wait = queue.waits.find(({ slot }) => slot === waiting.slot);
  if (wait !== undefined) queue.end(wait, wait.max === undefined ? "Aborted" : "");
  waiting.abort.abort();
}
