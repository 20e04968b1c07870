import type { MessageId } from "../../envelope/broker-properties.ts";
import { duplicateKey } from "../../broker/duplicate-key.ts";
import type { EntityFacts } from "./entity-facts.ts";
import { besides, type Meter } from "./meter.ts";
import type { Due, Timeline } from "./timeline.ts";

/** How often in a window ids are forgotten at most: a sweep walks over what was forgotten before. */
const sweeps = 16;

/** The entity of {@link Duplicates}. */
export interface DuplicatesOwner {
  readonly timeline: Timeline;
  readonly facts: EntityFacts | undefined;
  readonly meter: Meter;
  readonly settings: { readonly duplicateDetectionHistoryTimeWindow: number };
}

/** The message ids seen within a window of time. A duplicate does not make the window longer. */
export class Duplicates implements Due {
  dueIndex = -1;
  readonly #owner: DuplicatesOwner;
  /** When each id was seen, oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(owner: DuplicatesOwner) {
    this.#owner = owner;
  }

  /** Says whether the id was seen within the window, and remembers it when not. */
  seen(messageId: MessageId, partitionKey: string | undefined, now: number): boolean {
    const key = duplicateKey(messageId, partitionKey);
    const before = this.#seen.get(key);
    if (before !== undefined && before + this.#window() > now) return true;
    this.restore(key, now);
    this.#owner.facts?.seen(key, now);
    return false;
  }

  /** Remembers what was seen, now or before a restart. */
  restore(key: string, at: number): void {
    if (!this.#seen.delete(key)) this.#owner.meter.memory.used += costOf(key);
    this.#seen.set(key, at);
    if (this.dueIndex === -1) this.#owner.timeline.schedule(this, at + this.#window());
  }

  /** Forgets what is out of the window; called by the timeline, not for every id. */
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

  /** Forgets everything, and looks at the time no more. */
  clear(): void {
    for (const key of this.#seen.keys()) this.#owner.meter.memory.used -= costOf(key);
    this.#seen.clear();
    this.#owner.timeline.cancel(this);
  }

  #window(): number {
    return this.#owner.settings.duplicateDetectionHistoryTimeWindow;
  }

  /** How many ids are remembered. */
  get size(): number {
    return this.#seen.size;
  }
}

/** Bytes that a remembered id takes. */
const costOf = (key: string): number => besides.seen + key.length * 2;
