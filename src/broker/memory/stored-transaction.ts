import type { Transaction } from "../../core/engine/engine.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { StoredHome } from "./stored-home.ts";
import { MemoryEngineTransaction } from "./transaction.ts";

/** A transaction whose end resolves once it is durable; rolled back with the engine that began it. */
export class StoredTransaction extends MemoryEngineTransaction {
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
