import { createAsyncScope } from "../../core/host/node.ts";
import type { MessageId } from "../../core/envelope/broker-properties.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { inTime } from "../../core/time/pause.ts";
import type { ClientParts } from "./client-parts.ts";
import type { WatchedProcessor } from "./signals.ts";

/** Options of closing a client or a processor. */
export interface CloseOptions {
  /**
   * Milliseconds to wait for running handlers; releasing what they leave may take up to 2,000 more. Default: until they
   * end.
   */
  readonly timeoutInMs?: number | undefined;
}

/** A message that was not settled, and its handler still running, when the time to close was over. */
export interface LeftMessage {
  readonly entityPath: string;
  readonly messageId: MessageId | undefined;
  readonly sequenceNumber: bigint;
}

/** The result of closing. */
export interface CloseReport {
  /**
   * These messages were released without counting a delivery, or are redelivered when their locks expire; the
   * `abortSignal` of their handlers was aborted. In `receiveAndDelete`, nobody receives them again.
   */
  readonly left: readonly LeftMessage[];
}

/** The messages that a processor leaves when its time to close is over. */
export interface GivenUp extends CloseReport {
  /** Resolves when the broker has answered; never rejects. */
  readonly released: Promise<unknown>;
}

/** Milliseconds for releasing messages and closing a link: a broker that does not answer is not waited for longer. */
export const releaseTime = 1_000;

/** Checks of {@link CloseOptions}. */
export const closeChecks: OptionChecks<CloseOptions> = { timeoutInMs: is.milliseconds };

/** Receives and handles messages until closed. */
export interface Processor extends AsyncDisposable {
  readonly entityPath: string;
  /** Whether it is receiving: false once it is closed or has ended with an error that is not transient. */
  readonly isRunning: boolean;
  /** Whether it pauses by `pauseWhen`, or because a store or key service is unavailable; true until a message is handled. */
  readonly isPaused: boolean;
  /**
   * Stops receiving; resolves when running handlers have ended and their messages are settled.
   *
   * After `timeoutInMs` the `abortSignal` of handlers that still run is aborted, and their messages are released
   * without counting a delivery; it resolves to a list of them.
   *
   * A handler or `processError` may await it: it then resolves when all others have ended or are waiting for it too.
   * (Not in a browser, where the caller cannot be detected: there it would wait for itself.)
   */
  close(options?: CloseOptions): Promise<CloseReport>;
}

/** A loop of a processor, as its messages know it. */
export interface LoopState {
  /** Whether code inside it waits for the others, to close the processor. */
  readonly isWaiting: boolean;
}

/** Runs a loop of a processor, or one within another; resolves at its end. */
export type RunLoop = (body: (loop: LoopState) => Promise<void>) => Promise<void>;

/** The work of a processor. */
export interface ProcessorRun {
  readonly entityPath: string;
  readonly parts: ClientParts;
  /** Starts the loops; they end when the signal is aborted. */
  readonly start: (signal: AbortSignal, loop: RunLoop) => Promise<unknown>;
  readonly isPaused: () => boolean;
  /** The number of messages that are being handled. */
  readonly inFlight: () => number;
  /** The number of prefetched messages. */
  readonly buffered: () => number;
  readonly errors: LoopErrors;
  /** Aborts the handlers that run and releases their messages. */
  readonly giveUp: () => GivenUp;
  /** Called when all loops have ended, or are given up. */
  readonly ended: () => Promise<void>;
}

