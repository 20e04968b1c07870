import type { Delivery } from "../../core/engine/delivery.ts";
import type { ConnectOptions, Engine, EngineReceiver } from "../../core/engine/engine.ts";
import { inspectionOf } from "../../core/engine/inspection.ts";
import type { Clock } from "../../core/time/clock.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { finiteDuration } from "../../core/options/duration-option.ts";
import { toMilliseconds } from "../../core/time/duration.ts";
import { SentMessages } from "./sent-messages.ts";
import { FaultPlan, type Faults, refused } from "./faults.ts";
import { inLateTransaction, LateTransaction } from "../../broker/policy/late-transaction.ts";
import { faultyReceiver, faultySender, faultySessionReceiver, type LinkParts } from "./faulty-links.ts";

/** An engine and the control of its faults. */
export interface FaultyEngine {
  readonly engine: Engine;
  readonly faults: Faults;
  /** The messages that the engine has accepted, in transactions too. */
  readonly sent: SentMessages;
}

/**
 * Wraps an engine so that faults can be injected; without faults it behaves like that engine. `clock` is the engine's
 * clock.
 *
 * @throws SobreError `InvalidArgument` naming the argument.
 */
export function faultyEngine(inner: Engine, clock: Clock): FaultyEngine {
  checkOption("inner", inner, is.engine);
  checkOption("clock", clock, is.clock);
  const sent = new SentMessages();
  const plan = new FaultPlan((entity, envelopes) => sent.add(entity, envelopes, clock.now()));
  const open = new Set<CutConnection>();
  const engine = connectionOver(inner, plan, clock, open, {
    connection: new CutConnection(inner, undefined),
    closed: () => inner.close(),
  });
  const faults: Faults = {
    refuse: (operation, code, options) => plan.add({ kind: "refuse", operation, code }, options),
    loseAnswer: (operation, options) => plan.add({ kind: "loseAnswer", operation }, options),
    drop: (options) => plan.add({ kind: "drop" }, options),
    delay: (duration, options) => {
      checkOption("duration", duration, finiteDuration);
      plan.add({ kind: "delay", milliseconds: toMilliseconds(duration, "duration") }, options);
    },
    duplicate: (options) => plan.add({ kind: "duplicate" }, options),
    loseLock: (options) => plan.add({ kind: "loseLock" }, options),
    async cut() {
      await Promise.all([...open].map((connection) => connection.cut()));
    },
    clear: () => plan.clear(),
  };
  return { engine, faults, sent };
}

/** A connection as the broker sees it, which ends when it is cut; the faulty engine continues with another. */
class CutConnection {
  readonly #root: Engine;
  readonly #options: ConnectOptions | undefined;
  #current: Promise<Engine> | undefined;
  readonly #cuts = new Set<() => void>();

  constructor(root: Engine, options: ConnectOptions | undefined) {
    this.#root = root;
    this.#options = options;
  }

  get(): Promise<Engine> {
    this.#current ??= this.#root.connect(this.#options);
    return this.#current;
  }

  /** Once closed, an engine that rejects everything with `Closed`. */
  closed: Engine | undefined;

  async end(how: "close" | "abort"): Promise<void> {
    this.closed = await this.get();
    await this.closed[how]();
  }

  async cut(): Promise<void> {
    const cuts = [...this.#cuts];
    this.#cuts.clear();
    for (const cut of cuts) cut();
    const current = this.#current;
    this.#current = undefined;
    await (await current)?.abort();
  }

  /** The lifetime of a link, which ends when the connection is cut. */
  link(): { guard: LinkParts["connection"]["guard"] } {
    let broken = false;
    const breakers = new Set<() => void>();
    this.#cuts.add(() => {
      broken = true;
      for (const breaker of breakers) breaker();
    });
    return {
      guard(operation, entity, run) {
        if (broken) return Promise.reject(refused("ServiceCommunicationProblem", operation, entity));
        return new Promise((resolve, reject) => {
          const breaker = (): void => reject(refused("ServiceCommunicationProblem", operation, entity));
          breakers.add(breaker);
          run()
            .then(resolve, reject)
            .finally(() => breakers.delete(breaker));
        });
      },
    };
  }
}

interface OpenConnection {
  readonly connection: CutConnection;
  /** Called when it was closed. */
  readonly closed?: () => Promise<void>;
}

function connectionOver(
  root: Engine,
  plan: FaultPlan,
  clock: Clock,
  open: Set<CutConnection>,
  { connection, closed = async () => undefined }: OpenConnection,
): Engine {
  open.add(connection);
  const link = (entity: string): LinkParts => ({
    entity,
    plan,
    clock,
    connection: connection.link(),
    expire: async ({ lockToken }: Delivery) => {
      // Like an expired lock: the delivery is counted and the token is invalid.
      if (lockToken !== undefined) await (await connection.get()).settle(entity, lockToken, { kind: "abandon" });
    },
  });
  const end = async (how: "close" | "abort"): Promise<void> => {
    open.delete(connection);
    await connection.end(how);
    await closed();
  };
  const receiverOf = async (entity: string, options: Parameters<Engine["openReceiver"]>[1]): Promise<EngineReceiver> =>
    faultyReceiver(await (await connection.get()).openReceiver(entity, options), link(entity));
  return {
    name: root.name,
    capabilities: root.capabilities,
    get admin() {
      return (connection.closed ?? root).admin;
    },
    inspection: inspectionOf(async () => connection.closed ?? root),
    openSender: (entity, options) =>
      plan.around("open", entity, async () =>
        faultySender(await (await connection.get()).openSender(entity, options), link(entity)),
      ),
    openReceiver: (entity, options) => plan.around("open", entity, () => receiverOf(entity, options)),
    acceptSession: (entity, options) => {
      const parts = link(entity);
      return parts.connection.guard("acceptSession", entity, () =>
        plan.around("acceptSession", entity, async () =>
          faultySessionReceiver(await (await connection.get()).acceptSession(entity, options), parts),
        ),
      );
    },
    peek: async (entity, options) => (await connection.get()).peek(entity, options),
    receiveDeferred: async (entity, numbers, options) =>
      (await connection.get()).receiveDeferred(entity, numbers, options),
    schedule: (entity, envelopes, options) =>
      inLateTransaction(options, (inside) =>
        plan.around("schedule", entity, async () => {
          const numbers = await (await connection.get()).schedule(entity, envelopes, inside);
          plan.accepted(entity, envelopes);
          return numbers;
        }),
      ),
    cancel: async (entity, numbers) => (await connection.get()).cancel(entity, numbers),
    settle: (entity, lockToken, settlement, options) =>
      inLateTransaction(options, (inside) =>
        plan.around("settle", entity, async () =>
          (await connection.get()).settle(entity, lockToken, settlement, inside),
        ),
      ),
    renew: (entity, lockToken) =>
      plan.around("renew", entity, async () => (await connection.get()).renew(entity, lockToken)),
    deleteMessages: async (entity, options) => (await connection.get()).deleteMessages(entity, options),
    listSessions: async (entity, options) => (await connection.get()).listSessions(entity, options),
    begin: async () => new LateTransaction(await (await connection.get()).begin()),
    connect: async (chosen) => {
      const other = new CutConnection(root, chosen);
      // Others connect with their first call; this one has to learn of deletions before.
      if (chosen?.onEntityDeleted !== undefined) await other.get();
      return connectionOver(root, plan, clock, open, { connection: other });
    },
    close: () => end("close"),
    abort: () => end("abort"),
    [Symbol.asyncDispose]: () => end("close"),
  };
}
