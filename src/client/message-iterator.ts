import type { Delivery } from "../engine/index.ts";
import type { ClientParts } from "./client-parts.ts";
import type { DeliverySource } from "./delivery-source.ts";
import { pause } from "./pause.ts";
import { isRetryable } from "./retry.ts";

/** Options of {@link Receiver.getMessageIterator}. */
export interface MessageIteratorOptions {
  /** Ends the iteration. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Told when the link was lost, before it is opened again; what it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Milliseconds that one receive waits; it only bounds how long an idle link is silent. */
const receiveWait = 60_000;

/** Messages one by one; what may pass by itself opens the link again, anything else ends the iteration with its error. */
export async function* iterateMessages<Message>(
  source: DeliverySource,
  { clock, retry }: Pick<ClientParts, "clock" | "retry">,
  hand: (deliveries: readonly Delivery[]) => Promise<readonly Message[]>,
  { abortSignal, onError }: MessageIteratorOptions = {},
): AsyncGenerator<Message, void, undefined> {
  for (let failures = 0; ;) {
    if (abortSignal?.aborted === true) return;
    let messages: readonly Message[];
    try {
      const deliveries = await source.receive({ maxMessages: 1, maxWaitTime: receiveWait, signal: abortSignal });
      messages = await hand(deliveries);
      failures = 0;
    } catch (error) {
      await source.failed(error);
      if (!isRetryable(error)) throw error;
      tell(onError, error);
      await pause(clock, retry.delay(++failures), abortSignal);
      continue;
    }
    yield* messages;
  }
}

function tell(onError: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // There is nobody left to tell.
  }
}
