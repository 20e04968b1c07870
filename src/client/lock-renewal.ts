import type { Delivery } from "../engine/delivery.ts";
import type { Clock, Timer } from "../time/clock.ts";
import { isRetryable } from "./retry.ts";

/** The owner of a lock that is kept. */
export interface RenewalTarget {
  /** Renews; resolves to the lock's new end. */
  renew(): Promise<Date>;
  /** Called once, when the lock is lost or renewing failed for good. */
  lost(error: unknown): void;
  /** Called when the maximum is reached, while half of the lock's time is left. */
  over?(): void;
}

/** Notes the new end of a lock on its message, so that handlers and receivers see it. */
export function noteLock(message: Delivery, lockedUntilUtc: Date): Date {
  Reflect.set(message, "lockedUntilUtc", lockedUntilUtc);
  return lockedUntilUtc;
}

interface Held {
  readonly target: RenewalTarget;
  /** When renewing stops. */
  readonly giveUpAt: number;
  dueAt: number;
}

/** Milliseconds assumed of a lock that has ended by this machine's clock: clocks differ. */
const assumedLock = 30_000;

/**
 * Keeps locks alive: each is renewed when half of its time is over, until it is released or its maximum is reached.
 *
 * One timer serves all, so that a message that is handled quickly costs none.
 */
export class LockRenewal {
  readonly #clock: Clock;
  readonly #maximum: number;
  readonly #held = new Map<unknown, Held>();
  #timer: Timer | undefined;
  #timerAt = Infinity;

  /** @param maximum Milliseconds for which a lock is kept; 0 renews nothing. */
  constructor(clock: Clock, maximum: number) {
    this.#clock = clock;
    this.#maximum = maximum;
  }

  /** Begins to keep the lock of `owner`, which ends at `lockedUntilUtc`. */
  keep(owner: unknown, lockedUntilUtc: Date | undefined, target: RenewalTarget): void {
    if (this.#maximum === 0 || lockedUntilUtc === undefined) return;
    const now = this.#clock.now();
    const held: Held = { target, giveUpAt: now + this.#maximum, dueAt: this.#halfway(lockedUntilUtc, now) };
    this.#held.set(owner, held);
    this.#arm(held.dueAt);
  }

  /** Stops keeping the lock of `owner`. */
  release(owner: unknown): void {
    this.#held.delete(owner);
  }

  /** Stops keeping any. */
  stop(): void {
    this.#held.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  #halfway(lockedUntilUtc: Date, now: number): number {
    const left = lockedUntilUtc.getTime() - now;
    return now + (left > 0 ? left : assumedLock) / 2;
  }

  #arm(at: number): void {
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.setTimer(at, () => this.#due());
  }

  #due(): void {
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const now = this.#clock.now();
    for (const [owner, held] of this.#held) {
      if (held.giveUpAt <= now) {
        this.#held.delete(owner);
        held.target.over?.();
      } else if (held.dueAt <= now) void this.#renew(owner, held);
      else this.#arm(held.dueAt);
    }
  }

  async #renew(owner: unknown, held: Held): Promise<void> {
    held.dueAt = Infinity;
    try {
      const until = await held.target.renew();
      held.dueAt = this.#halfway(until, this.#clock.now());
    } catch (error) {
      if (this.#held.get(owner) !== held) return;
      if (!isRetryable(error)) {
        this.#held.delete(owner);
        held.target.lost(error);
        return;
      }
      held.dueAt = this.#clock.now() + 1_000;
    }
    if (this.#held.get(owner) === held) this.#arm(held.dueAt);
  }
}
