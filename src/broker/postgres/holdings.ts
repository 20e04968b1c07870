import type { Delivery, LockToken } from "../../core/engine/delivery.ts";
import type { TableQueue } from "./entities.ts";
import { markOf, readToken } from "./messages.ts";

type Locked = Pick<Delivery, "lockToken" | "lockedUntilUtc">;

/** Number of recorded locks at which expired ones are first purged. */
const roomAtFirst = 1024;

/** The message locks of a connection, to release when it closes. */
export class Holdings {
  readonly #held = new Map<LockToken, { readonly queue: TableQueue; readonly until: number }>();
  /** The locks whose messages a transaction settles, or has settled before a rollback. */
  readonly #settledIn = new Set<LockToken>();
  #room = roomAtFirst;

  /** Records the locks of deliveries. */
  took(queue: TableQueue, deliveries: readonly Locked[], now: number): void {
    for (const { lockToken, lockedUntilUtc } of deliveries)
      if (lockToken !== undefined && lockedUntilUtc !== undefined)
        this.#held.set(lockToken, { queue, until: lockedUntilUtc.getTime() });
    if (this.#held.size < this.#room) return;
    for (const [token, { until }] of this.#held) if (until <= now) this.settled(token);
    this.#room = Math.max(roomAtFirst, this.#held.size * 2);
  }

  settled(token: LockToken): void {
    this.#held.delete(token);
    this.#settledIn.delete(token);
  }

  /** Notes that a transaction settles the message; returns whether that is new. */
  settlesIn(token: LockToken): boolean {
    if (!this.#held.has(token) || this.#settledIn.has(token)) return false;
    this.#settledIn.add(token);
    return true;
  }

  /** Takes back that a transaction settles the message. */
  settlesNot(token: LockToken): void {
    this.#settledIn.delete(token);
  }

  /** The positions of the messages under these locks that a transaction has settled. */
  settledAmong(tokens: readonly LockToken[]): ReadonlySet<bigint> {
    const settled = new Set<bigint>();
    for (const token of tokens) {
      const seq = readToken(token)?.seq;
      if (seq === undefined) continue;
      // Of two locks of one message, the later is held.
      if (this.#settledIn.has(token)) settled.add(seq);
      else settled.delete(seq);
    }
    return settled;
  }

  /** The positions of the messages under the lock of a session that a transaction has settled. */
  settledInSession(mark: bigint): ReadonlySet<bigint> {
    const held = Array.from(this.#settledIn, readToken);
    return new Set(held.flatMap((lock) => (lock !== undefined && markOf(lock.token) === mark ? [lock.seq] : [])));
  }

  /** Everything that may still be held, by queue. */
  byQueue(now: number): Iterable<readonly [TableQueue, readonly LockToken[]]> {
    const byQueue = new Map<number, [TableQueue, LockToken[]]>();
    for (const [token, { queue, until }] of this.#held) {
      if (until <= now) continue;
      const known = byQueue.get(queue.number);
      if (known === undefined) byQueue.set(queue.number, [queue, [token]]);
      else known[1].push(token);
    }
    return byQueue.values();
  }
}
