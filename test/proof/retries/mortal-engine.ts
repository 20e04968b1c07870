import type { Engine, EngineReceiver, EngineSessionReceiver, Transaction } from "../../../src/core/engine/index.ts";

/** Runs a step of a process, unless the process dies before it; what a dead process asked for is never answered. */
export type Step = <T>(run: () => Promise<T>) => Promise<T>;

/** A process that is killed before or after one of its steps. */
export class Life {
  readonly engine: Engine;
  readonly #inner: Engine;
  #left: number;
  #dead = false;
  #steps = 0;

  /** @param left After how many half steps it is killed: each step may be cut before or after its effect. */
  constructor(inner: Engine, left: number) {
    this.#inner = inner;
    this.#left = left;
    this.engine = mortal(inner, this.step);
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Lets it end by itself. */
  spare(): void {
    this.#left = Infinity;
  }

  /** Half steps so far. */
  get steps(): number {
    return this.#steps;
  }

  readonly step: Step = async (run) => {
    this.#half();
    if (this.isDead) return never();
    const outcome = await settled(run);
    this.#half();
    if (this.isDead) return never();
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  };

  #half(): void {
    this.#steps++;
    if (this.#dead || this.#left-- > 0) return;
    this.#dead = true;
    void this.#inner.abort();
  }
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

async function settled<T>(run: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error };
  }
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** An engine whose calls are steps. */
function mortal(inner: Engine, step: Step): Engine {
  const transaction = (made: Transaction): Transaction => {
    const own = { commit: () => step(() => made.commit()), rollback: () => step(() => made.rollback()) };
    begun.set(own, made);
    return own;
  };
  const begun = new WeakMap<Transaction, Transaction>();
  const within = <O extends { readonly transaction?: Transaction | undefined }>(
    options: O | undefined,
  ): O | undefined =>
    options?.transaction === undefined ? options : { ...options, transaction: begun.get(options.transaction) };
  const receiver = (link: EngineReceiver): EngineReceiver => ({
    receive: (options) => step(() => link.receive(options)),
    close: () => step(() => link.close()),
  });
  const session = (link: EngineSessionReceiver): EngineSessionReceiver => ({
    ...receiver(link),
    sessionId: link.sessionId,
    sessionLockedUntilUtc: () => link.sessionLockedUntilUtc(),
    renewSessionLock: () => step(() => link.renewSessionLock()),
    getSessionState: () => step(() => link.getSessionState()),
    setSessionState: (state) => step(() => link.setSessionState(state)),
  });
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    admin: inner.admin,
    inspection: inner.inspection,
    openSender: (entity, options) => step(() => inner.openSender(entity, options)),
    openReceiver: (entity, options) => step(async () => receiver(await inner.openReceiver(entity, options))),
    acceptSession: (entity, options) => step(async () => session(await inner.acceptSession(entity, options))),
    peek: (entity, options) => step(() => inner.peek(entity, options)),
    receiveDeferred: (entity, numbers, options) => step(() => inner.receiveDeferred(entity, numbers, options)),
    schedule: (entity, envelopes, options) => step(() => inner.schedule(entity, envelopes, within(options))),
    cancel: (entity, numbers) => step(() => inner.cancel(entity, numbers)),
    settle: (entity, token, settlement, options) =>
      step(() => inner.settle(entity, token, settlement, within(options))),
    renew: (entity, token) => step(() => inner.renew(entity, token)),
    deleteMessages: (entity, options) => step(() => inner.deleteMessages(entity, options)),
    listSessions: (entity, options) => step(() => inner.listSessions(entity, options)),
    begin: () => step(async () => transaction(await inner.begin())),
    connect: () => step(async () => mortal(await inner.connect(), step)),
    close: () => step(() => inner.close()),
    abort: () => inner.abort(),
    [Symbol.asyncDispose]: () => step(() => inner.close()),
  };
}
