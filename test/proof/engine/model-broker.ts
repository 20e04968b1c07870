import type { ModelDue, ModelMessage, ModelWait } from "./model-message.ts";
import { type ModelOptions, ModelQueue, type ModelTime } from "./model-queue.ts";

const plain: ModelOptions = {
  lockDuration: 1000,
  maxDeliveryCount: 3,
  timeToLive: Infinity,
  deadLetterExpired: true,
  sessions: false,
  duplicateWindow: 0,
};
const subQueue: ModelOptions = { ...plain, maxDeliveryCount: Infinity, deadLetterExpired: false };

/** The entities of the simulation. */
export const entities = ["q", "d", "s", "f", "t", "t/Subscriptions/a", "t/Subscriptions/b"] as const;
export type EntityName = (typeof entities)[number];

export const entityOptions: Readonly<Record<EntityName, ModelOptions>> = {
  q: plain,
  d: { ...plain, duplicateWindow: 3000, deadLetterExpired: false, timeToLive: 5000, lockDuration: 400 },
  s: { ...plain, sessions: true, lockDuration: 1500 },
  f: plain,
  t: plain,
  "t/Subscriptions/a": { ...plain, maxDeliveryCount: 2 },
  "t/Subscriptions/b": { ...plain, timeToLive: 1500, deadLetterExpired: false },
};

/** A message on its way in. */
export interface ModelArrival {
  readonly id: string;
  readonly session: string | undefined;
  readonly subject: string | undefined;
  readonly timeToLive: number;
  readonly at: number;
}

/** The operations of a transaction of the model. */
interface ModelOperation {
  /** The lock that must still be held; 0 for a send. */
  readonly lock: number;
  readonly queue: ModelQueue;
  readonly apply: () => void;
}

export interface ModelTransaction extends ModelDue {
  open: boolean;
  readonly operations: ModelOperation[];
}

/** The broker as its promises say. */
export class ModelBroker {
  readonly time: ModelTime = { now: 0, earliest: Infinity, settings: 0, locks: 0 };
  readonly queues: ReadonlyMap<string, ModelQueue>;
  readonly transactions: Set<ModelTransaction> = new Set();
  readonly #all: readonly ModelQueue[];
  readonly #subjects = new Map<string, string | undefined>();

  constructor(now: number) {
    this.time.now = now;
    const queues = new Map<string, ModelQueue>();
    for (const name of entities) {
      const { lockDuration } = entityOptions[name];
      const dead = new ModelQueue(this.time, { ...subQueue, lockDuration }, undefined);
      queues.set(name, new ModelQueue(this.time, entityOptions[name], dead));
      queues.set(`${name}/$DeadLetterQueue`, dead);
    }
    this.queues = queues;
    this.#all = [...queues.values()];
  }

  queue(name: string): ModelQueue {
    const queue = this.queues.get(name);
    if (queue === undefined) throw new Error(`The model has no ${name}.`);
    return queue;
  }

  accept(name: string, arrival: ModelArrival): void {
    const queue = this.queue(name);
    if (queue.isDuplicate(arrival.id)) return;
    this.#subjects.set(arrival.id, arrival.subject);
    if (arrival.at > this.time.now) queue.schedule(arrival.id, arrival.session, arrival.timeToLive, arrival.at);
    else this.#arrive(name, arrival.id, arrival.session, arrival.timeToLive, undefined);
  }

  schedule(name: string, arrival: ModelArrival): number {
    const queue = this.queue(name);
    if (queue.isDuplicate(arrival.id)) return 0;
    this.#subjects.set(arrival.id, arrival.subject);
    const at = Math.max(arrival.at, this.time.now);
    return queue.schedule(arrival.id, arrival.session, arrival.timeToLive, at);
  }

