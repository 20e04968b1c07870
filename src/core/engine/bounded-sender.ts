import { SobreError } from "../errors/sobre-error.ts";
import type { EngineSender } from "./engine.ts";

/**
 * A sender with at most `maxInFlight` pending sends; further ones wait in order. Sends in a transaction do not wait.
 *
 * Back-pressure without loss: every send still has its own outcome, and sends that are waiting when the sender closes
 * are rejected.
 *
 * @throws SobreError `InvalidArgument` unless `maxInFlight` is a whole number from 1 up.
 */
export function boundedSender(sender: EngineSender, maxInFlight: number): EngineSender {
  if (!Number.isSafeInteger(maxInFlight) || maxInFlight < 1)
    throw new SobreError("InvalidArgument", "maxInFlight must be a whole number from 1 up.", { path: "$.maxInFlight" });
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  let first = 0;
  const leave = (): void => {
    const next = waiting[first];
    if (next === undefined) {
      inFlight--;
      return;
    }
    // The slot passes directly to the next in line, so no later caller can take it.
    first++;
    if (first === waiting.length) {
      waiting.length = 0;
      first = 0;
    }
    next();
  };
  return {
    get maxMessageSize() {
      return sender.maxMessageSize;
    },
    async send(envelopes, options) {
      // The end of a transaction would overtake a send that waits here.
      if (options?.transaction !== undefined) return sender.send(envelopes, options);
      if (inFlight < maxInFlight) inFlight++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await sender.send(envelopes, options);
      } finally {
        leave();
      }
    },
    close: () => sender.close(),
  };
}
