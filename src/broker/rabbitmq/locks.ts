import { type LockToken, lockToken } from "../../core/engine/delivery.ts";
import type { Clock, Timer } from "../../core/time/clock.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";
import type { Message } from "./driver.ts";
import type { BrokerQueue } from "./entities.ts";

/** A delivery that a receiver holds under a lock. */
export interface HeldMessage {
  readonly token: LockToken;
  readonly queue: BrokerQueue;
  readonly channel: DeliveryChannel;
  readonly message: Message;
  /** Deliveries that failed before this one. */
  readonly deliveryCount: number;
  /** The connection that holds it. */
  readonly owner: object;
  /** Milliseconds since 1970. */
  until: number;
}

/** The locks of a process: each is a delivery that is not acknowledged yet, and our own clock ends it. */
export class Locks {
  readonly #clock: Clock;
  readonly #expired: (held: HeldMessage) => void;
  readonly #held = new Map<string, HeldMessage>();
  #timer: Timer | undefined;
  #due = Infinity;

  /** @param expired Called for a lock that has run out, once it is no longer held. */
  constructor(clock: Clock, expired: (held: HeldMessage) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  add(held: Omit<HeldMessage, "token">): HeldMessage {
    const locked = { ...held, token: lockToken(crypto.randomUUID()) };
    this.#held.set(locked.token, locked);
    this.#arm(locked.until);
    return locked;
  }

  /** The message under a lock; `undefined` when the lock was lost. */
  find(token: LockToken): HeldMessage | undefined {
    const held = this.#held.get(String(token).toLowerCase());
    return held === undefined || !held.channel.isOpen || held.until <= this.#clock.now() ? undefined : held;
  }

  renew(held: HeldMessage, until: number): void {
    held.until = until;
    this.#arm(until);
  }

  /** Ends a lock without returning the message; whether it was held. */
  remove(held: HeldMessage): boolean {
    return this.#held.delete(held.token);
  }

  /** Holds a message again whose settlement failed. */
  restore(held: HeldMessage): void {
    if (!held.channel.isOpen) return;
    this.#held.set(held.token, held);
    this.#arm(held.until);
  }

  /** The messages that fit, oldest lock first. */
  filter(fits: (held: HeldMessage) => boolean): readonly HeldMessage[] {
    return [...this.#held.values()].filter(fits);
  }

  close(): void {
    this.#timer?.cancel();
    this.#held.clear();
  }

  #arm(until: number): void {
    if (until >= this.#due) return;
    this.#timer?.cancel();
    this.#due = until;
    this.#timer = this.#clock.setTimer(until, () => this.#sweep());
  }

  #sweep(): void {
    this.#due = Infinity;
    const now = this.#clock.now();
    let next = Infinity;
    for (const held of this.#held.values()) {
      if (held.until > now && held.channel.isOpen) next = Math.min(next, held.until);
      else {
        this.#held.delete(held.token);
        if (held.channel.isOpen) this.#expired(held);
      }
    }
    if (next < Infinity) this.#arm(next);
  }
}
