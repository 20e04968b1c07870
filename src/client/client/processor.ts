import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import { type DeliverySource, openSource } from "./delivery-source.ts";
import { LockRenewal } from "./lock-renewal.ts";
import type { MessageContext } from "./handling.ts";
import { MessageWork } from "./message-work.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { ProcessorRetries } from "./message-retries.ts";
import { Outage, Turn } from "./outage.ts";
import type { PauseWhen } from "./pause-when.ts";
import { LoopErrors, type LoopState, type Processor, runProcessor } from "./processor-loops.ts";
import { idleWait, repeat } from "./receive-loop.ts";
import type { ReadMessage } from "./received-message.ts";
import { Settler } from "./settling.ts";
import { Slot } from "./slot.ts";

/** Options of a processor. */
export interface ProcessorOptions<Types extends readonly MessageType[] = readonly MessageType[]> {
  /** Default: `peekLock`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /**
   * The message types to handle: bodies are validated and upgraded to the latest version. Default: any body, unchanged.
   */
  readonly messageTypes?: Types | undefined;
  /** How many messages are handled concurrently. Default: 1. */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether a message is completed when its handler resolves. Default: true. */
  readonly autoCompleteMessages?: boolean | undefined;
  /** How many messages to prefetch in `peekLock`; closing releases them without counting a delivery. Default: 0. */
  readonly prefetchCount?: number | undefined;
  /**
   * Milliseconds for which the lock of a message is renewed while its handler runs. Default: 300,000; 0 disables
   * renewal.
   */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
  /**
   * How messages whose handler failed are retried, with all counts kept on the message. Default: they are abandoned,
   * and redelivered without a delay until the entity's `maxDeliveryCount` is reached.
   */
  readonly retries?: ProcessorRetries | undefined;
  /**
   * When to pause because handlers fail: nothing is received, and the messages that show it are released without
   * counting a delivery. After each pause one message is tried. Default: never.
   */
  readonly pauseWhen?: PauseWhen | undefined;
}

const settlingChecks = {
  autoCompleteMessages: is.flag,
  maxAutoLockRenewalDurationInMs: is.milliseconds,
  // Checked by Breaker.
  pauseWhen: is.anything,
} as const;

/** Checks of the options shared by all processors, with and without sessions. */
export const processingChecks: OptionChecks<
  Omit<ProcessorOptions, "maxConcurrentCalls" | "prefetchCount" | "retries">
> = {
  ...settlingChecks,
  receiveMode: is.oneOf("peekLock", "receiveAndDelete"),
  messageTypes: is.messageTypes,
};

/** Checks of the options of `subscribe`: mode and types come from the receiver. */
export const subscribeChecks: OptionChecks<Omit<ProcessorOptions, "receiveMode" | "messageTypes">> = {
  ...settlingChecks,
  // Checked by Recovery.
  retries: is.anything,
  maxConcurrentCalls: is.countFrom(1),
  prefetchCount: is.countFrom(0),
};

const processorChecks: OptionChecks<ProcessorOptions> = { ...processingChecks, ...subscribeChecks };

/**
 * Starts a processor.
 *
 * In `peekLock`, an unreadable message is dead-lettered, then reported to `processError`. A lost link is reported too,
 * and reopened; errors that are not transient end the processor.
 *
 * @throws SobreError `InvalidArgument` for an invalid option, and when `processUnreadable` is missing in
 * `receiveAndDelete` or on a sub-queue, where messages cannot be dead-lettered.
 * @param shared The source of deliveries, if not the processor's own; it is left open.
 */
