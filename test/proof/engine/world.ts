import type {
  Delivery,
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  LockToken,
  Transaction,
} from "../../../src/core/engine/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { entities, entityOptions, ModelBroker, type ModelTransaction } from "./model-broker.ts";
import type { ModelSessionLock, Slot } from "./model-message.ts";
import { Random } from "./random.ts";
import { SimulatedClock } from "./simulated-clock.ts";

/** How the engine under simulation is made. */
export type MakeEngine = (options: object) => Engine;

/** A lock as the simulation remembers it, live or stale. */
export interface Held {
  readonly entity: string;
  readonly lock: number;
  readonly token: LockToken;
  readonly sessionLock: ModelSessionLock | undefined;
}

export interface Connection {
  readonly engine: Engine;
  readonly holder: number;
  readonly senders: ReadonlyMap<string, EngineSender>;
  readonly receivers: ReadonlyMap<string, EngineReceiver>;
}

export interface OpenSession {
  readonly receiver: EngineSessionReceiver;
  readonly lock: ModelSessionLock;
  readonly connection: Connection;
}

export interface OpenTransaction {
  readonly engine: Transaction;
  readonly model: ModelTransaction;
  readonly connection: Connection;
}

/** Entities that plain receivers are opened on. */
export const receivable: readonly string[] = [
  "q",
  "d",
  "t/Subscriptions/a",
  "t/Subscriptions/b",
  "q/$DeadLetterQueue",
  "d/$DeadLetterQueue",
  "s/$DeadLetterQueue",
  "t/Subscriptions/a/$DeadLetterQueue",
];

/** Engine and model differ. */
export class Divergence extends Error {}

/** A command whose outcome is waited for, and what is remembered of it. */
interface Watched {
  readonly slot: Slot;
  readonly bind: (slot: Slot) => void;
}

const remembered = 48;

/** An engine and its model side by side, and what is known of both. */
export class World {
  readonly random: Random;
  readonly clock: SimulatedClock = new SimulatedClock();
  readonly model: ModelBroker;
  readonly root: Engine;
  connections: Connection[] = [];
  sessions: OpenSession[] = [];
  transaction: OpenTransaction | undefined;
  held: Held[] = [];
  /** Receives and accepts that can be aborted. */
  waiting: { readonly abort: AbortController; readonly slot: Slot; readonly entity: string }[] = [];
  #slots: Watched[] = [];
  readonly #log: string[] = [];
  #ids = 0;
  #holders = 0;

  constructor(make: MakeEngine, seed: number) {
    this.random = new Random(seed);
    this.model = new ModelBroker(this.clock.time);
    const rules = [{ name: "r", filter: { kind: "sql", expression: "sys.Label = 'b'" } }];
    this.root = make({
      clock: this.clock,
      queues: { q: setup("q"), d: setup("d"), s: setup("s"), f: { ...setup("f"), forwardTo: "q" } },
      topics: { t: { subscriptions: { a: setup("t/Subscriptions/a"), b: { ...setup("t/Subscriptions/b"), rules } } } },
    });
  }

  freshId(): string {
    return `m${++this.#ids}`;
  }

  async connect(): Promise<void> {
    const engine = await this.root.connect();
    const receivers = new Map<string, EngineReceiver>();
    for (const entity of receivable)
      for (const receiveMode of ["peekLock", "receiveAndDelete"] as const)
        receivers.set(`${receiveMode} ${entity}`, await engine.openReceiver(entity, { receiveMode }));
    const senders = new Map<string, EngineSender>();
    for (const entity of ["q", "d", "s", "f", "t"]) senders.set(entity, await engine.openSender(entity));
    this.connections.push({ engine, senders, holder: ++this.#holders, receivers });
  }

  connection(): Connection {
    const connection = this.random.pick(this.connections);
    if (connection === undefined) throw new Error("There is no connection.");
    return connection;
  }

  /** Notes what the model expects of a command and what the engine says; `undefined` is expected later. */
  watch<T>(
    command: string,
    expected: string | undefined,
    promise: Promise<T>,
    render: (value: T, slot: Slot) => string,
    bind: (slot: Slot) => void = () => undefined,
  ): Slot {
    const slot: Slot = { command, expected, actual: undefined, locks: [], sessionLock: undefined };
    this.#slots.push({ slot, bind });
    this.#log.push(`${this.clock.time} ${command}`);
    if (this.#log.length > 40) this.#log.shift();
    promise.then(
      (value) => (slot.actual = render(value, slot)),
      (error: unknown) => (slot.actual = error instanceof SobreError ? error.code : String(error)),
    );
    return slot;
  }

  /** Watches a command that hands out deliveries, and remembers their locks. */
  watchDeliveries(
    command: string,
    expected: string | undefined,
    promise: Promise<readonly Delivery[]>,
    from: { readonly entity: string; readonly sessionLock?: ModelSessionLock | undefined },
  ): Slot {
    let tokens: readonly (LockToken | undefined)[] = [];
    const render = (deliveries: readonly Delivery[]): string => {
      tokens = deliveries.map(({ lockToken }) => lockToken);
      return deliveries.map(describe).join("|");
    };
    return this.watch(command, expected, promise, render, ({ locks }) => {
      for (const [index, lock] of locks.entries()) {
        const token = tokens[index];
        if (token === undefined) throw new Divergence(`${command}: a delivery without lock token`);
        this.held.push({ entity: from.entity, lock, token, sessionLock: from.sessionLock });
      }
      if (this.held.length > remembered) this.held.splice(0, this.held.length - remembered);
    });
  }

  /** Lets everything that was begun come to its end, and compares. */
  async settle(): Promise<void> {
    this.clock.fire();
    this.model.run();
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    this.model.serve();
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    const open: Watched[] = [];
    for (const watched of this.#slots) {
      const { slot, bind } = watched;
      if (slot.expected === undefined && slot.actual === undefined) open.push(watched);
      else if (slot.expected === slot.actual) bind(slot);
      else throw this.divergence(slot);
    }
    this.#slots = open;
  }

  divergence({ command, expected, actual }: Slot): Divergence {
    return new Divergence(
      [
        `${command}\n  model:  ${expected ?? "still waits"}\n  engine: ${actual ?? "still waits"}`,
        "the last commands:",
        ...this.#log,
      ].join("\n"),
    );
  }
}

function setup(name: (typeof entities)[number]): object {
  const { lockDuration, maxDeliveryCount, timeToLive, deadLetterExpired, sessions, duplicateWindow } =
    entityOptions[name];
  return {
    lockDuration,
    maxDeliveryCount,
    defaultMessageTimeToLive: timeToLive,
    deadLetteringOnMessageExpiration: deadLetterExpired,
    requiresSession: sessions,
    // Subscriptions have no such options.
    ...(duplicateWindow > 0
      ? { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: duplicateWindow }
      : {}),
  };
}

/** A delivery in the model's words. */
export function describe(delivery: Delivery): string {
  const { sequenceNumber, enqueuedSequenceNumber, deliveryCount, state, deadLetterReason } = delivery;
  return [
    delivery.envelope.brokerProperties.messageId,
    sequenceNumber,
    enqueuedSequenceNumber,
    delivery.enqueuedTimeUtc.getTime(),
    delivery.expiresAtUtc?.getTime() ?? "-",
    deliveryCount,
    state,
    deadLetterReason ?? "-",
    delivery.lockedUntilUtc?.getTime() ?? "-",
  ].join(" ");
}
