import { SobreError } from "../errors/sobre-error.ts";
import { asyncScope } from "./async-scope.ts";
import type { ClientParts } from "./client-parts.ts";

/** Receives and handles messages until it is closed. */
export interface Processor {
  readonly entityPath: string;
  /** Whether it receives: false once it is closed, or has ended with an error that cannot pass by itself. */
  readonly isRunning: boolean;
  /**
   * Stops receiving and resolves when the handlers that run have ended and their messages are settled.
   *
   * A handler, or `processError`, may await it: then it resolves when all others have ended, or wait for it too. (In a
   * browser, which cannot tell who asks, it would wait for itself.)
   */
  close(): Promise<void>;
}

/** Runs a loop of a processor, or one within another; resolves at its end. */
export type RunLoop = (body: () => Promise<void>) => Promise<void>;

/** What a processor runs. */
export interface ProcessorRun {
  readonly entityPath: string;
  readonly parts: ClientParts;
  /** Starts the loops; they end when the signal is aborted. */
  readonly start: (signal: AbortSignal, loop: RunLoop) => Promise<unknown>;
  /** Called when all loops have ended. */
  readonly ended: () => Promise<void>;
}

/** Starts the loops of a processor and knows when they have ended. */
export function runProcessor({ entityPath, parts, start, ended }: ProcessorRun): Processor {
  const stop = new AbortController();
  const loops = new Loops();
  let isRunning = true;
  const running = start(stop.signal, (body) => loops.run(body)).finally(async () => {
    isRunning = false;
    await ended();
    await parts.closed();
  });
  return {
    entityPath,
    get isRunning() {
      return isRunning && !stop.signal.aborted;
    },
    async close() {
      stop.abort();
      await (loops.othersEnded() ?? running);
    },
  };
}

/** What the loops of a processor have ended with: what ends several of them is told once. */
export class LoopEnds {
  readonly #told = new Set<string>();

  /** Whether none has ended with its code so far; texts of one cause may differ in tracking ids. */
  isNew(error: unknown): boolean {
    if (!(error instanceof SobreError)) return true;
    const isNew = !this.#told.has(error.code);
    this.#told.add(error.code);
    return isNew;
  }
}

/** One of the loops of a processor, or of the loops within one. */
class Loop {
  readonly #parent: Loop | undefined;
  #waiting = 0;

  constructor(parent: Loop | undefined) {
    this.#parent = parent;
  }

  /** Whether something inside waits for the others. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  wait(change: 1 | -1): void {
    this.#waiting += change;
    this.#parent?.wait(change);
  }
}

class Loops {
  readonly #alive = new Set<Loop>();
  #wake: (() => void)[] = [];

  async run(body: () => Promise<void>): Promise<void> {
    const loop = new Loop(this.#current());
    this.#alive.add(loop);
    try {
      await asyncScope.run(loop, body);
    } finally {
      this.#alive.delete(loop);
      this.#check();
    }
  }

  /** Resolves when nothing runs but what waits for this; `undefined` outside of the loops. */
  othersEnded(): Promise<void> | undefined {
    const own = this.#current();
    if (own === undefined) return undefined;
    own.wait(1);
    return new Promise<void>((resolve) => {
      this.#wake.push(() => {
        own.wait(-1);
        resolve();
      });
      this.#check();
    });
  }

  #current(): Loop | undefined {
    const store = asyncScope.getStore();
    return store instanceof Loop && this.#alive.has(store) ? store : undefined;
  }

  #check(): void {
    if (![...this.#alive].every(({ isWaiting }) => isWaiting)) return;
    const wake = this.#wake;
    this.#wake = [];
    for (const end of wake) end();
  }
}
