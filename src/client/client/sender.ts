import type { Message } from "../../core/codec/message.ts";
import type { EngineSender, TransactionOption } from "../../core/engine/engine.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType, MessageToSend } from "../../core/message/message-type.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import { operationOn } from "./tracing.ts";
import { InFlight } from "./in-flight.ts";
import { ClientLink } from "./link.ts";
import { createBatch, isBatch, type MessageBatch } from "./message-batch.ts";
import { createMessageWriter, isTypedMessage, type MessageWriter } from "./message-writer.ts";
import { checkSendMany, sendEach, type SendManyOptions, type SendOutcome } from "./send-many.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type AbortOption, throwIfAborted } from "./attempts.ts";

/** Options of a sender. */
export interface SenderOptions<Types extends readonly MessageType[] = readonly MessageType[]> {
  /**
   * The message types that the entity's consumers read: any other message does not compile and is refused. Default:
   * everything may be sent.
   */
  readonly messageTypes?: Types | undefined;
  /**
   * The entity to send through: it accepts the messages and transfers them to the sender's entity, so that a transaction
   * covers both. Default: messages go straight to the entity.
   */
  readonly via?: string | undefined;
  /** The maximum number of pending messages, of at most 16 MiB together; further sends wait. Default: 1,000. */
  readonly maxInFlight?: number | undefined;
}

/** Options of `sendMessages`, `sendEnvelopes` and `scheduleMessages`. */
export interface SendMessagesOptions extends TransactionOption, AbortOption {}

/** Options of {@link Sender.createMessageBatch}. */
export interface CreateMessageBatchOptions extends AbortOption {
  /** Default: the limit of the entity. */
  readonly maxSizeInBytes?: number | undefined;
}

/** Sends messages to one entity. Retries retryable errors, which duplicate detection makes safe. */
export interface Sender<Sent extends Message = Message> extends AsyncDisposable {
  readonly entityPath: string;
  /**
   * Serializes and sends a message, an array or a batch; resolves when all are accepted. When it rejects, none was
   * accepted, unless the connection was lost before the answer: then the outcome is unknown and the error retryable.
   *
   * @throws SobreError what the message type, the serializer, a stage or the engine throws.
   * @example
   * ```ts
   * await sender.sendMessages({ body: { id: 8 }, messageId: "order-8", timeToLive: 60_000 });
   * ```
   */
  sendMessages(messages: Sent | readonly Sent[] | MessageBatch<Sent>, options?: SendMessagesOptions): Promise<void>;
  /**
   * Sends each message separately, several concurrently; resolves to the outcomes in the order of the messages.
   *
   * @throws SobreError with the code of the first failure, with `throwOnFailure`; its `cause` is the list of outcomes.
   * @example
   * ```ts
   * const outcomes = await sender.sendMany([{ body: 1 }, { body: 2, timeToLive: -1 }], { maxConcurrency: 8 });
   * console.log(outcomes.map(({ ok }) => ok)); // [ true, false ]
   * ```
   */
  sendMany(messages: Iterable<Sent> | AsyncIterable<Sent>, options?: SendManyOptions): Promise<readonly SendOutcome[]>;
  /**
   * Creates an empty batch, to which messages can be added until it is full.
   *
   * @throws SobreError `InvalidArgument` when `maxSizeInBytes` exceeds the limit of the entity.
   * @example
   * ```ts
   * const batch = await sender.createMessageBatch();
   * for (const id of [8, 9]) {
   *   if (!batch.tryAddMessage({ body: { id } })) throw new Error("The message does not fit; send the batch first.");
   * }
   * await sender.sendMessages(batch);
   * ```
   */
  createMessageBatch(options?: CreateMessageBatchOptions): Promise<MessageBatch<Sent>>;
  /**
   * Schedules messages to be enqueued at a given time; resolves to their sequence numbers, in order, for cancelling
   * them.
   *
   * @example
   * ```ts
   * const [sequenceNumber = 0n] = await sender.scheduleMessages({ body: "later" }, new Date(Date.now() + 3_600_000));
   * await sender.cancelScheduledMessages(sequenceNumber);
   * ```
   */
  scheduleMessages(
    messages: Sent | readonly Sent[],
    scheduledEnqueueTimeUtc: Date,
    options?: SendMessagesOptions,
  ): Promise<readonly bigint[]>;
  /** @throws SobreError `MessageNotFound` when one of them is no longer scheduled. */
  cancelScheduledMessages(sequenceNumbers: bigint | readonly bigint[], options?: AbortOption): Promise<void>;
  /**
   * Sends envelopes unchanged, without serializer and stages, e.g. to re-drive or bridge messages.
   *
   * @example
   * ```ts
   * await sender.sendEnvelopes([envelope, amend(envelope, { applicationProperties: { copy: true } })]);
   * ```
   */
  sendEnvelopes(envelopes: Envelope | readonly Envelope[], options?: SendMessagesOptions): Promise<void>;
  /** Resolves when all pending sends have completed or failed; a failure rejects only its own send. */
  flush(): Promise<void>;
  /** Waits for pending sends, then closes the link. */
  close(): Promise<void>;
}

