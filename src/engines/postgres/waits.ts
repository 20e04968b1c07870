import type { Clock } from "../../time/clock.ts";
import type { LaneState, Waiting } from "./lanes.ts";

/** A wait for messages or a session. */
export interface Wait<T> {
  readonly key: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Tries once; `undefined` goes on waiting. */
  attempt(): Promise<T | undefined>;
  /** Takes back what came after the wait was given up. */
  giveUp(taken: T): Promise<void>;
}

/** A wait that can be given up. */
export interface Pending<T> {
  /** `undefined` when the time is over, and when it was aborted or given up. */
  readonly outcome: Promise<T | undefined>;
  /** Ends it with nothing taken, or with an error. */
  end(error?: unknown): void;
}

const ignore = (): void => {};

/** Waits until a try succeeds. An abort keeps what a try that is on its way brings. */
export function startWait<T>(lane: LaneState, wait: Wait<T>): Pending<T> {
  const { key, clock, deadline, signal } = wait;
  let resolve: (value: T | undefined) => void = ignore;
  let reject: (error: unknown) => void = ignore;
  const promise = new Promise<T | undefined>((kept, refused) => {
    resolve = kept;
    reject = refused;
  });
  let isTrying = false;
  let stops = false;
  let givenUp = false;
  let failure: { readonly error: unknown } | undefined;
  const finish = (value: T | undefined): void => {
    timer.cancel();
    signal?.removeEventListener("abort", stop);
    lane.delete(waiting);
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
  signal?.addEventListener("abort", stop);
  lane.add(waiting);
  return {
    outcome: promise,
    end(error) {
      givenUp = true;
      if (error !== undefined) failure = { error };
      stop();
    },
  };
}
