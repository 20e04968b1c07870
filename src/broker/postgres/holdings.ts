import type { LockToken } from "../../core/engine/delivery.ts";
import type { Lane } from "./entities.ts";

/** Number of recorded locks at which expired ones are first purged. */
const roomAtFirst = 1024;

/** The message locks of a connection, to release when it closes. */
export class Holdings {
  readonly #held = new Map<LockToken, { readonly lane: Lane; readonly until: number }>();
  #room = roomAtFirst;

  took(lane: Lane, locks: readonly (readonly [token: LockToken, until: number])[], now: number): void {
    for (const [token, until] of locks) this.#held.set(token, { lane, until });
    if (this.#held.size < this.#room) return;
    for (const [token, { until }] of this.#held) if (until <= now) this.#held.delete(token);
    this.#room = Math.max(roomAtFirst, this.#held.size * 2);
  }

  settled(token: LockToken): void {
    this.#held.delete(token);
  }

  /** Removes and returns everything that is still held, by queue. */
  takeAll(now: number): Iterable<readonly [Lane, readonly LockToken[]]> {
    const byQueue = new Map<number, [Lane, LockToken[]]>();
    for (const [token, { lane, until }] of this.#held) {
      if (until <= now) continue;
      const known = byQueue.get(lane.queue);
      if (known === undefined) byQueue.set(lane.queue, [lane, [token]]);
      else known[1].push(token);
    }
    this.#held.clear();
    return byQueue.values();
  }
}
