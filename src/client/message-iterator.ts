import type { Delivery } from "../engine/delivery.ts";
import type { ClientParts } from "./client-parts.ts";
import type { DeliverySource } from "./delivery-source.ts";
import { aFunction, checkOptions, type OptionChecks, signal } from "../options/option-checks.ts";
import { heldOpen, pause } from "./pause.ts";
import { tell } from "./tell.ts";

/** Options of {@link Receiver.getMessageIterator}. */
export interface MessageIteratorOptions {
  /** Ends the iteration. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Told when the link was lost, before it is opened again; what it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Milliseconds that one receive waits; it only bounds how long an idle link is silent. */
const receiveWait = 60_000;

const checks: OptionChecks<MessageIteratorOptions> = { abortSignal: signal, onError: aFunction };

/** What {@link iterateMessages} takes from a receiver. */
interface IteratedReceiver<Message> {
  readonly source: DeliverySource;
  readonly parts: Pick<ClientParts, "clock" | "retry">;
  readonly hand: (deliveries: readonly Delivery[]) => Promise<readonly Message[]>;
  /** Aborted when the receiver is closed. */
  readonly closed: AbortSignal;
}

/** Messages one by one; what may pass by itself opens the link again, anything else ends the iteration with its error. */
export async function* iterateMessages<Message>(
  { source, parts: { clock, retry }, hand, closed }: IteratedReceiver<Message>,
  options: MessageIteratorOptions = {},
): AsyncGenerator<Message, void, undefined> {
  checkOptions(options, checks);
  const { abortSignal, onError } = options;
  // One that is closed before it begins is a mistake, and told by the receive.
  const isMistake = closed.aborted;
  const hasEnded = (): boolean => closed.aborted && !isMistake;
  const either = abortSignal === undefined ? closed : AbortSignal.any([abortSignal, closed]);
  for (let failures = 0; ;) {
    if (abortSignal?.aborted === true || hasEnded()) return;
    let messages: readonly Message[];
    try {
      const wait = { maxMessages: 1, maxWaitTime: receiveWait, signal: abortSignal };
      const deliveries = await heldOpen(clock, receiveWait, () => source.receive(wait));
      messages = await hand(deliveries);
      failures = 0;
    } catch (error) {
      if (hasEnded()) return;
      if (!(await source.failed(error))) throw error;
      tell(onError, error);
      await pause(clock, retry.delay(++failures), either);
      continue;
    }
    yield* messages;
  }
}
