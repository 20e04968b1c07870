import type { Delivery } from "./delivery.ts";
import type { Engine } from "./engine.ts";

/** Which messages to peek. */
export interface PeekRange {
  /** Default: all. */
  readonly max?: number | undefined;
  /** The first sequence number. Default: that of the oldest message. */
  readonly from?: bigint | undefined;
  readonly session?: string | undefined;
}

/** Peeks messages of an entity in order of sequence number, up to `size` per call. */
export async function* peekPages(
  engine: Engine,
  entity: string,
  { max = Infinity, from, session, size = 100 }: PeekRange & { readonly size?: number },
): AsyncGenerator<readonly Delivery[], void, undefined> {
  let fromSequenceNumber = from;
  for (let left = max; left > 0;) {
    const maxMessages = Math.min(left, size);
    const page = await engine.peek(entity, { maxMessages, fromSequenceNumber, sessionId: session });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    fromSequenceNumber = last.sequenceNumber + 1n;
    left -= page.length;
  }
}
