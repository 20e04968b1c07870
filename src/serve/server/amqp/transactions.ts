import type { Engine, Transaction } from "../../../core/engine/engine.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { WireFault } from "../../../wire/amqp/connection/wire-fault.ts";

/** Maximum number of open transactions per connection. */
const most = 256;

/** The open transactions of a connection, by id. */
export class Transactions {
  readonly #open = new Map<string, Transaction>();
  /** Transactions that the engine is beginning. */
  #opening = 0;
  #next = 1;

  /** Begins one; resolves to its id. @throws SobreError `QuotaExceeded`. */
  async declare(engine: Engine): Promise<Uint8Array> {
    if (this.#open.size + this.#opening >= most)
      throw new SobreError(
        "QuotaExceeded",
        `The connection already has ${most} open transactions, the maximum. Discharge one first.`,
      );
    this.#opening++;
    const transaction = await engine.begin().finally(() => this.#opening--);
    const id = Buffer.alloc(8);
    id.writeUInt32BE(this.#next++, 4);
    this.#open.set(keyOf(id), transaction);
    return id;
  }

  /** @throws WireFault `amqp:transaction:unknown-id`. */
  find(id: Uint8Array): Transaction {
    const transaction = this.#open.get(keyOf(id));
    if (transaction !== undefined) return transaction;
    const what = "The transaction is unknown on this connection. Declare one first.";
    throw new WireFault("amqp:transaction:unknown-id", what, "session");
  }

  /** Ends a transaction: commits it, or rolls it back. */
  async discharge(id: Uint8Array, fail: boolean): Promise<void> {
    const transaction = this.find(id);
    this.#open.delete(keyOf(id));
    if (fail) await transaction.rollback();
    else await transaction.commit();
  }

  /** Rolls back those that are still open. */
  async forget(ids: readonly Uint8Array[]): Promise<void> {
    for (const id of ids) {
      const transaction = this.#open.get(keyOf(id));
      this.#open.delete(keyOf(id));
      // One that was open for too long has already ended.
      await transaction?.rollback().catch(() => undefined);
    }
  }
}

const keyOf = (id: Uint8Array): string => Buffer.from(id).toString("hex");
