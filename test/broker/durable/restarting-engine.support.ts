import type { EngineAdmin } from "../../../src/core/engine/admin.ts";
import { type EngineInspection, inspectionOf } from "../../../src/core/engine/inspection.ts";
import type { Capabilities } from "../../../src/core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../../src/core/engine/delivery.ts";
import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ListSessionsOptions,
  OpenReceiverOptions,
  OpenSenderOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  ReceiveOptions,
  SendOptions,
  Transaction,
  TransactionOption,
} from "../../../src/core/engine/engine.ts";
import type { Envelope } from "../../../src/core/envelope/envelope.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import type { ManualClock } from "../../../src/core/time/index.ts";
import { DirectStore } from "./direct-store.support.ts";

/** How an engine ends before it is started again. */
export type End = "close" | "kill";

/** A message or session that somebody holds. */
export interface Held {
  readonly entity: string;
  readonly delivery: Delivery;
}

/** Everything open in an engine that a restart would end. */
export interface Open {
  readonly held: ReadonlyMap<LockToken, Held>;
  readonly sessions: ReadonlySet<EngineSessionReceiver>;
  readonly transactions: number;
  /** Calls that have not ended. */
  readonly waiting: number;
  /** Connections and links that no later engine can have: of other holders, or of entities that are gone. */
  readonly lasting: number;
}

/** Where an engine is, and how it begins and ends. */
export interface Life {
  readonly directory: string;
  readonly clock: ManualClock;
  readonly end: End;
  /** Called before every step; resolves to whether to start the engine again here. */
  between(open: Open, engine: RestartingEngine): Promise<boolean>;
}

/** A durable engine that is ended and started again between the calls of whoever uses it. */
export class RestartingEngine implements Engine {
  readonly name = "durable";
  readonly capabilities: Capabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection;
  readonly #life: Life;
  #engine: Engine;
  #store: DirectStore;
  #age = 0;
  #lasting = 0;
  #waiting = 0;
  #restarting: Promise<void> | undefined;
  /** Opens the links that are open on another engine. */
  readonly #links = new Set<() => Promise<void>>();
  readonly #held = new Map<LockToken, Held>();
  readonly #sessions = new Set<EngineSessionReceiver>();
  readonly #transactions = new Set<Transaction>();

  private constructor(life: Life, engine: Engine, store: DirectStore) {
    this.#life = life;
    this.#engine = engine;
    this.#store = store;
    this.capabilities = engine.capabilities;
    this.inspection = inspectionOf(() => this.step(async (current) => current));
    this.admin = new Proxy(engine.admin, {
      get:
        (_admin, method) =>
        async (...given: readonly unknown[]): Promise<unknown> => {
          if (String(method).startsWith("delete")) this.#lasting += this.#links.size;
          return this.step(async ({ admin }) => Reflect.apply(Reflect.get(admin, method), admin, given));
        },
    });
  }

  static async open(life: Life): Promise<RestartingEngine> {
    return new RestartingEngine(life, ...(await start(life)));
  }

  /** How often it has been started again. */
  get age(): number {
    return this.#age;
  }

  /** The engine that there is now, without a restart before. */
  get current(): Engine {
    return this.#engine;
  }

  now(): number {
    return this.#life.clock.now();
  }

