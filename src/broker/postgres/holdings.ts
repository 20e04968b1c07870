import type { LockToken } from "../../core/engine/delivery.ts";
import type { TableQueue } from "./entities.ts";

/** Number of recorded locks at which expired ones are first purged. */
const roomAtFirst = 1024;

/** The message locks of a connection, to release when it closes. */
export class Holdings {
  readonly #held = new Map<LockToken, { readonly queue: TableQueue; readonly until: number }>();
  #room = roomAtFirst;

  took(queue: TableQueue, locks: readonly (readonly [token: LockToken, until: number])[], now: number): void {
    for (const [token, until] of locks) this.#held.set(token, { queue, until });
    if (this.#held.size < this.#room) return;
    for (const [token, { until }] of this.#held) if (until <= now) this.#held.delete(token);
    this.#room = Math.max(roomAtFirst, this.#held.size * 2);
  }

  settled(token: LockToken): void {
    this.#held.delete(token);
  }

  /** Removes and returns everything that is still held, by queue. */
  takeAll(now: number): Iterable<readonly [TableQueue, readonly LockToken[]]> {
    const byQueue = new Map<number, [TableQueue, LockToken[]]>();
    for (const [token, { queue, until }] of this.#held) {
      if (until <= now) continue;
      const known = byQueue.get(queue.number);
      if (known === undefined) byQueue.set(queue.number, [queue, [token]]);
      else known[1].push(token);
    }
    this.#held.clear();
    return byQueue.values();
  }
}
