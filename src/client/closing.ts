import type { Clock } from "../time/clock.ts";
import { pause } from "../time/pause.ts";
import type { CloseOptions, LeftMessage } from "./processor-loops.ts";

/** Something that a client closes; a processor reports the messages that it left. */
export interface Closable {
  close(options?: CloseOptions): Promise<unknown>;
}

/** Closes all that a client has created; resolves to the messages that were released. */
export async function closeAll(
  ends: readonly Closable[],
  replies: Closable,
  { timeoutInMs, clock }: CloseOptions & { readonly clock: Clock },
): Promise<readonly LeftMessage[]> {
  const close = async (end: Closable): Promise<readonly LeftMessage[]> => {
    const closing = end.close({ timeoutInMs }).then(leftOf);
    return timeoutInMs === undefined ? closing : inTime(clock, timeoutInMs, closing);
  };
  const left = await Promise.all(ends.map(close));
  // A handler that closes the client still sends its reply.
  await close(replies);
  return left.flat();
}

/** Milliseconds for what a processor still does when its time is over: releasing messages and closing its link. */
const grace = 1_000;

/** The result of closing, or nothing when that takes longer. */
function inTime(
  clock: Clock,
  timeoutInMs: number,
  closing: Promise<readonly LeftMessage[]>,
): Promise<readonly LeftMessage[]> {
  const done = new AbortController();
  const late = pause(clock, timeoutInMs + grace, done.signal).then(() => []);
  return Promise.race([closing, late]).finally(() => done.abort());
}

function leftOf(report: unknown): readonly LeftMessage[] {
  const left: unknown = typeof report === "object" && report !== null ? Reflect.get(report, "left") : undefined;
  return Array.isArray(left) ? left : [];
}
