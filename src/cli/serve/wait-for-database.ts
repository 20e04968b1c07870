import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { spanText } from "../commander.ts";
import { oneLine } from "../display.ts";
import type { Terminal } from "../terminal.ts";

/** Milliseconds between two attempts. */
const pause = 1000;

/** Codes of a database that is away, starting, or short of connections. */
const transient: ReadonlySet<ErrorCode> = new Set(["ServiceCommunicationProblem", "ServiceBusy", "ServiceTimeout"]);

/** How long to wait for a database. */
export interface DatabaseWait {
  readonly milliseconds: number;
  readonly terminal: Pick<Terminal, "err">;
  /** Resolves when the process is asked to end, which ends the wait. */
  readonly stop: Promise<void>;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens a database, again and again while it is away: it may be starting, failing over or out of connections. What does not
 * end by itself, such as a wrong password, is thrown at once.
 *
 * @throws SobreError the last refusal, or the first that is not worth another attempt.
 */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { milliseconds, terminal, stop, clock = systemClock }: DatabaseWait,
): Promise<T> {
  const until = clock.now() + milliseconds;
  let isStopped = false;
  void stop.then(() => (isStopped = true));
  let said = "";
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof SobreError) || !transient.has(error.code) || isStopped || clock.now() >= until)
        throw error;
      if (said !== error.message)
        terminal.err(
          `sobre: ${oneLine(error.message)} Waiting for the database, for ${spanText(milliseconds)} in all.\n`,
        );
      said = error.message;
    }
    await Promise.race([stop, nextAttempt(clock, until)]);
  }
}

function nextAttempt(clock: Clock, until: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(Math.min(clock.now() + pause, until), resolve).keepAlive?.(true);
  });
}
