import { partitionCount, partitionOfKey } from "../policy/partitions.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { SequenceLog } from "./sequence-log.ts";

/** Where an entity's sequence numbers start. */
export interface Numbering {
  readonly partitioned: boolean;
  /** The first number of every partition; 1, as on Azure. */
  readonly first: bigint;
}

/** The messages of a queue in sequence-number order, across its partitions. */
export class MessageLog {
  readonly #logs: readonly SequenceLog<QueuedMessage>[];
  #turn = 0;

  constructor({ partitioned, first }: Numbering) {
    const count = partitioned ? partitionCount : 1;
    this.#logs = Array.from(
      { length: count },
      (_, partition) => new SequenceLog<QueuedMessage>({ first, bits: partitioned ? 48 : 64, partition }),
    );
  }

  /** Stores the message under the next number of its key's partition; without a key, partitions take turns. */
  append(message: QueuedMessage, key: string | undefined): void {
    message.partition = this.partitionOf(key);
    this.partition(message.partition).append(message);
  }

  /** Stores the message under a number from {@link skip}. */
  place(message: QueuedMessage, sequenceNumber: bigint): void {
    message.partition = this.#partitionIn(sequenceNumber);
    const log = this.partition(message.partition);
    const ordinal = log.ordinalOf(sequenceNumber);
    if (ordinal === undefined) throw new RangeError(`The number ${sequenceNumber} was not given.`);
    log.place(message, ordinal);
  }

  /** Stores a message at its position from before a restart. */
  restore(message: QueuedMessage, partition: number, ordinal: number): void {
    message.partition = partition;
    const log = this.partition(partition);
    log.resume(ordinal + 1);
    log.place(message, ordinal);
  }

  /** Consumes the next number of a partition for a message that is not kept here. */
  skip(partition: number): bigint {
    const log = this.partition(partition);
    return log.numberOf(log.skip());
  }

  delete(message: QueuedMessage): void {
    this.partition(message.partition).delete(message.ordinal);
  }

  numberOf(message: Pick<QueuedMessage, "partition" | "ordinal">): bigint {
    return this.partition(message.partition).numberOf(message.ordinal);
  }

  find(sequenceNumber: bigint): QueuedMessage | undefined {
    return this.#logs[this.#partitionIn(sequenceNumber)]?.find(sequenceNumber);
  }

  /** The messages from a number on, in numeric order, partition by partition. */
  *from(sequenceNumber: bigint | undefined): Generator<QueuedMessage> {
    const first = sequenceNumber === undefined ? 0 : this.#partitionIn(sequenceNumber);
    for (let partition = first; partition < this.#logs.length; partition++) {
      const log = this.partition(partition);
      const begin = sequenceNumber === undefined || partition > first ? 0 : log.ordinalOf(sequenceNumber);
      if (begin !== undefined) yield* log.from(begin);
    }
  }

  #partitionIn(sequenceNumber: bigint): number {
    return this.#logs.length === 1 ? 0 : Number(BigInt.asUintN(64, sequenceNumber) >> 48n);
  }

  /** The partition of a key; without a key, partitions take turns. */
  partitionOf(key: string | undefined): number {
    if (this.#logs.length === 1) return 0;
    if (key === undefined) return this.#turn++ % partitionCount;
    return partitionOfKey(key);
  }

  /** The messages of one partition. */
  partition(partition: number): SequenceLog<QueuedMessage> {
    const log = this.#logs[partition];
    if (log === undefined) throw new RangeError(`There is no partition ${partition}.`);
    return log;
  }
}
