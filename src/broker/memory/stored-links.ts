import type { Delivery } from "../../core/engine/delivery.ts";
import type { ReceiveOptions, Transaction } from "../../core/engine/engine.ts";
import { invalidOperation, sessionLockLost } from "../../core/engine/refusals.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import type { MessageQueue, ReceiveLink } from "./message-queue.ts";
import { MemoryReceiver } from "./receiver.ts";
import { MemorySessionReceiver, type SessionLink } from "./session-receiver.ts";
import type { StoredHome } from "./stored-home.ts";
import { MemoryTransaction } from "./transaction.ts";

type Owner = LinkOwner<MemoryTransaction>;

/** The receiving end of a link: messages and the fact of their delivery are durable before they are delivered. */
export class StoredReceiver extends MemoryReceiver {
  readonly #home: StoredHome;

  constructor(home: StoredHome, queue: MessageQueue, link: ReceiveLink, owner: Owner) {
    super(queue, link, owner);
    this.#home = home;
  }

  override async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    const deliveries = await this.#home.afterWait(() => {
      this.queue = this.#home.currentQueue(this.queue);
      return super.receive(options);
    });
    return this.#home.fill(deliveries);
  }

  override close(): Promise<void> {
    return this.#home.runEnd(this.queue, () => super.close());
  }
}

/** The receiving end of a link that holds a session; lost with the engine that granted it. */
export class StoredSessionReceiver extends MemorySessionReceiver {
  readonly #home: StoredHome;

  constructor(home: StoredHome, queue: MessageQueue, link: SessionLink, owner: Owner) {
    super(queue, link, owner);
    this.#home = home;
  }

  override async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    const deliveries = await this.#home.afterWait(() => this.#held(() => super.receive(options)));
    return this.#home.fill(deliveries);
  }

  override close(): Promise<void> {
    return this.#home.runEnd(this.queue, () => super.close());
  }

  override renewSessionLock(): Promise<Date> {
    return this.#home.run(() => this.#held(() => super.renewSessionLock()));
  }

  override getSessionState(): Promise<Uint8Array | undefined> {
    return this.#home.run(() => this.#held(() => super.getSessionState()));
  }

  override setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    return this.#home.run(() => this.#held(() => super.setSessionState(state)));
  }

  #held<T>(call: () => T): T {
    if (!this.#home.isCurrent(this.queue)) throw sessionLockLost(this.sessionId, this.queue.address);
    return call();
  }
}

/** A transaction whose end resolves once it is durable; rolled back with the engine that began it. */
export class StoredTransaction extends MemoryTransaction {
  readonly #home: StoredHome;

  constructor(home: StoredHome, onEnd: (transaction: Transaction) => void) {
    super(home.namespace.timeline, onEnd);
    this.#home = home;
  }

  override get isOpen(): boolean {
    return super.isOpen && this.#home.isCurrent(this);
  }

  override commit(): Promise<void> {
    return this.#home.run(() => this.#current(() => super.commit()));
  }

  override rollback(): Promise<void> {
    return this.#home.run(() => this.#current(() => super.rollback()));
  }

  #current<T>(call: () => T): T {
    if (this.#home.isCurrent(this)) return call();
    throw invalidOperation("The transaction was rolled back when the store failed. Begin a new one.");
  }
}