/** Starts the loops of a processor and tracks when they have ended. */
export function runProcessor(run: ProcessorRun): Processor {
  const { entityPath, parts, start, isPaused, giveUp, ended, errors } = run;
  const { signals } = parts;
  const stop = new AbortController();
  const loops = new Loops();
  let isRunning = true;
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= ended().then(() => parts.closed()));
  const watched: WatchedProcessor = {
    health: () => ({
      entityPath,
      status: isRunning ? (isPaused() ? "paused" : "running") : "ended",
      inFlight: run.inFlight(),
      buffered: run.buffered(),
      error: isRunning ? undefined : errors.fatal,
    }),
  };
  signals.watch(watched);
  const running = start(stop.signal, (body) => loops.run(body)).finally(async () => {
    isRunning = false;
    // One that has ended by itself is still listed, so that it is noticed.
    if (stop.signal.aborted) signals.processors.delete(watched);
    else signals.processorEnded(errors.fatal);
    await end();
  });
  const closeIn = async (timeoutInMs: number, all: Promise<unknown>, isWithin: boolean): Promise<CloseReport> => {
    const { clock } = parts;
    const allEnded = all.then(() => true);
    if (await inTime(clock, timeoutInMs, allEnded, false)) return nothingLeft;
    const { left, released } = giveUp();
    signals.processors.delete(watched);
    // Only handlers that close it are waited for: ending the source would take their locks.
    const allGiven = Promise.all([released, loops.waitersEnded()]).then(end);
    await inTime<unknown>(clock, releaseTime, isWithin ? released : allGiven, undefined);
    return { left };
  };
  return {
    entityPath,
    get isRunning() {
      return isRunning && !stop.signal.aborted;
    },
    get isPaused() {
      return this.isRunning && isPaused();
    },
    async close(closeOptions = {}) {
      checkOptions(closeOptions, closeChecks);
      const { timeoutInMs } = closeOptions;
      stop.abort();
      if (!isRunning) signals.processors.delete(watched);
      const others = loops.othersEnded();
      const all = others ?? running;
      if (timeoutInMs !== undefined) return closeIn(timeoutInMs, all, others !== undefined);
      await all;
      return nothingLeft;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

const nothingLeft: CloseReport = { left: [] };

/**
 * The errors that the loops of a processor have reported: a cause that fails all loops is reported once per attempt.
 */
export class LoopErrors {
  /** The error that ended a loop. */
  fatal: unknown;
  readonly #attempts = new Map<string, number>();

  /**
   * Whether no other loop has failed with this code in its `attempt`-th failure in a row. Messages are not compared:
   * their tracking ids may differ.
   */
  isNew(error: unknown, attempt: number): boolean {
    if (!(error instanceof SobreError)) return true;
    if ((this.#attempts.get(error.code) ?? 0) >= attempt) return false;
    this.#attempts.set(error.code, attempt);
    return true;
  }

  /** Called when a loop works again. */
  clear(): void {
    // An empty map is not cleared: each clear() allocates a new table.
    if (this.#attempts.size > 0) this.#attempts.clear();
  }
}

/** One of the loops of a processor, or a nested loop. */
class Loop implements LoopState {
  readonly ended: Promise<void>;
  readonly #parent: Loop | undefined;
  #end: () => void = () => undefined;
  #waiting = 0;

  constructor(parent: Loop | undefined) {
    this.#parent = parent;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(): void {
    this.#end();
  }

  /** Whether code inside it is waiting for the others. */
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

  async run(body: (loop: LoopState) => Promise<void>): Promise<void> {
    const loop = new Loop(this.#current());
    this.#alive.add(loop);
    try {
      await asyncScope.run(loop, () => body(loop));
    } finally {
      this.#alive.delete(loop);
      loop.end();
      this.#check();
    }
  }

  /** Resolves when the only loops still running are waiting for this; `undefined` when called outside the loops. */
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

  /** Lets those that wait go on, since the others are given up; resolves when they have ended. */
  async waitersEnded(): Promise<void> {
    const waiters = [...this.#alive].filter(({ isWaiting }) => isWaiting);
    this.#wakeAll();
    await Promise.all(waiters.map(({ ended }) => ended));
  }

  #current(): Loop | undefined {
    const store = asyncScope.getStore();
    return store instanceof Loop && this.#alive.has(store) ? store : undefined;
  }

  #check(): void {
    if ([...this.#alive].every(({ isWaiting }) => isWaiting)) this.#wakeAll();
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const end of wake) end();
  }
}

/** Identifies the loop that the running code was started from. */
const asyncScope = createAsyncScope();
