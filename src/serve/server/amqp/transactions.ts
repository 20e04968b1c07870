import type { Engine } from "../../../core/engine/engine.ts";
import type { DeliveryState } from "../../../wire/amqp/connection/delivery-state.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { type CommittingLink, ClientTransaction } from "./client-transaction.ts";
import type { ReadSigns } from "./read-signs.ts";
import { NoWork, type TransactionWork, unknownId, Work } from "./transaction-work.ts";

/** Maximum number of open transactions per connection. */
const maxOpenTransactions = 256;

/** The open transactions of a connection, by id. */
export class Transactions {
  readonly #open = new Map<string, ClientTransaction>();
  /** Transactions that the engine is beginning. */
  #opening = 0;
  #next = 1;

  /** Begins one; resolves to its id. @throws SobreError `QuotaExceeded`. */
  async declare(engine: Engine, signs: ReadSigns): Promise<Uint8Array> {
    if (this.#open.size + this.#opening >= maxOpenTransactions)
      throw new SobreError(
        "QuotaExceeded",
        `The connection already has ${maxOpenTransactions} open transactions, the maximum. Discharge one first.`,
      );
    this.#opening++;
    const transaction = await engine.begin().finally(() => this.#opening--);
    const id = Buffer.alloc(8);
    id.writeUInt32BE(this.#next++, 4);
    this.#open.set(keyOf(id), new ClientTransaction(transaction, signs));
    return id;
  }

  /** Work that has come for a transaction: its discharge waits for it. @param link The link of a message. */
  join(id: Uint8Array, link?: CommittingLink): TransactionWork {
    const open = this.#open.get(keyOf(id));
    return open === undefined ? new NoWork() : new Work(open, link);
  }

  /** Notes that work in this state has come which is not carried out: its transaction cannot be committed. */
  lose(state: DeliveryState | undefined): void {
    if (state?.kind === "transactional") this.#open.get(keyOf(state.transactionId))?.fail(lost());
  }

  /**
   * Ends a transaction after its work: commits it, or rolls it back.
   *
   * @throws WireFault `amqp:transaction:unknown-id`, or `amqp:transaction:rollback` when work in it has failed.
   */
  async discharge(id: Uint8Array, fail: boolean): Promise<void> {
    const open = this.#open.get(keyOf(id));
    if (open === undefined) throw unknownId();
    this.#open.delete(keyOf(id));
    if (fail) await open.rollback();
    else await open.commit();
  }

  /** Rolls back those that are still open. */
  async forget(ids: readonly Uint8Array[]): Promise<void> {
    const known = ids.flatMap((id) => this.#open.get(keyOf(id)) ?? []);
    for (const id of ids) this.#open.delete(keyOf(id));
    // One that was open for too long has already ended.
    await Promise.allSettled(known.map((open) => open.rollback()));
  }
}

const keyOf = (id: Uint8Array): string => Buffer.from(id).toString("hex");

const lost = (): SobreError =>
  new SobreError("GeneralError", "A message or an outcome came for a link that had ended, or was refused unread.");
