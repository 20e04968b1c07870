import type { LockToken } from "../../core/engine/delivery.ts";
import { systemClock, type Timer } from "../../core/time/clock.ts";
import { Arrivals } from "./arrivals.ts";
import type { DatabaseSession } from "./database.ts";
import { textOfColumn } from "./rows.ts";

/** Milliseconds until the first look at a transaction; each further wait is twice as long, up to the longest. */
const firstLook = 4;
const maxWait = 500;

/** The changes of a transaction of the caller. */
export interface FollowedWork {
  /** The queues that have received messages, or have some back after a rollback. */
  readonly arrivals: Arrivals;
  /** The locks of the messages that it settles. */
  readonly tokens: readonly LockToken[];
}

/** The callers' own transactions, whose ends nobody announces: the database is asked whether they are over. */
export class Followed {
  readonly #session: DatabaseSession;
  readonly #onEnd: (arrivals: Arrivals) => void;
  readonly #open = new Map<string, FollowedWork[]>();
  readonly #tokens = new Set<LockToken>();
  #wait = firstLook;
  #timer: Timer | undefined;
  #closed = false;

  /** @param onEnd Called after the end of a transaction with the queues that it has changed. */
  constructor(session: DatabaseSession, onEnd: (arrivals: Arrivals) => void) {
    this.#session = session;
    this.#onEnd = onEnd;
  }

  add(xid: string, work: FollowedWork): void {
    const known = this.#open.get(xid);
    if (known === undefined) this.#open.set(xid, [work]);
    else known.push(work);
    for (const token of work.tokens) this.#tokens.add(token);
    this.#wait = firstLook;
    this.#lookLater();
  }

  settles(token: LockToken): boolean {
    return this.#tokens.has(token);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #lookLater(): void {
    if (this.#closed || this.#timer !== undefined || this.#open.size === 0) return;
    this.#timer = systemClock.setTimer(Date.now() + this.#wait, () => void this.#look());
    this.#wait = Math.min(this.#wait * 2, maxWait);
  }

  async #look(): Promise<void> {
    try {
      const rows = await this.#session.query(
        "select xid from unnest($1::text[]) as t(xid) where pg_xact_status(xid::xid8) is distinct from 'in progress'",
        [[...this.#open.keys()]],
      );
      for (const row of rows) this.#end(textOfColumn(row, "xid"));
    } catch {
      // The next look may find the database again.
    }
    this.#timer = undefined;
    this.#lookLater();
  }

  #end(xid: string): void {
    const arrivals = new Arrivals();
    for (const work of this.#open.get(xid) ?? []) {
      arrivals.addAll(work.arrivals);
      for (const token of work.tokens) this.#tokens.delete(token);
    }
    this.#open.delete(xid);
    if (!this.#closed) this.#onEnd(arrivals);
  }
}
