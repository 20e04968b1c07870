import type { Transaction } from "../../core/engine/engine.ts";
import { maxTransactionAge, type OpenTransaction } from "../policy/broker-verbs.ts";
import type { SendableEntity } from "../policy/entities.ts";
import { transactionOver } from "../policy/refusals.ts";
import type { EntityContents } from "./entity.ts";
import type { TimedEvent, Timeline } from "./timeline.ts";

/** Bytes that the operations of a transaction will take, by entity. */
class Reservations {
  readonly #bytes = new Map<object, number>();

  /** Adds the bytes that an operation needs in an entity, given those that others have reserved there. */
  reserve(entity: object, bytesOf: (reserved: number) => number): void {
    const reserved = this.#bytes.get(entity) ?? 0;
    this.#bytes.set(entity, reserved + bytesOf(reserved));
  }
}

/** A send or settlement that is pending in a transaction. */
export interface PendingOperation {
  begin?(transaction: MemoryEngineTransaction): void;
  /** Throws when it could not be applied now. */
  check(reservations: Reservations): void;
  /** Cannot fail after {@link check}. */
  apply(now: number): void;
  undo?(): void;
}

/** A send as an operation; its messages are in memory, and counted, from now on. */
export function sendOperation(
  entity: SendableEntity<EntityContents>,
  check: (reserved: number) => number,
  apply: (now: number) => void,
): PendingOperation {
  const { memory } = entity.meter;
  const cost = check(0);
  const drop = (): void => void (memory.used -= cost);
  return {
    begin: () => void (memory.used += cost),
    check(reservations) {
      // Otherwise, its own bytes would be counted twice.
      memory.used -= cost;
      try {
        reservations.reserve(entity, check);
      } finally {
        memory.used += cost;
      }
    },
    apply(now) {
      drop();
      apply(now);
    },
    undo: drop,
  };
}

/** Operations that are applied together or not at all. */
export class MemoryEngineTransaction implements OpenTransaction, TimedEvent {
  dueIndex = -1;
  readonly timeline: Timeline;
  readonly #onEnd: (transaction: Transaction) => void;
  readonly #operations: PendingOperation[] = [];
  #open = true;

  constructor(timeline: Timeline, onEnd: (transaction: Transaction) => void) {
    this.timeline = timeline;
    this.#onEnd = onEnd;
    timeline.schedule(this, timeline.now() + maxTransactionAge);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** @throws SobreError `InvalidOperation` when the transaction has ended. */
  add(operation: PendingOperation): void {
    this.#checkOpen();
    operation.begin?.(this);
    this.#operations.push(operation);
  }

  async commit(): Promise<void> {
    const now = this.timeline.now();
    this.#checkOpen();
    try {
      const reservations = new Reservations();
      for (const operation of this.#operations) operation.check(reservations);
    } catch (error) {
      this.undo();
      throw error;
    }
    this.#end();
    for (const operation of this.#operations) operation.apply(now);
  }

  async rollback(): Promise<void> {
    this.timeline.now();
    this.#checkOpen();
    this.undo();
  }

  /** Rolls back if it is still open. */
  undo(): void {
    if (!this.#open) return;
    this.#end();
    for (const operation of this.#operations) operation.undo?.();
  }

  due(): void {
    this.undo();
  }

  #end(): void {
    this.#open = false;
    this.timeline.cancel(this);
    this.#onEnd(this);
  }

  #checkOpen(): void {
    if (!this.#open) throw transactionOver();
  }
}
