import type { LockToken } from "../../core/engine/delivery.ts";
import type { TableQueue } from "./entities.ts";
import type { Passed } from "./placement.ts";
import type { InQueue, Returning } from "./returns.ts";
import type { Routing } from "./routing.ts";

/** Carries out calls one after the other, in the order in which they were made. */
export class Turns {
  /** The last call; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  take<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every call so far has been answered. */
  async ended(): Promise<void> {
    await this.#last;
  }
}

/** Messages to send in a transaction. */
export interface PendingSend {
  /** The number of the entity that receives them. */
  readonly entity: number;
  /** Throws when the entity cannot accept them; returns their size in bytes. */
  readonly check: (routing: Routing, reserved: number) => Promise<number>;
  /** Sequence numbers to consume when it is added, which a rollback does not return. */
  readonly passed: readonly Passed[];
  readonly route: (routing: Routing, numbers: readonly bigint[]) => Promise<void>;
}

/** A settlement to carry out in a transaction. */
export interface PendingSettlement {
  readonly queue: TableQueue;
  readonly token: LockToken;
  /** Whether receivers may get the message again. */
  readonly returns: boolean;
  /** Checks the settlement as far as possible without carrying it out. */
  readonly check: (within: InQueue) => Promise<void>;
  /** Fails when the lock is lost. */
  readonly apply: (returning: Returning) => Promise<void>;
}

/** A transaction as the operations in it see it. */
export interface Enlisted {
  /** Carries out a call in it, after those that were made before: messages keep their order, and the end waits for it. */
  inTurn<T>(call: () => Promise<T>): Promise<T>;
  /**
   * Resolves to the sequence numbers consumed.
   *
   * @throws SobreError when the entity cannot accept the messages, or the transaction has ended.
   */
  addSend(send: PendingSend): Promise<readonly bigint[]>;
  /** @throws SobreError when the lock is lost, or the transaction has ended. */
  addSettlement(settlement: PendingSettlement): Promise<void>;
}