const sendChecks: OptionChecks<SendMessagesOptions> = {
  abortSignal: is.abortSignal,
  // Validated by the engine that began it.
  transaction: () => undefined,
};
/** The check of {@link AbortOption}. */
export const abortChecks: OptionChecks<AbortOption> = { abortSignal: is.abortSignal };
const batchChecks: OptionChecks<CreateMessageBatchOptions> = {
  maxSizeInBytes: is.countFrom(1),
  abortSignal: is.abortSignal,
};
const senderChecks: OptionChecks<SenderOptions> = {
  via: is.entityName,
  maxInFlight: is.countFrom(1),
  messageTypes: is.messageTypes,
};

/** Creates a sender; the link is opened by the first send. */
export function createSender<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  shared: ClientParts,
  options: SenderOptions<Types> = {},
): Sender<MessageToSend<Types>> {
  checkOptions(options, senderChecks);
  const { via, maxInFlight = 1_000, messageTypes } = options;
  const parts = partsAt(shared, entityPath);
  const { engine, retry, tracing, signals } = parts;
  const link = new ClientLink("sender", () => engine.openSender(entityPath, { via }), signals.link("sender"));
  const inFlight = new InFlight(maxInFlight);
  const one = operationOn(engine, entityPath);
  const writer = createMessageWriter(parts, tracing && ((message) => tracing.inject(message, one)));
  const write = messageTypes === undefined ? writer : only(messageTypes, writer);
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new SobreError("Closed", "The sender is closed. Create a new one.");
  };
  const timedOut = (): void => link.abandon();
  const send = async (
    envelopes: readonly Envelope[],
    operation: (sender: EngineSender) => Promise<void>,
    abortSignal?: AbortSignal,
  ): Promise<void> => {
    const span = tracing?.startSend({ ...one, messageCount: envelopes.length }, envelopes);
    try {
      await retry.run(() => link.use(operation), { abortSignal, timedOut });
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  };
  const counted = async <T>(count: number, call: () => Promise<T>): Promise<T> => {
    try {
      const result = await call();
      signals.sent += count;
      return result;
    } catch (error) {
      signals.sendFailed(error, count);
      throw error;
    }
  };
  const sendEnvelopes = (envelopes: readonly Envelope[], sendOptions?: SendMessagesOptions): Promise<void> => {
    const bytes = envelopes.reduce((sum, { payload }) => sum + payload.byteLength, 0);
    return inFlight.run(envelopes.length, bytes, () =>
      counted(envelopes.length, () => sendNow(envelopes, sendOptions)),
    );
  };
  const sendNow = async (envelopes: readonly Envelope[], sendOptions: SendMessagesOptions = {}): Promise<void> => {
    // A transaction belongs to its connection, so a send in it is not retried on another.
    const { transaction, abortSignal } = sendOptions;
    if (transaction === undefined) await send(envelopes, (sender) => sender.send(envelopes), abortSignal);
    else {
      await retry.once(() => link.use((sender) => sender.send(envelopes, { transaction })), {
        abortSignal,
        timedOut,
      });
    }
  };
  const writeEach = async (messages: Message | readonly Message[]): Promise<readonly Envelope[]> => {
    const envelopes: Envelope[] = [];
    for (const message of listOf<Message>(messages)) envelopes.push(await write(message));
    return envelopes;
  };
  // Stages may wait for stores and key services.
  const writeAll = (messages: Message | readonly Message[], abortSignal?: AbortSignal): Promise<readonly Envelope[]> =>
    parts.stages.length === 0 ? writeEach(messages) : retry.once(() => writeEach(messages), { abortSignal });
  return {
    entityPath,
    async sendMessages(messages, sendOptions) {
      if (typeof messages !== "object" || messages === null)
        throw invalidOption("messages", "must be a message, an array of messages or a batch");
      if (sendOptions !== undefined) checkOptions(sendOptions, sendChecks);
      throwIfAborted(sendOptions?.abortSignal);
      checkOpen();
      await inFlight.call(async () => {
        const envelopes = isBatch(messages) ? messages.envelopes : await writeAll(messages, sendOptions?.abortSignal);
        if (envelopes.length > 0) await sendEnvelopes(envelopes, sendOptions);
      });
    },
    async sendMany(messages, manyOptions = {}) {
      checkSendMany(messages, manyOptions);
      checkOpen();
      const { abortSignal } = manyOptions;
      return inFlight.call(() =>
        sendEach(messages, manyOptions, async (message) => {
          throwIfAborted(abortSignal);
          await sendEnvelopes(await writeAll(message, abortSignal), { abortSignal });
        }),
      );
    },
    async createMessageBatch(batchOptions = {}) {
      checkOptions(batchOptions, batchChecks);
      const { maxSizeInBytes, abortSignal } = batchOptions;
      const { maxMessageSize } = await retry.run(() => link.get(), { abortSignal, timedOut });
      return createBatch(write, maxMessageSize, maxSizeInBytes);
    },
    async scheduleMessages(messages, scheduledEnqueueTimeUtc, scheduleOptions = {}) {
      checkOption("scheduledEnqueueTimeUtc", scheduledEnqueueTimeUtc, is.date);
      checkOptions(scheduleOptions, sendChecks);
      checkOpen();
      const { abortSignal, transaction } = scheduleOptions;
      throwIfAborted(abortSignal);
      const envelopes = (await writeAll(messages, abortSignal)).map((envelope) =>
        amend(envelope, { brokerProperties: { scheduledEnqueueTimeUtc } }),
      );
      const schedule = (): Promise<readonly bigint[]> => engine.schedule(entityPath, envelopes, { transaction });
      const attempts = transaction === undefined ? "run" : "once";
      return counted(envelopes.length, () => retry[attempts](schedule, { abortSignal }));
    },
    async cancelScheduledMessages(sequenceNumbers, cancelOptions = {}) {
      const numbers = sequenceNumbersOf(sequenceNumbers);
      checkOptions(cancelOptions, abortChecks);
      checkOpen();
      await retry.once(() => engine.cancel(entityPath, numbers), { abortSignal: cancelOptions.abortSignal });
    },
    async sendEnvelopes(envelopes, sendOptions) {
      const list = listOf<Envelope>(envelopes);
      if (sendOptions !== undefined) checkOptions(sendOptions, sendChecks);
      if (!list.every(is.isEnvelope))
        throw invalidOption("envelopes", "must be envelopes made by createEnvelope or a serializer");
      checkOpen();
      await inFlight.call(() => sendEnvelopes(list, sendOptions));
    },
    flush: () => inFlight.idle(),
    async close() {
      isClosed = true;
      await parts.closed();
      await inFlight.idle();
      await retry.once(() => link.close()).catch(() => undefined);
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/** A writer that refuses messages of other types. */
function only(messageTypes: readonly MessageType[], write: MessageWriter): MessageWriter {
  return (message) => {
    if (isTypedMessage(message) && messageTypes.includes(message.messageType)) return write(message);
    const names = messageTypes.map(({ name }) => name).join(", ");
    throw invalidOption("messages", `must be of the message types of this sender: ${names}`);
  };
}

function listOf<T>(items: T | readonly T[]): readonly T[] {
  return isList(items) ? items : [items];
}

function isList<T>(items: T | readonly T[]): items is readonly T[] {
  return Array.isArray(items);
}

/** The sequence numbers as an array. @throws SobreError `InvalidArgument` for anything else. */
export function sequenceNumbersOf(numbers: bigint | readonly bigint[]): readonly bigint[] {
  const list = typeof numbers === "bigint" ? [numbers] : numbers;
  checkOption("sequenceNumbers", list, is.listOf("bigints", is.sequenceNumber));
  return list;
}
