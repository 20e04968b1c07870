import type { Delivery, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { AbortOption } from "./attempts.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import { type DeliverySource, openSource } from "./delivery-source.ts";
import { unreadableSettlement } from "./dead-lettering.ts";
import { Hold } from "./hold.ts";
import { LockRenewal } from "./lock-renewal.ts";
import { iterateMessages, type MessageIteratorOptions } from "./message-iterator.ts";
import { createMessageReader } from "./message-reader.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import { checkOption, checkOptions } from "../../core/options/option-checks.ts";
import { heldOpen } from "../../core/time/pause.ts";
import { startProcessor } from "./processor.ts";
import { closeChecks, type CloseOptions, type CloseReport, type Processor } from "./processor-loops.ts";
import {
  handedOver,
  type ReadMessage,
  readMessage,
  type Received,
  take,
  type UnreadableMessage,
  unreadableMessage,
} from "./received-message.ts";
import {
  atLeastOne,
  checkSubscribe,
  deleteChecks,
  type DeleteMessagesOptions,
  peekChecks,
  type PeekMessagesOptions,
  receiveChecks,
  type ReceiveMessagesOptions,
  receiverChecks,
  type ReceiverOptions,
  type ReceivingEnd,
  receivingEnd,
  type SubscribeOptions,
} from "./receiver-options.ts";
import { abortChecks, sequenceNumbersOf } from "./sender.ts";
import { Settler, type SettlingVerbs } from "./settling.ts";

/** Receives messages from one entity, with the verbs of `@azure/service-bus`. */
export interface Receiver<Message = ReadMessage<readonly []> | UnreadableMessage, Read = ReadMessage<readonly []>>
  extends SettlingVerbs, AsyncDisposable {
  /** The path of the entity, including the sub-queue. */
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /**
   * Resolves to at most `maxMessageCount` messages, or to an empty array when the wait is over.
   *
   * @example
   * ```ts
   * const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 1_000 });
   * if (message?.ok) console.log(message.result.codec, message.body); // json { id: 7 }
   * ```
   */
  receiveMessages(maxMessageCount: number, options?: ReceiveMessagesOptions): Promise<readonly Message[]>;
  /**
   * Yields messages as they arrive, until the loop is left, `abortSignal` aborts or the receiver closes; reopens lost
   * links.
   *
   * @example
   * ```ts
   * for await (const message of receiver.getMessageIterator()) {
   *   await receiver.completeMessage(message);
   *   break;
   * }
   * ```
   */
  getMessageIterator(options?: MessageIteratorOptions): AsyncGenerator<Message, void, undefined>;
  /**
   * Reads messages without locking them; unreadable ones are always handed over.
   *
   * @example
   * ```ts
   * const messages = await receiver.peekMessages(10);
   * console.log(messages.map(({ sequenceNumber }) => sequenceNumber)); // [ 1n ]
   * ```
   */
  peekMessages(
    maxMessageCount: number,
    options?: PeekMessagesOptions,
  ): Promise<readonly (Message | UnreadableMessage)[]>;
  /**
   * Receives deferred messages by their sequence numbers.
   *
   * @throws SobreError `MessageNotFound` when one of them is not deferred.
   * @example
   * ```ts
   * await receiver.deferMessage(message);
   * const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);
   * console.log(deferred?.body); // { id: 7 }
   * ```
   */
  receiveDeferredMessages(
    sequenceNumbers: bigint | readonly bigint[],
    options?: AbortOption,
  ): Promise<readonly Message[]>;
  /**
   * Deletes unlocked messages, oldest first; resolves to their number.
   *
   * @example
   * ```ts
   * console.log(await receiver.deleteMessages(100)); // 1
   * ```
   */
  deleteMessages(maxMessageCount: number, options?: DeleteMessagesOptions): Promise<number>;
  /**
   * Starts a processor on the entity with this receiver's mode and types.
   *
   * @example
   * ```ts
   * const processor = receiver.subscribe({
   *   processMessage: async ({ body }) => console.log(body),
   *   processError: ({ error }) => console.error(error),
   * });
   * await processor.close();
   * ```
   */
  subscribe(handlers: ProcessorHandlers<Read>, options?: SubscribeOptions): Processor;
  /** Closes it and its subscriptions, as {@link Processor.close} does. */
  close(options?: CloseOptions): Promise<CloseReport>;
}

/**
 * Creates a receiver; the link is opened by the first receive.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createReceiver<
  const Types extends readonly MessageType[] = readonly [],
  const OnUnreadable extends "hand-over" | "dead-letter" = "hand-over",
>(
  entity: string,
  shared: ClientParts,
  options: ReceiverOptions<Types, OnUnreadable> = {},
): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>> {
  checkOptions(options, receiverChecks);
  const { prefetchCount = 0, messageTypes } = options;
  const { entityPath, receiveMode } = receivingEnd(entity, options);
  const parts = partsAt(shared, entityPath);
  const source = openSource({ ...parts, entityPath, receiveMode, prefetchCount });
  return receiverOver<Types, OnUnreadable>(source, { entityPath, receiveMode, parts }, { ...options, messageTypes });
}

/** The receiver over a source of deliveries. */
export function receiverOver<Types extends readonly MessageType[], OnUnreadable extends "hand-over" | "dead-letter">(
  source: DeliverySource & { readonly sessionId?: string },
  { entityPath, receiveMode, parts }: ReceivingEnd,
  options: ReceiverOptions<Types, OnUnreadable>,
): Receiver<Received<Types, OnUnreadable>, ReadMessage<Types>> {
  type Message = Received<Types, OnUnreadable>;
  const { clock, retry, signals } = parts;
  const { onUnreadable = "hand-over", messageTypes, maxAutoLockRenewalDurationInMs = 0 } = options;
  const read = createMessageReader(parts, messageTypes);
  const renewal = new LockRenewal(parts.clock, maxAutoLockRenewalDurationInMs);
  const settler = new Settler({ entityPath, parts, engine: () => source.engine });
  const subscriptions = new Set<Processor>();
  let release: (() => Promise<void>) | undefined;
  const stop = new AbortController();
  const checkOpen = (): void => {
    if (stop.signal.aborted) throw new SobreError("Closed", "The receiver is closed. Create a new one.");
  };
  const giveBack = ({ lockToken }: Delivery): void => {
    if (lockToken !== undefined)
      source.engine.settle(entityPath, lockToken, { kind: "release" }).catch(() => undefined);
  };
  const giveAllBack = (deliveries: readonly Delivery[]): void => {
    for (const delivery of deliveries) giveBack(delivery);
  };
  const hand = async (delivery: Delivery): Promise<Message | SobreError | undefined> => {
    const { lockToken, lockedUntilUtc, envelope } = delivery;
    const result = await read(envelope);
    if (!result.ok && onUnreadable === "dead-letter" && lockToken !== undefined) {
      const isAway = result.error.retryable;
      const settlement: Settlement = isAway ? { kind: "release" } : unreadableSettlement(envelope, result);
      // If the lock is lost meanwhile, the message is redelivered; the rest of the batch is unaffected.
      await source.engine
        .settle(entityPath, lockToken, settlement)
        .then(() => signals.settled(settlement))
        .catch(() => undefined);
      return isAway ? result.error : undefined;
    }
    const message = handedOver<Types, OnUnreadable>(delivery, result, parts.replies);
    // Settling the message rejects then.
    const lost = (error: unknown): void => signals.lockLost(error, envelope.brokerProperties);
    const hold = new Hold();
    take(message, hold);
    hold.lock = renewal.keep(lockedUntilUtc, { renew: () => settler.renew(message), lost });
    return message;
  };
  const handAll = async (deliveries: readonly Delivery[]): Promise<readonly Message[]> => {
    signals.received += deliveries.length;
    const messages: Message[] = [];
    let unavailable: SobreError | undefined;
    for (const handed of await Promise.all(deliveries.map(hand)))
      if (handed instanceof SobreError) unavailable = handed;
      else if (handed !== undefined) messages.push(handed);
    // Without this, an empty result would be requested again immediately.
    if (unavailable !== undefined && messages.length === 0) throw unavailable;
    return messages;
  };
  return {
    ...settler.verbs,
    entityPath,
    receiveMode,
    async receiveMessages(maxMessageCount, receiveOptions = {}) {
      checkOption("maxMessageCount", maxMessageCount, atLeastOne);
      checkOptions(receiveOptions, receiveChecks);
      checkOpen();
      const { maxWaitTimeInMs = 60_000, abortSignal } = receiveOptions;
      const until = clock.now() + maxWaitTimeInMs;
      const receive = async (): Promise<readonly Delivery[]> => {
        const left = Math.max(until - clock.now(), 0);
        try {
          return await source.receive({ maxMessages: maxMessageCount, maxWaitTimeInMs: left, abortSignal });
        } catch (error) {
          await source.failed(error);
          if (abortSignal?.aborted === true) return [];
          throw error;
        }
      };
      // Deliveries that arrive after the wait are released.
      const received = (): Promise<readonly Delivery[]> =>
        retry.run(receive, { wait: maxWaitTimeInMs, late: giveAllBack });
      // With a signal, the engine does not keep the process alive; its caller decides.
      return handAll(await (abortSignal ? heldOpen(clock, maxWaitTimeInMs, received) : received()));
    },
    getMessageIterator: (iteratorOptions) =>
      iterateMessages({ source, parts, hand: handAll, checkOpen, closed: stop.signal }, iteratorOptions),
    async peekMessages(maxMessageCount, peekOptions = {}) {
      checkOption("maxMessageCount", maxMessageCount, atLeastOne);
      checkOptions(peekOptions, peekChecks);
      checkOpen();
      const { fromSequenceNumber, abortSignal } = peekOptions;
      const peeked = { maxMessages: maxMessageCount, fromSequenceNumber, sessionId: source.sessionId };
      const deliveries = await retry.run(() => parts.engine.peek(entityPath, peeked), { abortSignal });
      return Promise.all(
        deliveries.map(async (delivery) => {
          const result = await read(delivery.envelope);
          const { replies } = parts;
          return result.ok
            ? readMessage<Types>(delivery, result, replies)
            : unreadableMessage(delivery, result, replies);
        }),
      );
    },
    async receiveDeferredMessages(sequenceNumbers, deferredOptions = {}) {
      const { sessionId } = source;
      const numbers = sequenceNumbersOf(sequenceNumbers);
      checkOptions(deferredOptions, abortChecks);
      checkOpen();
      const receive = (): Promise<readonly Delivery[]> =>
        source.engine.receiveDeferred(entityPath, numbers, { receiveMode, sessionId });
      return handAll(await retry.once(receive, { abortSignal: deferredOptions.abortSignal }));
    },
    async deleteMessages(maxMessageCount, deleteOptions = {}) {
      checkOption("maxMessageCount", maxMessageCount, atLeastOne);
      checkOptions(deleteOptions, deleteChecks);
      checkOpen();
      const { beforeEnqueueTime, abortSignal } = deleteOptions;
      const wanted = { maxMessages: maxMessageCount, beforeEnqueueTime, sessionId: source.sessionId };
      return retry.once(() => parts.engine.deleteMessages(entityPath, wanted), { abortSignal });
    },
    subscribe(handlers, subscribeOptions) {
      checkOpen();
      checkSubscribe(subscribeOptions, source.sessionId !== undefined);
      const processorOptions = { ...subscribeOptions, receiveMode, messageTypes };
      const shared = source.sessionId === undefined ? undefined : source;
      const closed = async (): Promise<void> => {
        subscriptions.delete(processor);
        if (subscriptions.size === 0) await release?.();
      };
      const own = { ...parts, closed };
      const processor: Processor = startProcessor<Types>(entityPath, own, handlers, processorOptions, shared);
      subscriptions.add(processor);
      return processor;
    },
    async close(closeOptions = {}) {
      checkOptions(closeOptions, closeChecks);
      stop.abort();
      await parts.closed();
      const reports = await Promise.all([...subscriptions].map((processor) => processor.close(closeOptions)));
      release = async () => {
        renewal.stop();
        await retry.once(() => source.close()).catch(() => undefined);
      };
      // When a handler closes its receiver, its message is settled first; a session must still be held then.
      if (subscriptions.size === 0) await release();
      return { left: reports.flatMap(({ left }) => left) };
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
