import type { ReadResult, UnreadableResult } from "../codec/index.ts";
import { type Delivery, parseAddress, type ReceiveMode } from "../engine/index.ts";
import type { Envelope } from "../envelope/index.ts";
import { type ErrorCode, SobreError } from "../errors/index.ts";
import { createMessageReader } from "./message-reader.ts";
import { type ReceivedMessage, receivedMessage } from "./received-message.ts";
import type { ClientParts } from "./sender.ts";
import { needsUnreadableHandler, unreadableSettlement } from "./unreadable.ts";

/** What went wrong in a processor. */
export interface ProcessErrorArgs {
  readonly entityPath: string;
  /** `receive`: the engine; `deserialize`: nothing could read the payload; `handler`: `processMessage` rejected; `settle`: the engine again. */
  readonly errorSource: "receive" | "deserialize" | "handler" | "settle";
  readonly error: unknown;
  /** The code of `error`, or `GeneralError` when it is foreign. */
  readonly code: ErrorCode;
  /** The message concerned, if there is one. */
  readonly envelope: Envelope | undefined;
  /** The attempts at an unreadable message. */
  readonly attempts: UnreadableResult["attempts"];
}

/** What a processor calls. */
export interface ProcessorHandlers {
  /** Called with every message that was read. When it resolves the message is completed, when it rejects abandoned. */
  processMessage(message: ReceivedMessage<ReadResult>): Promise<void> | void;
  /** Told of everything that went wrong; what it throws itself is ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
  /** Called with messages that nothing can read, where they cannot be dead-lettered; required exactly there. */
  processUnreadable?(message: ReceivedMessage<UnreadableResult>): Promise<void> | void;
}

/** Options of a processor. */
export interface ProcessorOptions {
  /** Default: `peekLock`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /** How many messages are in a handler at once. Default: 1. */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether a message is completed when its handler resolves. Default: true. */
  readonly autoCompleteMessages?: boolean | undefined;
}

/** Receives and handles messages until it is closed. */
export interface Processor {
  readonly entityPath: string;
  /** Stops receiving and resolves when the handlers that run have ended and their messages are settled. */
  close(): Promise<void>;
}

/** Milliseconds that one receive waits; it only bounds how long an idle link is silent. */
const receiveWait = 60_000;

/** How many receives in a row may fail, with errors that may be retried, before the processor ends. */
const maxReceiveFailures = 3;

/**
 * Starts a processor.
 *
 * In `peekLock` an unreadable message is dead-lettered at once, then `processError` is told.
 *
 * @throws SobreError `InvalidArgument` for a wrong option, and when `processUnreadable` is missing in
 *   `receiveAndDelete` or on a sub-queue, where nothing can be dead-lettered.
 */
export function startProcessor(
  entityPath: string,
  parts: ClientParts,
  handlers: ProcessorHandlers,
  options: ProcessorOptions = {},
): Processor {
  const { receiveMode = "peekLock", maxConcurrentCalls = 1, autoCompleteMessages = true } = options;
  if (!Number.isSafeInteger(maxConcurrentCalls) || maxConcurrentCalls < 1) {
    throw new SobreError("InvalidArgument", "maxConcurrentCalls must be an integer from 1 up.");
  }
  if (handlers.processUnreadable === undefined) {
    if (receiveMode === "receiveAndDelete") throw needsUnreadableHandler("in receiveAndDelete");
    if (parseAddress(entityPath).subQueue !== undefined) throw needsUnreadableHandler("on a sub-queue");
  }
  const stop = new AbortController();
  const worker = new Worker(entityPath, parts, handlers, { receiveMode, autoCompleteMessages });
  const running = Promise.all(Array.from({ length: maxConcurrentCalls }, () => worker.run(stop.signal)));
  return {
    entityPath,
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** One receiving loop's work; several loops share it. */
class Worker {
  readonly #entityPath: string;
  readonly #parts: ClientParts;
  readonly #handlers: ProcessorHandlers;
  readonly #options: { readonly receiveMode: ReceiveMode; readonly autoCompleteMessages: boolean };
  /** Whether unreadable messages can be dead-lettered here. */
  readonly #deadLetters: boolean;
  readonly #read: ReturnType<typeof createMessageReader>;

  constructor(
    entityPath: string,
    parts: ClientParts,
    handlers: ProcessorHandlers,
    options: { readonly receiveMode: ReceiveMode; readonly autoCompleteMessages: boolean },
  ) {
    this.#entityPath = entityPath;
    this.#parts = parts;
    this.#handlers = handlers;
    this.#options = options;
    this.#read = createMessageReader(parts.serializer, parts.stages);
    this.#deadLetters = options.receiveMode === "peekLock" && parseAddress(entityPath).subQueue === undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted && failures < maxReceiveFailures;) {
      try {
        const link = await this.#parts.engine.openReceiver(this.#entityPath, {
          receiveMode: this.#options.receiveMode,
        });
        try {
          while (!signal.aborted) {
            const deliveries = await link.receive({ maxMessages: 1, maxWaitTime: receiveWait, signal });
            failures = 0;
            for (const delivery of deliveries) await this.#handle(delivery);
          }
        } finally {
          await link.close();
        }
      } catch (error) {
        failures++;
        if (!signal.aborted) await this.#tell("receive", error, undefined);
        if (!(error instanceof SobreError && error.retryable)) return;
      }
    }
  }

  async #handle(delivery: Delivery): Promise<void> {
    const result = await this.#read(delivery.envelope);
    if (result.ok) {
      return this.#call(() => this.#handlers.processMessage(receivedMessage(delivery, result)), delivery);
    }
    if (!this.#deadLetters) {
      return this.#call(() => this.#handlers.processUnreadable?.(receivedMessage(delivery, result)), delivery);
    }
    await this.#settle(delivery, unreadableSettlement(delivery.envelope, result));
    await this.#tell("deserialize", result.error, delivery.envelope, result.attempts);
  }

  async #call(handler: () => Promise<void> | void, delivery: Delivery): Promise<void> {
    try {
      await handler();
    } catch (error) {
      await this.#tell("handler", error, delivery.envelope);
      await this.#settle(delivery, { kind: "abandon" });
      return;
    }
    if (this.#options.autoCompleteMessages) await this.#settle(delivery, { kind: "complete" });
  }

  async #settle(delivery: Delivery, settlement: Parameters<ClientParts["engine"]["settle"]>[2]): Promise<void> {
    if (delivery.lockToken === undefined) return;
    try {
      await this.#parts.engine.settle(this.#entityPath, delivery.lockToken, settlement);
    } catch (error) {
      await this.#tell("settle", error, delivery.envelope);
    }
  }

  async #tell(
    errorSource: ProcessErrorArgs["errorSource"],
    error: unknown,
    envelope: Envelope | undefined,
    attempts: UnreadableResult["attempts"] = [],
  ): Promise<void> {
    const code = error instanceof SobreError ? error.code : "GeneralError";
    try {
      await this.#handlers.processError({ entityPath: this.#entityPath, errorSource, error, code, envelope, attempts });
    } catch {
      // There is nobody left to tell.
    }
  }
}