  /** Lets everything happen whose time has come. */
  run(): void {
    if (this.time.earliest > this.time.now) return;
    for (;;) {
      let first: { readonly due: ModelDue; readonly act: () => void } | undefined;
      const consider = (due: ModelDue, act: () => void): void => {
        if (due.dueAt > this.time.now) return;
        const earlier =
          first === undefined ||
          due.dueAt < first.due.dueAt ||
          (due.dueAt === first.due.dueAt && due.setAs < first.due.setAs);
        if (earlier) first = { due, act };
      };
      let earliest = Infinity;
      for (const [name, queue] of this.queues) {
        for (const message of queue.messages) {
          earliest = Math.min(earliest, message.dueAt);
          consider(message, () => this.#due(name, queue, message));
        }
        for (const wait of queue.waits) {
          earliest = Math.min(earliest, wait.dueAt);
          consider(wait, () => queue.end(wait, inVain(wait)));
        }
        for (const lock of queue.sessionLocks) {
          earliest = Math.min(earliest, lock.dueAt);
          consider(lock, () => queue.lose(lock, true));
        }
      }
      for (const transaction of this.transactions) {
        earliest = Math.min(earliest, transaction.dueAt);
        consider(transaction, () => this.endTransaction(transaction));
      }
      if (first === undefined) {
        this.time.earliest = earliest;
        return;
      }
      first.act();
    }
  }

  /** Serves everybody who waits, in the order of waking: an accept that expires a session adds to its dead letters. */
  serve(): void {
    for (;;) {
      const wokenAt = this.#all.reduce((least, queue) => Math.min(least, queue.wokenAt), Infinity);
      if (wokenAt === Infinity) break;
      this.#all.find((queue) => queue.wokenAt === wokenAt)?.serve();
    }
    for (const queue of this.#all) if (queue.waits.length > 0) queue.serve();
  }

  endTransaction(transaction: ModelTransaction): void {
    transaction.open = false;
    this.transactions.delete(transaction);
  }

  /** Releases what a connection holds, uncounted except for what a transaction has settled. */
  release(holder: number | undefined): void {
    for (const queue of this.#all) {
      for (const lock of queue.sessionLocks.slice())
        if (holder === undefined || lock.holder === holder) queue.lose(lock, holder !== undefined && "ifSettled");
      this.#releaseMessages(queue, holder);
    }
  }

  releaseEntity(name: string): void {
    for (const queue of [this.queue(name), this.queue(`${name}/$DeadLetterQueue`)]) {
      for (const lock of queue.sessionLocks.slice()) queue.lose(lock, false);
      this.#releaseMessages(queue, undefined);
    }
  }

  #releaseMessages(queue: ModelQueue, holder: number | undefined): void {
    const held = queue.messages.filter(({ lock, holder: by }) => lock !== 0 && (holder === undefined || by === holder));
    for (const message of held.toSorted((left, right) => left.position - right.position))
      queue.giveBack(message, holder !== undefined && "ifSettled");
  }

  #arrive(name: string, id: string, session: string | undefined, timeToLive: number, first: number | undefined): void {
    const queue = this.queue(name);
    if (name === "f") {
      this.queue("q").enqueue(id, session, timeToLive, { firstNumber: first ?? queue.takeNumber() });
      return;
    }
    if (name !== "t") {
      queue.enqueue(id, session, timeToLive, first === undefined ? {} : { firstNumber: first });
      return;
    }
    const number = queue.takeNumber();
    const firstNumber = first ?? number;
    this.queue("t/Subscriptions/a").enqueue(id, session, timeToLive, { firstNumber });
    if (this.#subjects.get(id) === "b")
      this.queue("t/Subscriptions/b").enqueue(id, session, timeToLive, { firstNumber });
  }

  #due(name: string, queue: ModelQueue, message: ModelMessage): void {
    if (message.state !== "scheduled") {
      queue.due(message);
      return;
    }
    queue.remove(message);
    this.#arrive(name, message.id, message.session, message.timeToLive, message.firstNumber);
  }
}

/** The outcome of a wait whose time is over. */
function inVain({ max, sessionId }: ModelWait): string {
  if (max !== undefined) return "";
  return sessionId === undefined ? "ServiceTimeout" : "SessionCannotBeLocked";
}
