import type { Clock } from "../../core/time/clock.ts";
import type { QueueState, Waiting } from "./queue-state.ts";

/** A wait for messages or a session. */
export interface PostgresWait<T> {
  readonly key: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly abortSignal?: AbortSignal | undefined;
  /** Tries once; `undefined` continues the wait. */
  attempt(): Promise<T | undefined>;
  /** Releases what an attempt took after the wait was abandoned. */
  giveUp(taken: T): Promise<void>;
}

/** A wait that can be abandoned. */
export interface PendingWait<T> {
  /** `undefined` on timeout, and when it was aborted or abandoned. */
  readonly outcome: Promise<T | undefined>;
  /** Abandons the wait, with an error if given. */
  end(error?: unknown): void;
}

/** Waits until an attempt succeeds. On abort, the result of an attempt in progress is kept. */
export function startWait<T>(queue: QueueState, wait: PostgresWait<T>): PendingWait<T> {
  const { key, clock, deadline, abortSignal } = wait;
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  let isTrying = false;
  let stops = false;
  let givenUp = false;
  let failure: { readonly error: unknown } | undefined;
  const finish = (value: T | undefined): void => {
    timer.cancel();
    abortSignal?.removeEventListener("abort", stop);
    queue.delete(waiting);
    if (failure === undefined) resolve(value);
    else reject(failure.error);
  };
  const stop = (): void => {
    stops = true;
    if (!isTrying) finish(undefined);
  };
  const waiting: Waiting = {
    key,
    async attempt() {
      if (stops) return true;
      isTrying = true;
      try {
        const taken = await wait.attempt();
        if (taken !== undefined && givenUp) await wait.giveUp(taken);
        const isOver = taken !== undefined || stops || clock.now() >= deadline;
        if (isOver) finish(givenUp ? undefined : taken);
        return isOver;
      } finally {
        isTrying = false;
      }
    },
    refuse(error) {
      failure = { error };
      finish(undefined);
    },
  };
  const timer = clock.setTimer(deadline, stop);
  abortSignal?.addEventListener("abort", stop);
  queue.add(waiting);
  return {
    outcome: promise,
    end(error) {
      givenUp = true;
      if (error !== undefined) failure = { error };
      stop();
    },
  };
}
