import type { ClientParts } from "./client-parts.ts";
import { pause } from "../../core/time/pause.ts";

/** Milliseconds that one receive or accept waits before it is repeated; limits how long an idle link is silent. */
export const idleWait = 60_000;

/** A repeated step and the handling of its errors. */
export interface Repeated {
  /** Resolves to `false` to end the loop. `progressed` resets the pause between failures, as resolving does. */
  readonly step: (progressed: () => void) => Promise<boolean | void>;
  /** Resolves to whether to go on, after a pause that grows with each failure in a row; `attempt` counts those from 1. */
  readonly failed: (error: unknown, attempt: number) => Promise<boolean> | boolean;
}

/**
 * Repeats a step until the signal is aborted or the step or an error ends the loop. Rejects only with what `failed`
 * throws.
 */
export async function repeat(
  { clock, retry }: Pick<ClientParts, "clock" | "retry">,
  signal: AbortSignal,
  { step, failed }: Repeated,
): Promise<void> {
  let failures = 0;
  const progressed = (): void => void (failures = 0);
  for (;;) {
    if (signal.aborted) return;
    try {
      if ((await step(progressed)) === false) return;
      failures = 0;
    } catch (error) {
      if (signal.aborted || !(await failed(error, ++failures))) return;
      const delayInMs = retry.delay(failures);
      retry.retrying(error, failures, delayInMs);
      await pause(clock, delayInMs, signal);
    }
  }
}
