import type { Numbering } from "./message-log.ts";
import type { Meter, QueuePolicy } from "./queue-policy.ts";

/** A sub-queue locks as long as its entity does; nothing expires, is dead-lettered or waits for its time there. */
export class SubQueuePolicy implements QueuePolicy {
  readonly address: string;
  readonly maxDeliveryCount: number = Infinity;
  readonly requiresSession: boolean = false;
  readonly canDeadLetter: boolean = false;
  readonly numbering: Numbering = { partitioned: false, first: 1n };
  readonly meter: Meter;
  readonly #entity: Pick<QueuePolicy, "lockDuration">;

  constructor(entity: Pick<QueuePolicy, "address" | "lockDuration" | "meter">, suffix: string) {
    this.#entity = entity;
    this.meter = entity.meter;
    this.address = `${entity.address}${suffix}`;
  }

  get lockDuration(): number {
    return this.#entity.lockDuration;
  }

  deadLetter(): void {}
  expired(): void {}
  activated(): void {}
}
