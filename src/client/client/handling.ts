import type { Delivery } from "../../core/engine/delivery.ts";
import type { Linked } from "../../core/time/linked-list.ts";
import { Hold } from "./hold.ts";
import type { RenewalTarget } from "./lock-renewal.ts";
import type { ReportError } from "./process-error.ts";
import type { LoopState } from "./processor-loops.ts";
import { take } from "./received-message.ts";
import type { SessionOrder } from "./session-order.ts";
import type { BoundVerbs, Settler, SettlingVerbs } from "./settling.ts";

/**
 * The second argument of a handler: settles the message, as a receiver does. The processor does not settle a message
 * that its handler has settled. After a rolled-back transaction, the message is redelivered when its lock expires.
 */
export interface MessageContext extends SettlingVerbs {
  /**
   * Aborted when a renewal finds that the lock is lost: another receiver may then handle the message. Not aborted when
   * the lock expires because its maximum renewal duration is over; settling then rejects. Also aborted when the
   * processor is closed and its `timeoutInMs` is over.
   */
  readonly abortSignal: AbortSignal;
}

interface HandlingPlace extends Pick<Handling, "settler" | "loop"> {
  readonly order?: SessionOrder | undefined;
}

/** One delivery that a processor handles. */
export class Handling extends Hold implements RenewalTarget, Linked<Handling> {
  previous: Handling | undefined = undefined;
  next: Handling | undefined = undefined;
  readonly settler: Settler;
  /** The loop that handles it. */
  readonly loop: LoopState;
  /** The order of its session. */
  readonly order: SessionOrder | undefined;
  /** The delivery; once the handler is called, the message passed to it. */
  message: Delivery;
  readonly #report: ReportError;
  #abort: AbortController | undefined;
  #lost: { readonly reason: unknown } | undefined;

  constructor(delivery: Delivery, { settler, loop, order }: HandlingPlace, report: ReportError) {
    super();
    this.message = delivery;
    this.settler = settler;
    this.loop = loop;
    this.order = order;
    this.#report = report;
  }

  /** Whether nothing is left to settle: the lock is lost, there is none, or settlement has begun. */
  get isOver(): boolean {
    return this.isSettled || this.#lost !== undefined || this.message.lockToken === undefined;
  }

  /** Continues with the message that is passed to the handler. */
  take(message: Delivery): void {
    this.message = message;
    take(message, this);
  }

  /** The handler's signal, created on first use. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#lost !== undefined) this.#abort.abort(this.#lost.reason);
    return this.#abort.signal;
  }

  /** Aborts the handler's signal. */
  loseLock(reason: unknown): void {
    this.#lost = { reason };
    this.#abort?.abort(reason);
  }

  /** Aborts the handler's signal and releases the message, unless it is settled. */
  async giveUp(reason: unknown): Promise<void> {
    const { isOver } = this;
    this.loseLock(reason);
    if (!isOver) await this.settler.settle(this.message, { kind: "release" });
  }

  renew(): Promise<Date> {
    return this.settler.renew(this.message);
  }

  lost(error: unknown): void {
    // A renewal that runs while the message is settled finds the lock gone, as expected.
    if (this.isOver) return;
    this.loseLock(error);
    void this.#report("renewLock", error, this.message.envelope);
  }
}

/** A handler's context. */
export class HandlerContext implements MessageContext {
  readonly completeMessage: BoundVerbs["completeMessage"];
  readonly abandonMessage: BoundVerbs["abandonMessage"];
  readonly deferMessage: BoundVerbs["deferMessage"];
  readonly deadLetterMessage: BoundVerbs["deadLetterMessage"];
  readonly renewMessageLock: BoundVerbs["renewMessageLock"];
  readonly #handling: Handling;

  constructor(verbs: BoundVerbs, handling: Handling) {
    this.completeMessage = verbs.completeMessage;
    this.abandonMessage = verbs.abandonMessage;
    this.deferMessage = verbs.deferMessage;
    this.deadLetterMessage = verbs.deadLetterMessage;
    this.renewMessageLock = verbs.renewMessageLock;
    this.#handling = handling;
  }

  get abortSignal(): AbortSignal {
    return this.#handling.signal;
  }
}
