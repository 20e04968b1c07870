import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import type { ModelArrival } from "./model-broker.ts";
import type { ModelMessage } from "./model-message.ts";
import type { ModelQueue } from "./model-queue.ts";
import { type Held, receivable, type World } from "./world.ts";

const sendable = ["q", "q", "d", "s", "s", "f", "t"];
const settlements = ["complete", "complete", "abandon", "defer", "deadLetter"] as const;
const payload = new Uint8Array(0);
const done = (): string => "ok";

interface Prepared {
  readonly entity: string;
  readonly arrivals: readonly ModelArrival[];
  readonly envelopes: readonly Envelope[];
}

function prepare(world: World, scheduled: boolean): Prepared {
  const { random } = world;
  const entity = random.pick(sendable) ?? "q";
  const arrivals = Array.from({ length: 1 + random.below(3) }, (): ModelArrival => ({
    id: entity === "d" && random.chance(50) ? `d${random.below(8)}` : world.freshId(),
    session: entity === "s" ? `s${random.below(4)}` : undefined,
    subject: random.chance(40) ? "b" : undefined,
    timeToLive: random.chance(25) ? 1 + random.below(3000) : Infinity,
    at: scheduled || random.chance(8) ? world.clock.time + random.below(1500) - 200 : 0,
  }));
  const envelopes = arrivals.map(({ id, session, subject, timeToLive, at }) =>
    createEnvelope({
      payload,
      brokerProperties: {
        messageId: id,
        sessionId: session,
        subject,
        timeToLive: timeToLive === Infinity ? undefined : timeToLive,
        scheduledEnqueueTimeUtc: at === 0 && !scheduled ? undefined : new Date(at),
      },
    }),
  );
  return { entity, arrivals, envelopes };
}

/** Maximum number of messages in a queue; a longer one makes the model slow and finds nothing more. */
const crowd = 16;

/** Deletes messages that nobody holds, oldest first. */
function trim(world: World, entity: string): void {
  const queue = world.model.queue(entity);
  const free = queue.messages.filter(({ lock, state }) => lock === 0 && state !== "scheduled");
  const maxMessages = 1 + world.random.below(2 * crowd);
  const deleted = free.toSorted((left, right) => left.number - right.number).slice(0, maxMessages);
  for (const message of deleted) queue.remove(message);
  const promise = world.connection().engine.deleteMessages(entity, { maxMessages });
  world.watch(`delete ${maxMessages} of ${entity}`, String(deleted.length), promise, String);
}

/** Sends up to three messages, in the open transaction now and then. */
export function send(world: World): void {
  world.model.run();
  for (const [entity, queue] of world.model.queues) {
    if (queue.messages.length <= crowd) continue;
    trim(world, entity);
    return;
  }
  const { entity, arrivals, envelopes } = prepare(world, false);
  const { transaction } = world;
  const accept = (): void => {
    for (const arrival of arrivals) world.model.accept(entity, arrival);
  };
  const inside = transaction !== undefined && world.random.chance(30);
  const connection = inside ? transaction.connection : world.connection();
  const command = `send ${entity} ${arrivals.map(({ id }) => id).join()}${inside ? " in the transaction" : ""}`;
  let expected = "ok";
  if (!inside) accept();
  else if (transaction.model.open)
    transaction.model.operations.push({ lock: 0, queue: world.model.queue("q"), apply: accept });
  else expected = "InvalidOperation";
  const sender = connection.senders.get(entity);
  if (sender === undefined) throw new Error(`There is no sender to ${entity}.`);
  const options = inside ? { transaction: transaction.engine } : undefined;
  world.watch(command, expected, sender.send(envelopes, options), done);
}

export function schedule(world: World): void {
  world.model.run();
  const { entity, arrivals, envelopes } = prepare(world, true);
  const numbers = arrivals.map((arrival) => world.model.schedule(entity, arrival));
  // Everything due at once happens with the next command.
  const promise = world.connection().engine.schedule(entity, envelopes);
  world.watch(`schedule ${entity} ${arrivals.map(({ id }) => id).join()}`, numbers.join(), promise, (given) =>
    given.join(),
  );
}

export function cancel(world: World): void {
  world.model.run();
  const { random } = world;
  const entity = random.pick(["q", "d", "s", "f", "t"]) ?? "q";
  const queue = world.model.queue(entity);
  const numbers = someNumbers(world, queue, "scheduled");
  const found = queue.find(numbers, "scheduled");
  for (const message of found ?? []) queue.remove(message);
  const promise = world.connection().engine.cancel(entity, numbers.map(BigInt));
  world.watch(`cancel ${entity} ${numbers.join()}`, found === undefined ? "MessageNotFound" : "ok", promise, done);
}

