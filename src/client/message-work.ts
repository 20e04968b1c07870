import type { UnreadableResult } from "../codec/result.ts";
import type { Delivery, ReceiveMode, Settlement } from "../engine/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import { parseAddress } from "../engine/address.ts";
import type { MessageType } from "../message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import { failureSettlement } from "./failure.ts";
import type { LockRenewal } from "./lock-renewal.ts";
import { HandlerContext, type MessageContext } from "./message-context.ts";
import { createMessageReader, type MessageReader, type MessageResult } from "./message-reader.ts";
import { aFunction, checkOption, checkOptional, invalidOption } from "../options/option-checks.ts";
import { errorTeller, type ProcessErrorArgs, type TellError } from "./process-error.ts";
import { type ReadMessage, readMessage, type UnreadableMessage, unreadableMessage } from "./received-message.ts";
import { needsUnreadableHandler, unreadableSettlement } from "./unreadable.ts";

/** What a processor calls. */
export interface ProcessorHandlers<Message = ReadMessage<readonly []>, Context = MessageContext> {
  /**
   * Called with every message that was read. When it resolves the message is completed, when it rejects abandoned with
   * the cause in the application property `sobre-failure`. What it resolves to is ignored.
   */
  processMessage(message: Message, context: Context): Promise<void> | void;
  /** Told of everything that went wrong; what it throws itself is ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
  /** Called with messages that nothing can read, where they cannot be dead-lettered; required exactly there. */
  processUnreadable?(message: UnreadableMessage, context: Context): Promise<void> | void;
}

/** What a {@link MessageWork} needs. */
interface WorkOptions<Types extends readonly MessageType[], Context> {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly autoCompleteMessages: boolean;
  readonly messageTypes: Types | undefined;
  readonly parts: ClientParts;
  readonly handlers: ProcessorHandlers<ReadMessage<Types>, Context>;
  readonly tell: TellError;
}

/** @throws SobreError `InvalidArgument` naming the handler that is missing. */
function checkHandlers(
  entityPath: string,
  receiveMode: ReceiveMode,
  handlers: { readonly [K in "processMessage" | "processError" | "processUnreadable"]?: unknown },
): void {
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkOption("processMessage", handlers.processMessage, aFunction);
  checkOption("processError", handlers.processError, aFunction);
  checkOptional("processUnreadable", handlers.processUnreadable, aFunction);
  if (handlers.processUnreadable !== undefined) return;
  if (receiveMode === "receiveAndDelete") throw needsUnreadableHandler("in receiveAndDelete");
  if (parseAddress(entityPath).subQueue !== undefined) throw needsUnreadableHandler("on a sub-queue");
}

/** The part of a processor's options that its work needs. */
interface WorkingOptions<Types extends readonly MessageType[]> {
  readonly receiveMode?: ReceiveMode | undefined;
  readonly autoCompleteMessages?: boolean | undefined;
  readonly messageTypes?: Types | undefined;
}

/** The work of a processor and who is told of what goes wrong. @throws SobreError `InvalidArgument` naming the handler that is missing. */
export function createWork<Types extends readonly MessageType[], Context>(
  entityPath: string,
  parts: ClientParts,
  handlers: ProcessorHandlers<ReadMessage<Types>, Context>,
  { receiveMode = "peekLock", autoCompleteMessages = true, messageTypes }: WorkingOptions<Types>,
): { readonly work: MessageWork<Types, Context>; readonly tell: TellError } {
  checkHandlers(entityPath, receiveMode, handlers);
  const tell = errorTeller(entityPath, (args) => handlers.processError(args));
  const own = { entityPath, receiveMode, autoCompleteMessages, messageTypes };
  return { tell, work: new MessageWork<Types, Context>({ ...own, parts, handlers, tell }) };
}

const complete: Settlement = { kind: "complete" };

/** What a processor does with one delivery: read, handle, settle. */
export class MessageWork<Types extends readonly MessageType[], Context> {
  readonly #options: WorkOptions<Types, Context>;
  /** Whether unreadable messages can be dead-lettered here. */
  readonly #deadLetters: boolean;
  readonly #read: MessageReader;

  constructor(options: WorkOptions<Types, Context>) {
    const { parts, messageTypes, receiveMode, entityPath } = options;
    this.#options = options;
    this.#read = createMessageReader(parts, messageTypes);
    this.#deadLetters = receiveMode === "peekLock" && parseAddress(entityPath).subQueue === undefined;
  }

  /**
   * Handles a delivery; never rejects. `extend` makes the handler's context of the ordinary one.
   *
   * Resolves to whether it was given back because a store or a key service was away, which others would find away too.
   */
  async handle(
    delivery: Delivery,
    engine: Engine,
    renewal: LockRenewal | undefined,
    extend: (context: HandlerContext) => Context,
  ): Promise<boolean> {
    const { entityPath, tell, autoCompleteMessages, parts } = this.#options;
    const { envelope, lockToken } = delivery;
    const context = new HandlerContext(engine, entityPath, delivery, tell, parts.engine);
    if (lockToken !== undefined) renewal?.keep(lockToken, delivery.lockedUntilUtc, context);
    try {
      const reading = this.#read(envelope);
      const result = reading instanceof Promise ? await reading : reading;
      // What was received and deleted does not come back, so that its handler is told of it, whatever the reason.
      if (!result.ok && lockToken !== undefined && (result.error.retryable || this.#deadLetters)) {
        await this.#refuse(delivery, context, result);
        return result.error.retryable;
      }
      try {
        const returned = this.#call(delivery, result, context, extend(context));
        if (returned !== undefined) await returned;
      } catch (error) {
        await tell("handler", error, envelope);
        await this.#settle(delivery, context, failureSettlement(envelope, error));
        return false;
      }
      if (autoCompleteMessages) await this.#settle(delivery, context, complete);
      return false;
    } finally {
      renewal?.release(lockToken);
    }
  }

  /** What was not read is dead-lettered, or comes back when a store or a key service was away: then it is as good as it was. */
  async #refuse(delivery: Delivery, context: HandlerContext, result: UnreadableResult): Promise<void> {
    const { envelope } = delivery;
    const { error, attempts } = result;
    const settlement = error.retryable ? failureSettlement(envelope, error) : unreadableSettlement(envelope, result);
    await this.#settle(delivery, context, settlement);
    await this.#options.tell("deserialize", error, envelope, attempts);
  }

  #call(delivery: Delivery, result: MessageResult, own: HandlerContext, context: Context): Promise<void> | void {
    const { entityPath, handlers, parts } = this.#options;
    const handle = (): Promise<void> | void => {
      if (result.ok) {
        const message = readMessage<Types>(delivery, result);
        own.handles(message);
        return handlers.processMessage(message, context);
      }
      const message = unreadableMessage(delivery, result);
      own.handles(message);
      return handlers.processUnreadable?.(message, context);
    };
    if (parts.tracing === undefined) return handle();
    const operation = { entityPath, engine: parts.engine.name, messageCount: 1 };
    return parts.tracing.process(operation, delivery.envelope, async () => handle());
  }

  /** Once only: a lost lock, or an outcome that nobody knows, is not tried again but told. */
  async #settle(delivery: Delivery, context: HandlerContext, settlement: Settlement): Promise<void> {
    if (context.isSettled) return;
    try {
      await context.settle(settlement);
    } catch (error) {
      await this.#options.tell("settle", error, delivery.envelope);
    }
  }
}