export function startProcessor<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  clientParts: ClientParts,
  handlers: ProcessorHandlers<ReadMessage<Types>>,
  options: ProcessorOptions<Types> = {},
  shared?: DeliverySource,
): Processor {
  checkOptions(options, processorChecks);
  const parts = partsAt(clientParts, entityPath);
  const { signals } = parts;
  const { receiveMode = "peekLock", maxConcurrentCalls = 1, prefetchCount = 0 } = options;
  const work = new MessageWork<Types, MessageContext>({ ...options, entityPath, parts, handlers });
  // A shared source belongs to a session, whose lock covers its messages.
  const renewal = shared === undefined ? renewalOf(parts, options) : undefined;
  const source = shared ?? openSource({ ...parts, entityPath, receiveMode, prefetchCount });
  const settler = new Settler({ entityPath, parts, engine: () => source.engine });
  const errors = new LoopErrors();
  // Only locked messages can be released, and in a session none can be passed over.
  const passesOver = receiveMode === "peekLock" && shared === undefined;
  let outage: Outage | undefined;
  const receiveAll = async (signal: AbortSignal, away: Outage, loop: LoopState): Promise<void> => {
    // In a session each message is settled before the next one is handled.
    const slot = new Slot(shared === undefined ? completionsOf(prefetchCount / maxConcurrentCalls) : 0);
    const place = { settler, renewal, extend: sameContext, slot, loop };
    const turn = new Turn(away);
    const giveBack = async (delivery: Delivery): Promise<void> => {
      if (delivery.lockToken !== undefined) await settler.settle(delivery, { kind: "release" }).catch(() => undefined);
    };
    await repeat(parts, signal, {
      async step(progressed) {
        while (!signal.aborted) {
          if (turn.waits) await turn.come();
          const passedOver = turn.isTrial && passesOver ? work.tried : noSequenceNumbers;
          const maxMessages = 1 + passedOver.size;
          const deliveries = await source.receive({ maxMessages, maxWaitTimeInMs: idleWait, abortSignal: away.signal });
          errors.clear();
          signals.received += deliveries.length;
          const fresh =
            passedOver.size === 0 ? undefined : deliveries.find((one) => !passedOver.has(one.sequenceNumber));
          const chosen = fresh ?? deliveries[0];
          if (deliveries.length > 1) await Promise.all(deliveries.filter((one) => one !== chosen).map(giveBack));
          if (chosen !== undefined) {
            if (away.isOn && chosen.lockToken !== undefined) await giveBack(chosen);
            else if (await work.handle(chosen, place)) {
              away.begin();
              await source.empty();
            } else if (!work.isOutage) away.ended();
          }
          progressed();
        }
      },
      async failed(error, attempt) {
        turn.failed();
        const mayPass = await source.failed(error);
        if (!mayPass) errors.fatal = error;
        if (errors.isNew(error, attempt)) await work.report("receive", error);
        return mayPass;
      },
    });
    await slot.ended();
  };
  return runProcessor({
    entityPath,
    parts,
    isPaused: () => outage?.isPaused === true,
    inFlight: () => work.inFlight,
    buffered: () => source.buffered,
    errors,
    giveUp: () => work.giveUp(),
    start: (signal, loop) => {
      const away = new Outage({ ...parts, delay: (failures) => work.pauseOf(failures) }, signal);
      outage = away;
      return Promise.all(
        Array.from({ length: maxConcurrentCalls }, () => loop((own) => receiveAll(signal, away, own))),
      );
    },
    async ended() {
      renewal?.stop();
      if (shared === undefined) await parts.retry.once(() => source.close()).catch(() => undefined);
    },
  });
}

const noSequenceNumbers: ReadonlySet<bigint> = new Set();

/** A call completes at most so many messages ahead of the broker. */
const maxPendingCompletions = 8;

/** Completions that a call may have pending: as many as its share of the prefetched messages, which are at hand already. */
function completionsOf(share: number): number {
  return Math.min(Math.max(1, Math.ceil(share)), maxPendingCompletions);
}

/** Renews the locks of messages or sessions while handlers run. */
export function renewalOf(
  { clock }: ClientParts,
  { maxAutoLockRenewalDurationInMs = 300_000 }: { readonly maxAutoLockRenewalDurationInMs?: number | undefined },
): LockRenewal {
  return new LockRenewal(clock, maxAutoLockRenewalDurationInMs);
}

const sameContext = (context: MessageContext): MessageContext => context;