export function receive(world: World): void {
  world.model.run();
  const { random } = world;
  const entity = random.pick(receivable) ?? "q";
  const deletes = random.chance(15);
  const max = 1 + random.below(3);
  const wait = random.chance(25) ? 1 + random.below(1500) : 0;
  const { holder, receivers } = world.connection();
  const receiver = receivers.get(`${deletes ? "receiveAndDelete" : "peekLock"} ${entity}`);
  if (receiver === undefined) throw new Error(`There is no receiver on ${entity}.`);
  const queue = world.model.queue(entity);
  const queued = wait > 0 && queue.waits.some(({ sessionLock }) => sessionLock === undefined);
  const taken = queued ? { text: "", locks: [] } : queue.take(undefined, max, deletes, holder);
  const waits = wait > 0 && taken.text === "";
  const abort = new AbortController();
  const promise = receiver.receive({
    maxMessages: max,
    maxWaitTimeInMs: wait,
    abortSignal: waits ? abort.signal : undefined,
  });
  const command = `receive ${entity} max ${max} wait ${wait}${deletes ? " delete" : ""} as ${holder}`;
  const slot = world.watchDeliveries(command, waits ? undefined : taken.text, promise, { entity });
  slot.locks = taken.locks;
  if (!waits) return;
  const waiting = { holder, sessionLock: undefined, max, deletes, slot, dueAt: Infinity, setAs: 0 };
  queue.set(waiting, world.clock.time + wait);
  queue.waits.push(waiting);
  world.waiting.push({ abort, slot, entity });
}

/** Settles a lock of the last few, often a stale one. */
export function settle(world: World): void {
  const { random, transaction } = world;
  const held = random.pick(random.chance(70) ? world.held.slice(-8) : world.held);
  if (held === undefined) return;
  world.model.run();
  const kind = random.pick(settlements) ?? "complete";
  const queue = world.model.queue(held.entity);
  const message = lockedMessage(queue, held);
  const inside = transaction !== undefined && random.chance(30);
  const connection = inside ? transaction.connection : world.connection();
  const apply = (): void => {
    if (message === undefined) return;
    if (kind === "complete") queue.remove(message);
    else if (kind === "abandon") queue.giveBack(message, true);
    else if (kind === "defer") queue.defer(message);
    else queue.bury(message, "because");
  };
  let expected = "ok";
  if (message === undefined) expected = lostCode(queue, held);
  else if (isEnlisted(world, held.lock)) expected = "InvalidOperation";
  else if (kind === "deadLetter" && queue.dead === undefined) expected = "InvalidOperation";
  else if (!inside) apply();
  else if (transaction.model.open) {
    message.settledUnder = held.lock;
    transaction.model.operations.push({ lock: held.lock, queue, apply });
  } else expected = "InvalidOperation";
  const settlement = kind === "deadLetter" ? ({ kind, deadLetterReason: "because" } as const) : ({ kind } as const);
  const options = inside ? { transaction: transaction.engine } : undefined;
  const promise = connection.engine.settle(held.entity, held.token, settlement, options);
  world.watch(
    `${kind} ${held.entity} lock ${held.lock}${inside ? " in the transaction" : ""}`,
    expected,
    promise,
    done,
  );
}

export function renew(world: World): void {
  const held = world.random.pick(world.held);
  if (held === undefined) return;
  world.model.run();
  const queue = world.model.queue(held.entity);
  const message = lockedMessage(queue, held);
  let expected = lostCode(queue, held);
  if (message !== undefined && queue.options.sessions) expected = "InvalidOperation";
  else if (message !== undefined) {
    message.lockedUntil = world.clock.time + queue.options.lockDuration;
    queue.set(message, message.lockedUntil);
    expected = String(message.lockedUntil);
  }
  const promise = world.connection().engine.renew(held.entity, held.token);
  world.watch(`renew ${held.entity} lock ${held.lock}`, expected, promise, (until) => String(until.getTime()));
}

export function receiveDeferred(world: World): void {
  world.model.run();
  const entity = world.random.pick(["q", "d", "t/Subscriptions/a", "q/$DeadLetterQueue"]) ?? "q";
  const queue = world.model.queue(entity);
  const { engine, holder } = world.connection();
  const numbers = someNumbers(world, queue, "deferred");
  const found = queue.find(numbers, "deferred");
  const taken = found === undefined ? undefined : queue.handOver(found, undefined, false, holder);
  const promise = engine.receiveDeferred(entity, numbers.map(BigInt), { receiveMode: "peekLock" });
  const command = `receive deferred ${entity} ${numbers.join()}`;
  const slot = world.watchDeliveries(command, taken?.text ?? "MessageNotFound", promise, { entity });
  slot.locks = taken?.locks ?? [];
}

/** Numbers in this state, mostly; sometimes one that is not there. */
export function someNumbers(world: World, queue: ModelQueue, state: ModelMessage["state"]): number[] {
  const candidates = queue.messages.filter((message) => message.state === state).map(({ number }) => number);
  const numbers = candidates.slice(0, 1 + world.random.below(2));
  if (numbers.length === 0 || world.random.chance(10)) numbers.push(1 + world.random.below(50));
  return numbers;
}

function lockedMessage(queue: ModelQueue, { lock }: Held): ModelMessage | undefined {
  return queue.messages.find((message) => message.lock === lock);
}

function lostCode(queue: ModelQueue, { sessionLock }: Held): string {
  return queue.options.sessions && sessionLock?.held === false ? "SessionLockLost" : "MessageLockLost";
}

function isEnlisted({ model }: World, lock: number): boolean {
  for (const { operations } of model.transactions)
    if (operations.some((operation) => operation.lock === lock)) return true;
  return false;
}
