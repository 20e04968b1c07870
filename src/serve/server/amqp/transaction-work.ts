import type { Transaction } from "../../../core/engine/engine.ts";
import { WireFault } from "../../../wire/amqp/connection/wire-fault.ts";
import type { CommittingLink, ClientTransaction } from "./client-transaction.ts";

/** Work that has come for a transaction: a message, an outcome or a request. */
export interface TransactionWork {
  /** Carries it out; if it fails, so does the commit. @throws WireFault `amqp:transaction:unknown-id`. */
  run<T>(call: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The discharge need not wait for it any longer. @param isReported Whether its outcome was written to the client. */
  end(isReported: boolean): void;
}

/** Work in an open transaction, from its arrival on. */
export class Work implements TransactionWork {
  readonly #open: ClientTransaction;
  #hasFailed = false;

  /** @param link The link of a message. */
  constructor(open: ClientTransaction, link: CommittingLink | undefined) {
    this.#open = open;
    open.workBegan(link);
  }

  async run<T>(call: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await call(this.#open.transaction);
    } catch (error) {
      this.#hasFailed = true;
      this.#open.fail(error);
      throw error;
    }
  }

  end(isReported: boolean): void {
    if (this.#hasFailed && isReported) this.#open.failureReported();
    this.#open.workEnded();
  }
}

/** Work in a transaction that the connection does not have. */
export class NoWork implements TransactionWork {
  async run(): Promise<never> {
    throw unknownId();
  }

  end(): void {
    // No discharge waits for it.
  }
}

export const unknownId = (): WireFault =>
  new WireFault(
    "amqp:transaction:unknown-id",
    "The transaction is unknown on this connection. Declare one first.",
    "session",
  );
