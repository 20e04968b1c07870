import type { Delivery } from "../../core/engine/delivery.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { ClientParts } from "./client-parts.ts";
import type { DeliverySource } from "./delivery-source.ts";
import { heldOpen } from "../../core/time/pause.ts";
import { notify } from "./process-error.ts";
import { idleWait, repeat } from "./receive-loop.ts";

/** Options of {@link Receiver.getMessageIterator}. */
export interface MessageIteratorOptions {
  /** Ends the iteration. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Called when the link was lost, before it is reopened; errors that it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const messageIteratorChecks: OptionChecks<MessageIteratorOptions> = {
  abortSignal: is.abortSignal,
  onError: is.aFunction,
};

/** The parts of a receiver that {@link iterateMessages} needs. */
interface IteratedReceiver<Message> {
  readonly source: DeliverySource;
  readonly parts: Pick<ClientParts, "clock" | "retry">;
  readonly hand: (deliveries: readonly Delivery[]) => Promise<readonly Message[]>;
  /** @throws SobreError `Closed`. */
  readonly checkOpen: () => void;
  /** Aborted when the receiver is closed. */
  readonly closed: AbortSignal;
}

/** Yields messages one by one; a retryable error reopens the link, any other ends the iteration. */
export async function* iterateMessages<Message>(
  { source, parts, hand, checkOpen, closed }: IteratedReceiver<Message>,
  options: MessageIteratorOptions = {},
): AsyncGenerator<Message, void, undefined> {
  checkOptions(options, messageIteratorChecks);
  checkOpen();
  const { abortSignal, onError } = options;
  const either = abortSignal === undefined ? closed : AbortSignal.any([abortSignal, closed]);
  while (!either.aborted) {
    let messages: readonly Message[] = [];
    await repeat(parts, either, {
      async step() {
        const wait = { maxMessages: 1, maxWaitTimeInMs: idleWait, abortSignal };
        messages = await hand(await heldOpen(parts.clock, idleWait, () => source.receive(wait)));
        return messages.length === 0;
      },
      async failed(error) {
        if (!(await source.failed(error))) throw error;
        notify(onError, error);
        return true;
      },
    });
    yield* messages;
  }
}
