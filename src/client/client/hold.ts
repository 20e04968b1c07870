import type { KeptLock } from "./lock-renewal.ts";

/**
 * A received message: whether it is settled, and the renewal of its lock. Shared by everything that may settle the
 * message.
 */
export class Hold {
  /** Whether a settlement is under way or done, by whichever receiver or handler. */
  isSettled: boolean = false;
  /** The lock, while it is renewed. */
  lock: KeptLock | undefined;

  /** Ends the renewal of the lock. */
  release(): void {
    this.lock?.release();
  }
}
