import type { Due, Timeline } from "./timeline.ts";

/** An entity that may be deleted when nobody uses it. */
interface Idler {
  readonly settings: { readonly autoDeleteOnIdle: number };
  /** When it was used last, in milliseconds since 1970. */
  readonly usedAt: number;
  /** Whether somebody waits for its messages. */
  readonly awaited: boolean;
}

/** Deletes an entity that nobody has used for as long as its settings say. */
export class IdleWatch implements Due {
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

  /** Watches from a time on: now, or when the entity was used before a restart. */
  start(from: number): void {
    this.#timeline.schedule(this, from + this.#span);
  }

  /** Ends it: a deleted entity, with all that it held, is not kept until its idle time ends. */
  stop(): void {
    this.#timeline.cancel(this);
  }

  due(now: number): void {
    const idleAt = this.#idler.awaited ? now + this.#span : this.#idler.usedAt + this.#span;
    if (idleAt <= now) this.#onIdle();
    else this.#timeline.schedule(this, idleAt);
  }
}
