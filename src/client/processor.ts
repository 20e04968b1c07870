import type { ReceiveMode } from "../engine/delivery.ts";
import type { MessageType } from "../message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import { type DeliverySource, openSource } from "./delivery-source.ts";
import { LockRenewal } from "./lock-renewal.ts";
import { type MessageContext, MessageWork, type ProcessorHandlers, Slot } from "./message-work.ts";
import {
  checkOptions,
  countFrom,
  flag,
  messageTypes,
  milliseconds,
  oneOf,
  type OptionChecks,
} from "../options/option-checks.ts";
import { Outage } from "./outage.ts";
import { LoopErrors, type Processor, runProcessor } from "./processor-loops.ts";
import { idleWait, repeat } from "./receive-loop.ts";
import type { ReadMessage } from "./received-message.ts";
import { Settler } from "./settling.ts";

/** Options of a processor. */
export interface ProcessorOptions<Types extends readonly MessageType[] = readonly MessageType[]> {
  /** Default: `peekLock`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /** The types that are handled: bodies are validated and brought to the latest version. Default: any body, as it is. */
  readonly messageTypes?: Types | undefined;
  /** How many messages are in a handler at once. Default: 1. */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether a message is completed when its handler resolves. Default: true. */
  readonly autoCompleteMessages?: boolean | undefined;
  /** How many messages are fetched ahead, in `peekLock`; they are given back uncounted when the processor closes. Default: 0. */
  readonly prefetchCount?: number | undefined;
  /** Milliseconds for which the lock of a message is renewed while its handler runs. Default: 300,000; 0 renews nothing. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

const settlingChecks = { autoCompleteMessages: flag, maxAutoLockRenewalDurationInMs: milliseconds } as const;

/** The checks of the options that processors of queues and of sessions share. */
export const processingChecks: OptionChecks<Omit<ProcessorOptions, "maxConcurrentCalls" | "prefetchCount">> = {
  ...settlingChecks,
  receiveMode: oneOf("peekLock", "receiveAndDelete"),
  messageTypes,
};

/** The checks of the options of `subscribe`: mode and types are the receiver's. */
export const subscribeChecks: OptionChecks<Omit<ProcessorOptions, "receiveMode" | "messageTypes">> = {
  ...settlingChecks,
  maxConcurrentCalls: countFrom(1),
  prefetchCount: countFrom(0),
};

const checks: OptionChecks<ProcessorOptions> = { ...processingChecks, ...subscribeChecks };

/**
 * Starts a processor.
 *
 * In `peekLock` an unreadable message is dead-lettered at once, then `processError` is called. When the link is lost it is
 * called too, and the link is opened again; errors that cannot pass by themselves end the processor.
 *
 * @throws SobreError `InvalidArgument` for a wrong option, and when `processUnreadable` is missing in
 *   `receiveAndDelete` or on a sub-queue, where nothing can be dead-lettered.
 * @param shared Where deliveries come from, when that is not the processor's own; it is left open.
 */
export function startProcessor<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  handlers: ProcessorHandlers<ReadMessage<Types>>,
  options: ProcessorOptions<Types> = {},
  shared?: DeliverySource,
): Processor {
  checkOptions(options, checks);
  const { receiveMode = "peekLock", maxConcurrentCalls = 1, prefetchCount = 0 } = options;
  const work = new MessageWork<Types, MessageContext>({ ...options, entityPath, parts, handlers });
  // A shared source is a session's, and its messages are locked with it, by whoever holds it.
  const renewal = shared === undefined ? renewalOf(parts, options) : undefined;
  const source = shared ?? openSource({ ...parts, entityPath, receiveMode, prefetchCount });
  const settler = new Settler({
    entityPath,
    retry: parts.retry,
    engine: () => source.engine,
    home: parts.engine,
    tracing: parts.tracing,
  });
  const errors = new LoopErrors();
  const receiveAll = async (signal: AbortSignal, outage: Outage): Promise<void> => {
    // In a session each message is settled before the next one is handled.
    const slot = new Slot(shared === undefined);
    const place = { settler, renewal, extend: sameContext, slot };
    await repeat(parts, signal, {
      async step(progressed) {
        while (!signal.aborted) {
          if (outage.isOn) await outage.over();
          const deliveries = await source.receive({ maxMessages: 1, maxWaitTime: idleWait, signal: outage.signal });
          errors.clear();
          for (const delivery of deliveries) {
            if (outage.isOn && delivery.lockToken !== undefined) {
              await settler.settle(delivery, { kind: "release" }).catch(() => undefined);
            } else if (await work.handle(delivery, place)) {
              outage.begin();
              await source.empty();
            } else outage.ended();
          }
          progressed();
        }
      },
      async failed(error, attempt) {
        const mayPass = await source.failed(error);
        if (errors.isNew(error, attempt)) await work.report("receive", error);
        return mayPass;
      },
    });
    await slot.completing;
  };
  return runProcessor({
    entityPath,
    parts,
    start: (signal, loop) => {
      const outage = new Outage(parts, signal);
      return Promise.all(Array.from({ length: maxConcurrentCalls }, () => loop(() => receiveAll(signal, outage))));
    },
    async ended() {
      renewal?.stop();
      if (shared === undefined) await parts.retry.once(() => source.close()).catch(() => undefined);
    },
  });
}

/** Keeps the locks of messages, or of sessions, while handlers run. */
export function renewalOf(
  { clock }: ClientParts,
  { maxAutoLockRenewalDurationInMs = 300_000 }: { readonly maxAutoLockRenewalDurationInMs?: number | undefined },
): LockRenewal {
  return new LockRenewal(clock, maxAutoLockRenewalDurationInMs);
}

const sameContext = (context: MessageContext): MessageContext => context;
