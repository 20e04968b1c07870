import type { KeptLock } from "./lock-renewal.ts";

/** A message in somebody's hands: whether it is settled, and who renews its lock. All that may settle the message share it. */
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
