import type { EntityFacts } from "./entity-facts.ts";
import { besides, type ContentMeter } from "./meter.ts";
import type { TimedEvent, Timeline } from "./timeline.ts";

/** Maximum number of sweeps per window: deleted entries of a `Map` still cost time when iterating. */
const sweeps = 16;

/** The entity of {@link Duplicates}. */
export interface DuplicatesOwner {
  readonly timeline: Timeline;
  readonly facts: EntityFacts | undefined;
  readonly meter: ContentMeter;
  readonly settings: { readonly duplicateDetectionHistoryTimeWindow: number };
}

/** The message ids seen within a time window. A duplicate does not extend the window. */
export class Duplicates implements TimedEvent {
  dueIndex = -1;
  readonly #owner: DuplicatesOwner;
  /** When each id was seen, oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(owner: DuplicatesOwner) {
    this.#owner = owner;
  }

  /** Whether the id with this key was seen within the window; records it if not. */
  seen(key: string, now: number): boolean {
    const before = this.#seen.get(key);
    if (before !== undefined && before + this.#window() > now) return true;
    this.restore(key, now);
    this.#owner.facts?.seen(key, now);
    return false;
  }

  /** Records an id that was seen, now or before a restart. */
  restore(key: string, at: number): void {
    if (!this.#seen.delete(key)) this.#owner.meter.memory.used += costOf(key);
    this.#seen.set(key, at);
    if (this.dueIndex === -1) this.#owner.timeline.schedule(this, at + this.#window());
  }

  /** Removes ids that have left the window; scheduled in batches, not per id. */
  due(now: number): void {
    const window = this.#window();
    if (this.#seen.size > 0) this.#owner.facts?.forgotten(now - window);
    for (const [key, at] of this.#seen) {
      if (at + window > now) {
        this.#owner.timeline.schedule(this, Math.max(at + window, now + window / sweeps));
        return;
      }
      this.#seen.delete(key);
      this.#owner.meter.memory.used -= costOf(key);
    }
  }

  /** Removes everything, and leaves the timeline. */
  clear(): void {
    for (const key of this.#seen.keys()) this.#owner.meter.memory.used -= costOf(key);
    this.#seen.clear();
    this.#owner.timeline.cancel(this);
  }

  #window(): number {
    return this.#owner.settings.duplicateDetectionHistoryTimeWindow;
  }

  /** The number of ids recorded. */
  get size(): number {
    return this.#seen.size;
  }
}

/** Bytes that a recorded id takes. */
const costOf = (key: string): number => besides.seen + key.length * 2;
