import type { Clock } from "../../core/time/clock.ts";
import { inTime } from "../../core/time/pause.ts";
import { type CloseOptions, type LeftMessage, releaseTime } from "./processor-loops.ts";

/** Something that a client closes; a processor reports the messages that it left. */
export interface ClientClosable {
  close(options?: CloseOptions): Promise<unknown>;
}

/**
 * Closes all that a client has created, then `last` one by one; resolves to the messages that were left.
 *
 * With a time limit, it takes at most twice {@link releaseTime} longer: what has not answered by then is not waited for.
 */
export async function closeAll(
  ends: readonly ClientClosable[],
  last: readonly ClientClosable[],
  { timeoutInMs, clock }: CloseOptions & { readonly clock: Clock },
): Promise<readonly LeftMessage[]> {
  const until = timeoutInMs === undefined ? undefined : clock.now() + timeoutInMs + 2 * releaseTime;
  const limited = (closing: Promise<unknown>): Promise<unknown> =>
    until === undefined ? closing : inTime(clock, Math.max(until - clock.now(), 0), closing, undefined);
  const reports = await Promise.all(ends.map((end) => limited(end.close({ timeoutInMs }))));
  for (const end of last) await limited(end.close());
  return reports.flatMap(leftOf);
}

/** Closes only once; further calls wait for the first. */
export function once(end: ClientClosable): ClientClosable {
  let closing: Promise<unknown> | undefined;
  return { close: () => (closing ??= end.close()) };
}

function leftOf(report: unknown): readonly LeftMessage[] {
  const left: unknown = typeof report === "object" && report !== null ? Reflect.get(report, "left") : undefined;
  return Array.isArray(left) ? left : [];
}