  async restart(): Promise<void> {
    if (this.#life.end === "close") await this.#engine.close();
    else this.#store.kill();
    [this.#engine, this.#store] = await start(this.#life);
    this.#age++;
    for (const reopen of this.#links) await reopen().catch(() => {});
  }

  /** One call, with a restart before it where there may be one. */
  async step<T>(call: (engine: Engine) => Promise<T>): Promise<T> {
    const now = this.#life.clock.now();
    for (const [token, { delivery }] of this.#held)
      if ((delivery.lockedUntilUtc?.getTime() ?? 0) <= now) this.#held.delete(token);
    const open = {
      held: this.#held,
      sessions: this.#sessions,
      transactions: this.#transactions.size,
      waiting: this.#waiting,
      lasting: this.#lasting,
    };
    this.#waiting++;
    try {
      if (this.#restarting === undefined) {
        this.#restarting = this.#between(open);
        await this.#restarting;
        this.#restarting = undefined;
      } else await this.#restarting;
      return await call(this.#engine);
    } finally {
      this.#waiting--;
    }
  }

  async #between(open: Open): Promise<void> {
    if (await this.#life.between(open, this)) await this.restart();
  }

  async openSender(entity: string, options?: OpenSenderOptions): Promise<EngineSender> {
    const link = await this.#link((engine) => engine.openSender(entity, options));
    return {
      maxMessageSize: link.last().maxMessageSize,
      send: (envelopes: readonly Envelope[], send?: SendOptions) =>
        this.step(() => link.use((sender) => sender.send(envelopes, send))),
      close: () => this.step(() => link.close()),
    };
  }

  async openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    const link = await this.#link((engine) => engine.openReceiver(entity, options));
    return {
      receive: (how: ReceiveOptions) =>
        this.step(async () => this.#hold(entity, await link.use((receiver) => receiver.receive(how)))),
      close: () => this.step(() => link.close()),
    };
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    const receiver = await this.step((engine) => engine.acceptSession(entity, options));
    this.#sessions.add(receiver);
    return {
      sessionId: receiver.sessionId,
      sessionLockedUntilUtc: () => receiver.sessionLockedUntilUtc(),
      renewSessionLock: () => this.step(() => receiver.renewSessionLock()),
      getSessionState: () => this.step(() => receiver.getSessionState()),
      setSessionState: (state) => this.step(() => receiver.setSessionState(state)),
      receive: (how) => this.step(async () => this.#hold(entity, await receiver.receive(how))),
      close: async () => {
        await this.step(() => receiver.close());
        this.#sessions.delete(receiver);
      },
    };
  }

  peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    return this.step((engine) => engine.peek(entity, options));
  }

  receiveDeferred(
    entity: string,
    numbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    return this.step(async (engine) => this.#hold(entity, await engine.receiveDeferred(entity, numbers, options)));
  }

  schedule(entity: string, envelopes: readonly Envelope[], options?: TransactionOption): Promise<readonly bigint[]> {
    return this.step((engine) => engine.schedule(entity, envelopes, options));
  }

  cancel(entity: string, numbers: readonly bigint[]): Promise<void> {
    return this.step((engine) => engine.cancel(entity, numbers));
  }

  /** A call that nobody awaits has begun, which may have begun with a restart. */
  async restarted(): Promise<void> {
    await this.#restarting;
  }

  /** Everything that has happened is in the store. */
  async settled(): Promise<void> {
    await this.restarted();
    await this.#engine.admin.listQueues();
  }

  async settle(entity: string, token: LockToken, settlement: Settlement, options?: TransactionOption): Promise<void> {
    await this.step((engine) => engine.settle(entity, token, settlement, options));
    if (options?.transaction === undefined) this.#held.delete(token);
  }

  async renew(entity: string, token: LockToken): Promise<Date> {
    const until = await this.step((engine) => engine.renew(entity, token));
    const held = this.#held.get(token);
    if (held !== undefined) this.#held.set(token, { entity, delivery: { ...held.delivery, lockedUntilUtc: until } });
    return until;
  }

  deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    return this.step((engine) => engine.deleteMessages(entity, options));
  }

  listSessions(entity: string, options?: ListSessionsOptions): Promise<readonly string[]> {
    return this.step((engine) => engine.listSessions(entity, options));
  }

  async begin(): Promise<Transaction> {
    const transaction = await this.step((engine) => engine.begin());
    this.#transactions.add(transaction);
    const ended = (name: "commit" | "rollback"): (() => Promise<void>) => {
      const end = transaction[name].bind(transaction);
      return async () => {
        if (!this.#transactions.has(transaction)) return end();
        await this.step(end);
        this.#transactions.delete(transaction);
      };
    };
    // The engine knows its own transactions by their identity.
    return Object.assign(transaction, { commit: ended("commit"), rollback: ended("rollback") });
  }

  async connect(options?: ConnectOptions): Promise<Engine> {
    const connection = await this.step((engine) => engine.connect(options));
    this.#lasting++;
    return connection;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  async abort(): Promise<void> {
    await this.#engine.abort();
  }

  #hold(entity: string, deliveries: readonly Delivery[]): readonly Delivery[] {
    for (const delivery of deliveries)
      if (delivery.lockToken !== undefined) this.#held.set(delivery.lockToken, { entity, delivery });
    return deliveries;
  }

  /** A link that is opened again on every engine until it is closed; refused there, it is tried again when it is used. */
  async #link<T extends { close(): Promise<void> }>(open: (engine: Engine) => Promise<T>): Promise<Link<T>> {
    let link = await this.step(open);
    let refused = false;
    const reopen = async (): Promise<void> => {
      refused = true;
      link = await open(this.#engine);
      refused = false;
    };
    this.#links.add(reopen);
    return {
      last: () => link,
      async use(call) {
        if (refused) await reopen();
        return call(link);
      },
      close: async () => {
        this.#links.delete(reopen);
        await link.close();
      },
    };
  }
}

/** A link of the engine that there is now. */
interface Link<T> {
  use<R>(call: (link: T) => Promise<R>): Promise<R>;
  last(): T;
  close(): Promise<void>;
}

async function start({ directory, clock }: Life): Promise<readonly [Engine, DirectStore]> {
  const store = new DirectStore(directory);
  return [storedConnection("durable", await StoredHome.open(store, { clock, memoryBudget: 0 })), store];
}
