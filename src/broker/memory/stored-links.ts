import type { Delivery } from "../../core/engine/delivery.ts";
import type {
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ReceiveOptions,
  SendOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Renewed, StoredHome } from "./stored-home.ts";

/** The sending end of a link: a send resolves when it is durable. */
export class StoredSender implements EngineSender {
  readonly #home: StoredHome;
  readonly #inner: Renewed<EngineSender>;
  #closed = false;

  constructor(home: StoredHome, inner: Renewed<EngineSender>) {
    this.#home = home;
    this.#inner = inner;
  }

  get maxMessageSize(): number {
    return this.#inner.last.maxMessageSize;
  }

  send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    if (this.#closed) return Promise.reject(closed("sender"));
    const transaction = innerTransaction(options?.transaction);
    const inside = transaction === undefined ? options : { ...options, transaction };
    return this.#home.run(this.#inner, (inner) => inner.send(envelopes, inside));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#inner.last.close();
  }
}

/** The receiving end of a link: messages and the fact of their delivery are durable before they are delivered. */
export class StoredReceiver<T extends EngineReceiver = EngineReceiver> implements EngineReceiver {
  protected readonly home: StoredHome;
  protected readonly inner: Renewed<T>;
  #closed = false;

  constructor(home: StoredHome, inner: Renewed<T>) {
    this.home = home;
    this.inner = inner;
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    if (this.#closed) throw closed("receiver");
    return this.home.fill(await this.home.runWaiting(this.inner, (inner) => inner.receive(options)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.home.runEnd(this.inner, (inner) => inner.close());
  }
}

/** The receiving end of a link that holds a session; lost with the engine that granted it. */
export class StoredSessionReceiver extends StoredReceiver<EngineSessionReceiver> implements EngineSessionReceiver {
  get sessionId(): string {
    return this.inner.last.sessionId;
  }

  sessionLockedUntilUtc(): Date {
    return this.inner.last.sessionLockedUntilUtc();
  }

  renewSessionLock(): Promise<Date> {
    return this.home.run(this.inner, (inner) => inner.renewSessionLock());
  }

  getSessionState(): Promise<Uint8Array | undefined> {
    return this.home.run(this.inner, (inner) => inner.getSessionState());
  }

  setSessionState(state: Uint8Array | undefined): Promise<void> {
    return this.home.run(this.inner, (inner) => inner.setSessionState(state));
  }
}

/** A transaction whose commit resolves once it is durable. */
export class StoredTransaction implements Transaction {
  readonly #home: StoredHome;
  readonly #inner: Renewed<Transaction>;

  constructor(home: StoredHome, inner: Renewed<Transaction>) {
    this.#home = home;
    this.#inner = inner;
  }

  /** The engine's own. */
  get inner(): Transaction {
    return this.#inner.last;
  }

  commit(): Promise<void> {
    return this.#home.run(this.#inner, (inner) => inner.commit());
  }

  rollback(): Promise<void> {
    return this.#home.run(this.#inner, (inner) => inner.rollback());
  }
}

/** The memory engine's own transaction. */
export const innerTransaction = (transaction: Transaction | undefined): Transaction | undefined =>
  transaction instanceof StoredTransaction ? transaction.inner : transaction;
