import type { Transaction } from "../../../core/engine/engine.ts";
import { wireErrorOf, WireFault } from "../../../wire/amqp/connection/wire-fault.ts";
import type { ReadSigns } from "./read-signs.ts";

/** A link whose messages keep the order of their commits. */
export interface CommittingLink {
  /** Resolves when the last commit with messages of the link is over; `undefined` while none is on its way. */
  committed: Promise<void> | undefined;
}

/**
 * A transaction of a client, with the work that has come for it.
 *
 * Frames of a connection are ordered, so what comes before the discharge belongs to it (AMQP 1.0 part 4.3): the discharge
 * waits for it. After a failure the transaction is rolled back, unless the client is known to have read of it before
 * it sent the discharge: then the rejection is the outcome that the commit is expected to have (part 4.4.1).
 */
export class ClientTransaction {
  readonly transaction: Transaction;
  readonly #signs: ReadSigns;
  /** The first failure. */
  #failure: unknown;
  /** The number of failures, of those reported to the client, and of those that it has read of. */
  readonly #failures = { all: 0, reported: 0, read: 0 };
  /** Called when the client has read of the failures reported so far; set while a sign of that is due. */
  #read: (() => void) | undefined;
  /** The links that have sent in it. */
  readonly #links = new Set<CommittingLink>();
  #pending = 0;
  #isDischarged = false;
  #ended: (() => void) | undefined;

  constructor(transaction: Transaction, signs: ReadSigns) {
    this.transaction = transaction;
    this.#signs = signs;
  }

  /** Work has come, by this link if it is a message. */
  workBegan(link: CommittingLink | undefined): void {
    this.#pending++;
    if (link !== undefined) this.#links.add(link);
  }

  /** Work is over; {@link fail} was called before if it failed. */
  workEnded(): void {
    if (--this.#pending === 0) this.#ended?.();
  }

  /** Notes that work failed. */
  fail(error: unknown): void {
    if (this.#failures.all++ === 0) this.#failure = error;
  }

  /** Notes that a failure was reported to the client. */
  failureReported(): void {
    this.#failures.reported++;
    if (this.#read === undefined && !this.#isDischarged) this.#askWhetherRead();
  }

  /** @throws WireFault `amqp:transaction:rollback`, or the engine's refusal. */
  async commit(): Promise<void> {
    const links = [...this.#links];
    const before = links.flatMap(({ committed }) => committed ?? []);
    const own = Promise.withResolvers<void>();
    for (const link of links) link.committed = own.promise;
    try {
      await this.#workEnded();
      await Promise.all(before);
      await this.#commitNow();
    } finally {
      for (const link of links) if (link.committed === own.promise) link.committed = undefined;
      own.resolve();
    }
  }

  async #commitNow(): Promise<void> {
    if (this.#failures.all === this.#failures.read) return this.transaction.commit();
    // One that was open for too long has already ended.
    await this.transaction.rollback().catch(() => undefined);
    const { description = "" } = wireErrorOf(this.#failure);
    throw new WireFault(
      "amqp:transaction:rollback",
      `The transaction was rolled back, since work in it failed: ${description}`,
    );
  }

  async rollback(): Promise<void> {
    await this.#workEnded();
    await this.transaction.rollback();
  }

  async #workEnded(): Promise<void> {
    // Whatever the client reads from here on came too late for its decision.
    this.#isDischarged = true;
    if (this.#read !== undefined) this.#signs.cancel(this.#read);
    if (this.#pending > 0) await new Promise<void>((resolve) => (this.#ended = resolve));
  }

  #askWhetherRead(): void {
    const { reported } = this.#failures;
    this.#read = () => {
      this.#read = undefined;
      this.#failures.read = reported;
      if (this.#failures.reported > reported) this.#askWhetherRead();
    };
    this.#signs.ask(this.#read);
  }
}
