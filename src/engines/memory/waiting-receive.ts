import type { Delivery } from "../../engine/delivery.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { Linked } from "../../time/linked-list.ts";
import type { Due } from "./timeline.ts";

/** The receiver of a {@link WaitingReceive}. */
export interface Waiter {
  /** Takes what is ready. */
  take(now: number): readonly Delivery[];
  /** Ends the wait with what was taken for it. */
  end(deliveries: readonly Delivery[]): void;
  refuse(error: SobreError): void;
}

/** A receive that waits for its first message. */
export class WaitingReceive implements Due, Linked<WaitingReceive> {
  dueIndex = -1;
  /** The receiver. */
  readonly owner: object;
  readonly waiter: Waiter;
  previous: WaitingReceive | undefined = undefined;
  next: WaitingReceive | undefined = undefined;

  constructor(owner: object, waiter: Waiter) {
    this.owner = owner;
    this.waiter = waiter;
  }

  due(): void {
    this.waiter.end([]);
  }
}
