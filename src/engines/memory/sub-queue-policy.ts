import { subQueueSuffix } from "../../engine/address.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { Numbering } from "./message-log.ts";
import type { Meter, QueuePolicy } from "./queue-policy.ts";
import type { Part } from "./store.ts";

type SubQueuePart = Exclude<Part, "messages">;

const suffixes: Readonly<Record<SubQueuePart, string>> = {
  deadLetters: subQueueSuffix.deadLetter,
  transferDeadLetters: subQueueSuffix.transferDeadLetter,
};

/** A sub-queue locks as long as its entity does; nothing expires, is dead-lettered or waits for its time there. */
export class SubQueuePolicy implements QueuePolicy {
  readonly address: string;
  readonly maxDeliveryCount: number = Infinity;
  readonly requiresSession: boolean = false;
  readonly canDeadLetter: boolean = false;
  readonly keepsExpired: boolean = false;
  readonly numbering: Numbering;
  readonly meter: Meter;
  readonly part: SubQueuePart;
  readonly #entity: Pick<QueuePolicy, "lockDuration" | "facts">;

  constructor(
    entity: Pick<QueuePolicy, "address" | "lockDuration" | "meter" | "numbering" | "facts">,
    part: SubQueuePart,
  ) {
    this.#entity = entity;
    this.meter = entity.meter;
    this.numbering = { partitioned: false, first: entity.numbering.first };
    this.part = part;
    this.address = `${entity.address}${suffixes[part]}`;
  }

  get facts(): EntityFacts | undefined {
    return this.#entity.facts;
  }

  get lockDuration(): number {
    return this.#entity.lockDuration;
  }

  deadLetter(): void {}
  expired(): void {}
  activated(): void {}
}
