import type { MaybePromise } from "../../core/message/schema.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { Transaction } from "../../core/engine/engine.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";

/** A message to be relayed. */
export interface OutgoingMessage {
  readonly entityPath: string;
  /** The message as AMQP bytes, with its message id. */
  readonly message: Uint8Array;
}

/** An {@link OutgoingMessage} of an outbox. */
export interface OutboxMessage extends OutgoingMessage {
  /** Ascends in the order of the messages of an outbox. */
  readonly id: bigint;
}

/**
 * Keeps messages that were sent in a transaction of the caller's until they are relayed: the store of `startOutbox`.
 *
 * Every method is one atomic act. Time is that of the store. `outboxSuite` checks an implementation.
 */
export interface OutboxStore<Tx> {
  /** Adds messages in order, when the caller's transaction commits. */
  add(messages: readonly OutgoingMessage[], transaction: Tx): MaybePromise<void>;
  /**
   * Takes up the transaction that is open on the caller's connection. The function that it returns is called instead of
   * {@link add}, and rejects once that transaction has ended, even if another one is open. Default: `add`.
   *
   * @throws SobreError `InvalidOperation` when no transaction is open.
   */
  join?(transaction: Tx): (messages: readonly OutgoingMessage[]) => MaybePromise<void>;
  /** Begins or ends a transaction on the caller's connection. Default: `inTransaction` is refused. */
  control?(transaction: Tx, act: "begin" | "commit" | "rollback"): MaybePromise<void>;
  /**
   * Makes the owner the only one that relays until the duration is over, or for longer; resolves to false while another
   * is.
   */
  lead(owner: string, durationInMs: number): MaybePromise<boolean>;
  /** Ends the owner's lead. */
  resign(owner: string): MaybePromise<void>;
  /** The oldest committed messages, in order, except those for these entities. */
  read(maxMessages: number, except: readonly string[]): MaybePromise<readonly OutboxMessage[]>;
  /** Removes relayed messages; resolves to false, and removes nothing, when the owner does not lead any more. */
  remove(owner: string, ids: readonly bigint[]): MaybePromise<boolean>;
}

/** Options of {@link memoryOutbox}. */
export interface MemoryOutboxOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const memoryOutboxChecks: OptionChecks<MemoryOutboxOptions> = {
  clock: is.clock,
};

/** A transaction of a {@link MemoryOutbox}. */
export class MemoryTransaction implements Transaction {
  readonly #add: (messages: readonly OutgoingMessage[]) => void;
  #messages: OutgoingMessage[] | undefined = [];

  constructor(add: (messages: readonly OutgoingMessage[]) => void) {
    this.#add = add;
  }

  /** Adds messages that the commit makes visible. */
  keep(messages: readonly OutgoingMessage[]): void {
    if (this.#messages === undefined) throw invalidOperation("The transaction has ended. Begin another.");
    this.#messages.push(...messages);
  }

  async commit(): Promise<void> {
    const messages = this.#messages ?? [];
    this.#messages = undefined;
    this.#add(messages);
  }

  async rollback(): Promise<void> {
    this.#messages = undefined;
  }
}

/** An outbox in memory, with transactions of its own. */
export interface MemoryOutbox extends OutboxStore<MemoryTransaction> {
  begin(): MemoryTransaction;
}

/**
 * An outbox in memory, for tests: a restart forgets everything.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function memoryOutbox(options: MemoryOutboxOptions = {}): MemoryOutbox {
  checkOptions(options, memoryOutboxChecks);
  const { clock = systemClock } = options;
  let messages: readonly OutboxMessage[] = [];
  let lastId = 0n;
  let leader: { readonly owner: string; readonly until: number } | undefined;
  return {
    begin: () =>
      new MemoryTransaction((added) => {
        messages = [...messages, ...added.map((message) => ({ ...message, id: ++lastId }))];
      }),
    add: (added, transaction) => transaction.keep(added),
    // A transaction in memory has begun when it is made.
    control: (transaction, act) => (act === "begin" ? undefined : transaction[act]()),
    lead(owner, durationInMs) {
      const now = clock.now();
      if (leader !== undefined && leader.owner !== owner && leader.until > now) return false;
      leader = { owner, until: now + durationInMs };
      return true;
    },
    resign(owner) {
      if (leader?.owner === owner) leader = undefined;
    },
    read: (maxMessages, except) =>
      messages.filter(({ entityPath }) => !except.includes(entityPath)).slice(0, maxMessages),
    remove(owner, ids) {
      if (leader?.owner !== owner) return false;
      messages = messages.filter(({ id }) => !ids.includes(id));
      return true;
    },
  };
}
