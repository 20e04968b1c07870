import type { Delivery } from "../../core/engine/delivery.ts";
import type { Clock } from "../../core/time/clock.ts";
import { type Deadline, Deadlines } from "../../core/time/deadlines.ts";
import { isRetryable } from "./attempts.ts";

/** The owner of a lock that is renewed. */
export interface RenewalTarget {
  /** Renews the lock; resolves to its new expiry. */
  renew(): Promise<Date>;
  /** Called once, when the lock is lost or renewal has failed permanently. */
  lost(error: unknown): void;
  /** Called when the maximum duration is reached, while half of the lock's time is left. */
  over?(): void;
}

/** Writes a lock's new expiry to its message, so that handlers and receivers see it. */
export function noteLock(message: Delivery, lockedUntilUtc: Date): Date {
  Reflect.set(message, "lockedUntilUtc", lockedUntilUtc);
  return lockedUntilUtc;
}

/** Assumed milliseconds left on a lock that has expired by the local clock: clocks differ. */
const assumedLock = 30_000;

/** A lock that is renewed until it is released or lost. */
export class KeptLock implements Deadline<KeptLock> {
  dueAt: number = Infinity;
  previous: KeptLock | undefined = undefined;
  next: KeptLock | undefined = undefined;
  readonly target: RenewalTarget;
  /** When renewal stops. */
  readonly giveUpAt: number;
  readonly #locks: Deadlines<KeptLock>;

  constructor(locks: Deadlines<KeptLock>, target: RenewalTarget, giveUpAt: number) {
    this.#locks = locks;
    this.target = target;
    this.giveUpAt = giveUpAt;
  }

  /** Stops renewing it. */
  release(): void {
    this.#locks.remove(this);
  }
}

/** Renews locks when half of their time has passed, until they are released or reach the maximum duration. */
export class LockRenewal {
  readonly #clock: Clock;
  readonly #maximum: number;
  readonly #locks: Deadlines<KeptLock>;

  /** @param maximum Milliseconds for which a lock is renewed; 0 disables renewal. */
  constructor(clock: Clock, maximum: number) {
    this.#clock = clock;
    this.#maximum = maximum;
    this.#locks = new Deadlines(clock, (lock, now) => this.#due(lock, now));
  }

  /** Starts renewing a lock that expires at `lockedUntilUtc`, unless renewal is disabled. */
  keep(lockedUntilUtc: Date | undefined, target: RenewalTarget): KeptLock | undefined {
    if (this.#maximum === 0 || lockedUntilUtc === undefined) return undefined;
    const now = this.#clock.now();
    const lock = new KeptLock(this.#locks, target, now + this.#maximum);
    this.#locks.add(lock, halfway(lockedUntilUtc, now));
    return lock;
  }

  /** Stops renewing all locks. */
  stop(): void {
    this.#locks.clear();
  }

  #due(lock: KeptLock, now: number): void {
    if (lock.giveUpAt <= now) lock.target.over?.();
    else void this.#renew(lock);
  }

  async #renew(lock: KeptLock): Promise<void> {
    // Kept with the others, so that it can be released in the meantime.
    this.#locks.add(lock, Infinity);
    try {
      const until = await lock.target.renew();
      if (this.#locks.remove(lock)) this.#locks.add(lock, halfway(until, this.#clock.now()));
    } catch (error) {
      if (!this.#locks.remove(lock)) return;
      if (isRetryable(error)) this.#locks.add(lock, this.#clock.now() + 1_000);
      else lock.target.lost(error);
    }
  }
}

function halfway(lockedUntilUtc: Date, now: number): number {
  const left = lockedUntilUtc.getTime() - now;
  return now + (left > 0 ? left : assumedLock) / 2;
}
