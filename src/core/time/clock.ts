import { invalidOption } from "../options/option-checks.ts";
/** A pending call of a {@link Clock}. */
export interface Timer {
  /** Cancels the call, unless it has already happened. */
  cancel(): void;
  /** Sets whether the process stays alive for the call. Default: false. */
  keepAlive?(alive: boolean): void;
}

/** The library's source of time, which lets a test advance hours in a microsecond. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Calls `due` once, as soon as `now()` has reached `at` (milliseconds since 1970); never synchronously. */
  setTimer(at: number, due: () => void): Timer;
}

/** @throws SobreError `InvalidArgument` naming the argument. */
export function checkTimer(at: number, due: () => void): void {
  if (typeof at !== "number") throw invalidOption("at", "must be a number of milliseconds since 1970");
  if (typeof due !== "function") throw invalidOption("due", "must be a function");
}

/** Maximum delay of `setTimeout`, about 24.8 days; longer ones fire immediately. */
const maxDelay = 2 ** 31 - 1;

/** The system clock. Its timers do not keep a process alive unless `keepAlive` is called. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(at, due) {
    checkTimer(at, due);
    let handle: ReturnType<typeof setTimeout>;
    let alive = false;
    const arm = (): void => {
      handle = setTimeout(ring, Math.min(Math.max(at - Date.now(), 0), maxDelay));
      hold(handle, alive);
    };
    // A timer may fire a little early, and the clock may have been set back.
    const ring = (): void => (Date.now() < at ? arm() : due());
    arm();
    return {
      cancel: () => clearTimeout(handle),
      keepAlive(wanted) {
        alive = wanted;
        hold(handle, alive);
      },
    };
  },
};

/** Node's timers are objects with `ref` and `unref`; a browser's are numbers. */
function hold(handle: unknown, alive: boolean): void {
  if (typeof handle !== "object" || handle === null || !("ref" in handle) || !("unref" in handle)) return;
  const { ref, unref } = handle;
  if (alive && typeof ref === "function") ref.call(handle);
  if (!alive && typeof unref === "function") unref.call(handle);
}
