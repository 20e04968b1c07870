import type { Transaction, TransactionOption } from "../../core/engine/engine.ts";
import { PendingCalls } from "../../core/engine/pending-calls.ts";
import { transactionOver } from "./refusals.ts";

/** A transaction of an engine that carries calls out later than they are made: its end waits for them. */
export class LateTransaction implements Transaction {
  readonly #inner: Transaction;
  readonly #calls = new PendingCalls();
  #isOver = false;

  /** @param inner The transaction of the engine that carries the calls out. */
  constructor(inner: Transaction) {
    this.#inner = inner;
  }

  async commit(): Promise<void> {
    await this.#end();
    await this.#inner.commit();
  }

  async rollback(): Promise<void> {
    await this.#end();
    await this.#inner.rollback();
  }

  /** Makes a call in it. @throws SobreError `InvalidOperation` after its end. */
  static async run<T>(transaction: LateTransaction, call: (inner: Transaction) => Promise<T>): Promise<T> {
    transaction.#checkOpen();
    return transaction.#calls.add(call(transaction.#inner));
  }

  async #end(): Promise<void> {
    this.#checkOpen();
    this.#isOver = true;
    await this.#calls.ended();
  }

  #checkOpen(): void {
    if (this.#isOver) throw transactionOver();
  }
}

/** Makes a call with the options of the engine that carries it out, in the transaction that they name, if any. */
export function inLateTransaction<O extends TransactionOption, T>(
  options: O | undefined,
  call: (inside: O | undefined) => Promise<T>,
): Promise<T> {
  const transaction = options?.transaction;
  if (options === undefined || !(transaction instanceof LateTransaction)) return call(options);
  return LateTransaction.run(transaction, (inner) => call({ ...options, transaction: inner }));
}
