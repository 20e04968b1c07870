import type { TimedEvent, Timeline } from "./timeline.ts";

/** An entity that may be deleted when idle. */
interface Idler {
  readonly settings: { readonly autoDeleteOnIdle: number };
  /** When it was used last, in milliseconds since 1970. */
  readonly usedAt: number;
  /** Whether it is used now, as it is while anyone waits for its messages. */
  isInUse(): boolean;
}

/** Deletes an entity that has been idle for the time in its settings. */
export class IdleWatch implements TimedEvent {
  dueIndex = -1;
  readonly #timeline: Timeline;
  readonly #idler: Idler;
  readonly #onIdle: () => void;
  readonly #span: number;

  constructor(timeline: Timeline, idler: Idler, onIdle: () => void) {
    this.#timeline = timeline;
    this.#idler = idler;
    this.#onIdle = onIdle;
    this.#span = idler.settings.autoDeleteOnIdle;
  }

  /** Starts watching from a time: now, or when the entity was last used before a restart. */
  start(from: number): void {
    this.#timeline.schedule(this, from + this.#span);
  }

  /** Stops watching; otherwise a deleted entity would stay in memory until its idle time ends. */
  stop(): void {
    this.#timeline.cancel(this);
  }

  due(now: number): void {
    const idleAt = this.#idler.isInUse() ? now + this.#span : this.#idler.usedAt + this.#span;
    if (idleAt <= now) this.#onIdle();
    else this.#timeline.schedule(this, idleAt);
  }
}
