import type { MaybePromise } from "../../core/message/schema.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { duration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";

/** The answer to a claim. `held`: another owner handles the message. */
export type InboxAnswer = "claimed" | "handled" | "held";

/**
 * Remembers which messages were handled, and who handles one now: the store of `idempotent`.
 *
 * Every method is one atomic act. Time is that of the store, so processes whose clocks differ agree. Handlers that do
 * different work need separate inboxes or keys. `inboxSuite` of `sobre/inbox` checks an implementation.
 */
export interface Inbox<Transaction = never> {
  /** Milliseconds for which a handled message is remembered, at least. */
  readonly retentionInMs: number;
  /**
   * Claims a message for an owner, for a duration: unless it was handled, or another owner has a claim that is not
   * over.
   */
  claim(key: string, owner: string, durationInMs: number): MaybePromise<InboxAnswer>;
  /** Makes a claim last for the duration from now on; resolves to false when the owner has lost it. */
  renew(key: string, owner: string, durationInMs: number): MaybePromise<boolean>;
  /**
   * Turns a claim into the memory of a handled message, when the caller's transaction commits, if there is one; resolves
   * to false, without an effect, when the owner has lost the claim.
   */
  complete(key: string, owner: string, transaction?: Transaction): MaybePromise<boolean>;
  /** Gives up a claim; without an effect when the owner has lost it. */
  release(key: string, owner: string): MaybePromise<void>;
}

/** Options of {@link memoryInbox}. */
export interface MemoryInboxOptions {
  /** How long a handled message is remembered. Default: 1 hour. */
  readonly retention?: DurationLike | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const memoryInboxChecks: OptionChecks<MemoryInboxOptions> = {
  retention: duration,
  clock: is.clock,
};

/** A claim, or with no owner the memory of a handled message. */
interface Entry {
  readonly owner: string | undefined;
  readonly until: number;
}

/**
 * An inbox in memory, for one process: a restart forgets everything.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const inbox = memoryInbox({ retention: "1m" });
 * console.log(await inbox.claim("order-7", "me", 5_000), await inbox.claim("order-7", "you", 5_000)); // claimed held
 * ```
 */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  checkOptions(options, memoryInboxChecks);
  const { retention = 3_600_000, clock = systemClock } = options;
  const retentionInMs = toMilliseconds(retention, "retention");
  const claims = new Map<string, Entry>();
  /** Oldest first, since all are remembered for as long. */
  const handled = new Map<string, number>();
  const forget = (): void => {
    const now = clock.now();
    for (const [key, until] of handled) {
      if (until > now) return;
      handled.delete(key);
    }
  };
  const owns = (key: string, owner: string): boolean => claims.get(key)?.owner === owner;
  return {
    retentionInMs,
    claim(key, owner, durationInMs) {
      forget();
      if (handled.has(key)) return "handled";
      const now = clock.now();
      const other = claims.get(key);
      if (other !== undefined && other.until > now && other.owner !== owner) return "held";
      claims.set(key, { owner, until: now + durationInMs });
      return "claimed";
    },
    renew(key, owner, durationInMs) {
      if (owns(key, owner)) claims.set(key, { owner, until: clock.now() + durationInMs });
      return owns(key, owner);
    },
    complete(key, owner) {
      if (!owns(key, owner)) return false;
      claims.delete(key);
      handled.set(key, clock.now() + retentionInMs);
      return true;
    },
    release(key, owner) {
      if (owns(key, owner)) claims.delete(key);
    },
  };
}
