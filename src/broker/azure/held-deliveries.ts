import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { Disposition } from "../../wire/amqp/connection/performative.ts";
import { UnsettledDeliveries } from "../../wire/amqp/connection/unsettled-deliveries.ts";
import type { LockToken } from "../../core/engine/delivery.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { type Deadline, Deadlines } from "../../core/time/deadlines.ts";
import { brokerError } from "./broker-errors.ts";
import { late, type Timing } from "./timing.ts";

/** The link that received a message. */
export interface SettlingLink {
  /** Whether it receives from this entity. */
  isOf(entity: string): boolean;
  settle(held: HeldDelivery, state: DeliveryState): Promise<void>;
}

/** A locked message and its unconfirmed settlement. */
export class HeldDelivery implements Deadline<HeldDelivery> {
  readonly link: SettlingLink;
  readonly id: number;
  readonly token: LockToken;
  dueAt: number = Infinity;
  previous: HeldDelivery | undefined = undefined;
  next: HeldDelivery | undefined = undefined;
  /** Set while it is being settled; cleared afterwards, so that nothing that waited is kept alive. */
  #settling: PromiseWithResolvers<void> | undefined;

  constructor(link: SettlingLink, id: number, token: LockToken) {
    this.link = link;
    this.id = id;
    this.token = token;
  }

  /** Starts its settlement; resolves when that is confirmed. */
  settled(): Promise<void> {
    this.#settling = Promise.withResolvers();
    return this.#settling.promise;
  }

  confirm(): void {
    this.#settling?.resolve();
    this.#settling = undefined;
  }

  refuse(error: SobreError): void {
    this.#settling?.reject(error);
    this.#settling = undefined;
  }
}

/** The locked messages of a link, from delivery until the broker has confirmed their settlement. */
export class HeldDeliveries {
  readonly #locks: Map<LockToken, HeldDelivery>;
  readonly #timing: Timing;
  readonly #all = new UnsettledDeliveries<HeldDelivery>();
  /** The deliveries that are being settled. */
  readonly #settling: Deadlines<HeldDelivery>;

  /** @param locks The deliveries of all links of the connection that can still be settled, by their tokens. */
  constructor(locks: Map<LockToken, HeldDelivery>, timing: Timing) {
    this.#locks = locks;
    this.#timing = timing;
    this.#settling = new Deadlines(timing.clock, (held) => {
      this.#all.delete(held.id);
      held.refuse(late("a settlement", timing.answer));
    });
  }

  add(held: HeldDelivery): void {
    this.#all.add(held);
    this.#locks.set(held.token, held);
  }

  /** Starts waiting for the broker's answer to a settlement. */
  settle(held: HeldDelivery): Promise<void> {
    const { clock, answer } = this.#timing;
    this.#locks.delete(held.token);
    this.#settling.add(held, clock.now() + answer);
    return held.settled();
  }

  /** Handles the broker's answer. */
  confirmed({ first, last, state }: Disposition): void {
    const outcome = state?.kind === "transactional" ? state.outcome : state;
    this.#all.visit(first, last, (held) => {
      this.#all.delete(held.id);
      if (!this.#settling.remove(held)) return;
      // Some brokers answer a dead letter with the outcome that asked for it.
      if (outcome?.kind === "rejected" && outcome.error !== undefined && !isDeadLetter(outcome.error.condition))
        held.refuse(brokerError(outcome.error));
      else held.confirm();
    });
  }

  /** Called when the link has ended: it can no longer settle messages. */
  end(error: SobreError): void {
    for (const { token } of this.#all) this.#locks.delete(token);
    for (const held of this.#settling) held.refuse(error);
    this.#settling.clear();
  }
}

const isDeadLetter = (condition: string): boolean => condition === "com.microsoft:dead-letter";
