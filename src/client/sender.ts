import type { Message } from "../codec/serializer.ts";
import type { EngineSender, TransactionOption } from "../engine/engine.ts";
import { amend, type Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { ClientParts } from "./client-parts.ts";
import { Link } from "./link.ts";
import { createBatch, isBatch, type MessageBatch } from "./message-batch.ts";
import { createMessageWriter } from "./message-writer.ts";
import {
  checkOption,
  checkOptions,
  countFrom,
  invalidOption,
  isDate,
  isEnvelope,
  listOf as checkList,
  type OptionChecks,
  sequenceNumber,
  signal,
} from "../options/option-checks.ts";
import { type AbortOption, throwIfAborted } from "./attempts.ts";

/** Options of what sends. */
export interface SendMessagesOptions extends TransactionOption, AbortOption {}

/** Options of {@link Sender.sendMany}. */
export interface SendManyOptions extends AbortOption {
  /** How many sends have no outcome yet at once. Default: 16. */
  readonly maxConcurrency?: number | undefined;
}

/** Options of {@link Sender.createMessageBatch}. */
export interface CreateMessageBatchOptions extends AbortOption {
  /** Default: what the entity takes in one send. */
  readonly maxSizeInBytes?: number | undefined;
}

/** What became of one of many messages. */
export type SendOutcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/** Sends messages to one entity. Retries what is retryable; with duplicate detection and message ids that is safe. */
export interface Sender extends AsyncDisposable {
  readonly entityPath: string;
  /**
   * Serializes and sends one message, several or a batch; resolves when all are accepted. When it rejects none was, unless the
   * connection was lost before the answer: then nobody knows, and the error is retryable.
   *
   * @throws SobreError what the message type, the serializer, a stage or the engine throws.
   */
  sendMessages(messages: Message | readonly Message[] | MessageBatch, options?: SendMessagesOptions): Promise<void>;
  /** Sends each message by itself, several at once; resolves to an outcome per message, in their order, and never rejects for one. */
  sendMany(
    messages: Iterable<Message> | AsyncIterable<Message>,
    options?: SendManyOptions,
  ): Promise<readonly SendOutcome[]>;
  /** @throws SobreError `InvalidArgument` when `maxSizeInBytes` is above what the entity takes, which is the default. */
  createMessageBatch(options?: CreateMessageBatchOptions): Promise<MessageBatch>;
  /** Has the messages enqueued at a time; resolves to their sequence numbers, in order, with which they can be cancelled. */
  scheduleMessages(
    messages: Message | readonly Message[],
    scheduledEnqueueTimeUtc: Date,
    options?: SendMessagesOptions,
  ): Promise<readonly bigint[]>;
  /** @throws SobreError `MessageNotFound` when one of them is not scheduled any more. */
  cancelScheduledMessages(sequenceNumbers: bigint | readonly bigint[], options?: AbortOption): Promise<void>;
  /** Sends envelopes as they are, without serializer and stages; for re-driving and for bridges. */
  sendEnvelopes(envelopes: Envelope | readonly Envelope[], options?: SendMessagesOptions): Promise<void>;
  close(): Promise<void>;
}

const sendChecks: OptionChecks<SendMessagesOptions> = {
  abortSignal: signal,
  // The engine that began it knows its own.
  transaction: () => undefined,
};
/** The check of {@link AbortOption}. */
export const abortChecks: OptionChecks<AbortOption> = { abortSignal: signal };
const batchChecks: OptionChecks<CreateMessageBatchOptions> = { maxSizeInBytes: countFrom(1), abortSignal: signal };
const manyChecks: OptionChecks<SendManyOptions> = { maxConcurrency: countFrom(1), abortSignal: signal };

/** Makes a sender; the link is opened by the first send. */
export function createSender(entityPath: string, parts: ClientParts): Sender {
  const { engine, retry, tracing } = parts;
  const link = new Link("sender", () => engine.openSender(entityPath));
  const write = createMessageWriter(entityPath, parts);
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new SobreError("Closed", "The sender is closed. Create another.");
  };
  const timedOut = (): void => link.abandon();
  const send = async (
    envelopes: readonly Envelope[],
    operation: (sender: EngineSender) => Promise<void>,
    abortSignal?: AbortSignal,
  ): Promise<void> => {
    const span = tracing?.startSend({ entityPath, engine: engine.name, messageCount: envelopes.length });
    try {
      await retry.run(() => link.use(operation), { signal: abortSignal, timedOut });
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  };
  const sendEnvelopes = async (envelopes: readonly Envelope[], options: SendMessagesOptions = {}): Promise<void> => {
    // A transaction belongs to the connection it was begun on, so that a send in it is not repeated on another.
    const { transaction, abortSignal } = options;
    if (transaction === undefined) await send(envelopes, (sender) => sender.send(envelopes), abortSignal);
    else {
      await retry.once(() => link.use((sender) => sender.send(envelopes, { transaction })), {
        signal: abortSignal,
        timedOut,
      });
    }
  };
  const writeEach = async (messages: Message | readonly Message[]): Promise<readonly Envelope[]> => {
    const envelopes: Envelope[] = [];
    for (const message of listOf<Message>(messages)) envelopes.push(await write(message));
    return envelopes;
  };
  // Stages wait for stores and keys.
  const writeAll = (messages: Message | readonly Message[], abortSignal?: AbortSignal): Promise<readonly Envelope[]> =>
    parts.stages.length === 0 ? writeEach(messages) : retry.once(() => writeEach(messages), { signal: abortSignal });
  return {
    entityPath,
    async sendMessages(messages, options) {
      if (typeof messages !== "object" || messages === null)
        throw invalidOption("messages", "must be a message, a list or a batch");
      if (options !== undefined) checkOptions(options, sendChecks);
      throwIfAborted(options?.abortSignal);
      const envelopes = isBatch(messages) ? messages.envelopes : await writeAll(messages, options?.abortSignal);
      if (envelopes.length > 0) await sendEnvelopes(envelopes, options);
    },
    async sendMany(messages, options = {}) {
      if (!isIterable(messages)) throw invalidOption("messages", "must be an iterable of messages");
      checkOptions(options, manyChecks);
      const { maxConcurrency = 16, abortSignal } = options;
      return sendEach(messages, maxConcurrency, async (message) => {
        throwIfAborted(abortSignal);
        await sendEnvelopes(await writeAll(message, abortSignal), { abortSignal });
      });
    },
    async createMessageBatch(options = {}) {
      checkOptions(options, batchChecks);
      const { maxSizeInBytes, abortSignal } = options;
      const { maxMessageSize } = await retry.run(() => link.get(), { signal: abortSignal, timedOut });
      return createBatch(write, maxMessageSize, maxSizeInBytes);
    },
    async scheduleMessages(messages, scheduledEnqueueTimeUtc, options = {}) {
      checkOption("scheduledEnqueueTimeUtc", scheduledEnqueueTimeUtc, isDate);
      checkOptions(options, sendChecks);
      checkOpen();
      const { abortSignal, transaction } = options;
      throwIfAborted(abortSignal);
      const envelopes = (await writeAll(messages, abortSignal)).map((envelope) =>
        amend(envelope, { brokerProperties: { scheduledEnqueueTimeUtc } }),
      );
      const schedule = (): Promise<readonly bigint[]> => engine.schedule(entityPath, envelopes, { transaction });
      return retry[transaction === undefined ? "run" : "once"](schedule, { signal: abortSignal });
    },
    async cancelScheduledMessages(sequenceNumbers, options = {}) {
      const numbers = sequenceNumbersOf(sequenceNumbers);
      checkOptions(options, abortChecks);
      checkOpen();
      await retry.once(() => engine.cancel(entityPath, numbers), { signal: options.abortSignal });
    },
    async sendEnvelopes(envelopes, options) {
      const list = listOf<Envelope>(envelopes);
      if (options !== undefined) checkOptions(options, sendChecks);
      if (!list.every(isEnvelope)) throw invalidOption("envelopes", "must be envelopes, as createEnvelope makes them");
      await sendEnvelopes(list, options);
    },
    async close() {
      isClosed = true;
      await parts.closed();
      await retry.once(() => link.close()).catch(() => undefined);
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/** Takes the messages as places become free, so that a long stream is never held in memory. */
async function sendEach(
  messages: Iterable<Message> | AsyncIterable<Message>,
  maxConcurrency: number,
  send: (message: Message) => Promise<void>,
): Promise<readonly SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  const running = new Set<Promise<void>>();
  let index = 0;
  const start = async (message: Message, at: number): Promise<void> => {
    try {
      await send(message);
      outcomes[at] = { ok: true };
    } catch (error) {
      outcomes[at] = { ok: false, error };
    }
  };
  try {
    for await (const message of messages) {
      const sending = start(message, index++).finally(() => running.delete(sending));
      running.add(sending);
      if (running.size >= maxConcurrency) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  return outcomes;
}

function listOf<T>(items: T | readonly T[]): readonly T[] {
  return isList(items) ? items : [items];
}

function isList<T>(items: T | readonly T[]): items is readonly T[] {
  return Array.isArray(items);
}

function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** The numbers as a list. @throws SobreError `InvalidArgument` for what is no number of a message. */
export function sequenceNumbersOf(numbers: bigint | readonly bigint[]): readonly bigint[] {
  const list = typeof numbers === "bigint" ? [numbers] : numbers;
  checkOption("sequenceNumbers", list, checkList("bigints", sequenceNumber));
  return list;
}
