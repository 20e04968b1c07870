import type { Delivery } from "../../engine/delivery.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { ReceiveLink } from "./receive-link.ts";
import type { Due } from "./timeline.ts";

/** A receive that waits for its first message. */
export class WaitingReceive implements Due {
  dueIndex = -1;
  readonly link: ReceiveLink;
  readonly maxMessages: number;
  /** Ends the wait with what was taken for it, and takes it off the list. */
  readonly end: (deliveries: readonly Delivery[]) => void;
  readonly refuse: (error: SobreError) => void;
  previous: WaitingReceive | undefined = undefined;
  next: WaitingReceive | undefined = undefined;
  listed = false;

  constructor(link: ReceiveLink, maxMessages: number, ends: Pick<WaitingReceive, "end" | "refuse">) {
    this.link = link;
    this.maxMessages = maxMessages;
    this.end = ends.end;
    this.refuse = ends.refuse;
  }

  due(): void {
    this.end([]);
  }
}

/** Receives in the order in which they began to wait. */
export class WaitingReceives implements Iterable<WaitingReceive> {
  #last: WaitingReceive | undefined;
  first: WaitingReceive | undefined;

  add(waiting: WaitingReceive): void {
    waiting.listed = true;
    waiting.previous = this.#last;
    if (this.#last === undefined) this.first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  /** Does nothing when it is no longer waiting. */
  remove(waiting: WaitingReceive): void {
    if (!waiting.listed) return;
    waiting.listed = false;
    if (waiting.previous === undefined) this.first = waiting.next;
    else waiting.previous.next = waiting.next;
    if (waiting.next === undefined) this.#last = waiting.previous;
    else waiting.next.previous = waiting.previous;
  }

  /** Those that wait; each may be removed while it is looked at. */
  *[Symbol.iterator](): Generator<WaitingReceive> {
    for (let waiting = this.first; waiting !== undefined;) {
      const next: WaitingReceive | undefined = waiting.next;
      yield waiting;
      waiting = next;
    }
  }
}
