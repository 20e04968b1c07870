import type { UnreadableResult } from "../codec/result.ts";
import type { Delivery, ReceiveMode, Settlement } from "../engine/delivery.ts";
import { parseAddress } from "../engine/address.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { MessageType } from "../message/message-type.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { aFunction, checkOption, checkOptional, invalidOption } from "../options/option-checks.ts";
import type { ClientParts } from "./client-parts.ts";
import { operationOn } from "./tracing.ts";
import { failureSettlement, needsUnreadableHandler, unreadableSettlement } from "./dead-lettering.ts";
import type { LockRenewal, RenewalTarget } from "./lock-renewal.ts";
import { createMessageReader, type MessageReader, type MessageResult } from "./message-reader.ts";
import { errorReporter, type ProcessErrorArgs, type ReportError } from "./process-error.ts";
import { type ReadMessage, readMessage, take, type UnreadableMessage, unreadableMessage } from "./received-message.ts";
import { Hold } from "./hold.ts";
import type { BoundVerbs, Settler, SettlingVerbs } from "./settling.ts";

/**
 * The second argument of a handler: settles the message, as a receiver does. A message that the handler has settled is not
 * settled again. With a transaction that is rolled back, the message is delivered again when its lock ends.
 */
export interface MessageContext extends SettlingVerbs {
  /**
   * Aborted when renewing finds the lock lost: another receiver may handle the message from then on. A lock that is not
   * renewed any longer, because its maximum is over, ends without notice; settling then rejects.
   */
  readonly abortSignal: AbortSignal;
}

/** The functions that a processor calls. */
export interface ProcessorHandlers<Message = ReadMessage<readonly []>, Context = MessageContext> {
  /**
   * Called with every message that was read. When it resolves the message is completed, when it rejects abandoned with
   * the cause in the application property `sobre-failure`. The value it resolves to is ignored.
   */
  processMessage(message: Message, context: Context): Promise<void> | void;
  /** Called with everything that went wrong; an error it throws itself is ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
  /** Called with unreadable messages where they cannot be dead-lettered; required exactly there. */
  processUnreadable?(message: UnreadableMessage, context: Context): Promise<void> | void;
}

/** The options of a processor that its work needs. */
interface WorkOptions<Types extends readonly MessageType[], Context> {
  readonly entityPath: string;
  readonly parts: ClientParts;
  readonly handlers: ProcessorHandlers<ReadMessage<Types>, Context>;
  readonly receiveMode?: ReceiveMode | undefined;
  readonly autoCompleteMessages?: boolean | undefined;
  readonly messageTypes?: Types | undefined;
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

/** Where a delivery is handled. */
export interface Place<Context> {
  readonly settler: Settler;
  /** Keeps the locks of messages; `undefined` where they are locked with their session. */
  readonly renewal: LockRenewal | undefined;
  /** Makes the handler's context of the ordinary one. */
  readonly extend: (context: MessageContext, handling: Handling) => Context;
  readonly slot: Slot;
}

/** One of the places of a processor in which messages are handled, one after the other. */
export class Slot {
  /** Whether the broker's answer to a completion may come while the next message does; one that takes longer is waited for. */
  readonly overlaps: boolean;
  /** The completion of the last message, until it is over; it never rejects. */
  completing: Promise<void> | undefined;

  constructor(overlaps: boolean) {
    this.overlaps = overlaps;
  }
}

/** Handles deliveries for a processor: reads, calls the handler, settles. */
export class MessageWork<Types extends readonly MessageType[], Context> {
  readonly report: ReportError;
  readonly #options: WorkOptions<Types, Context>;
  /** Whether unreadable messages can be dead-lettered here. */
  readonly #deadLetters: boolean;
  readonly #read: MessageReader;

  /** @throws SobreError `InvalidArgument` naming the handler that is missing. */
  constructor(options: WorkOptions<Types, Context>) {
    const { parts, handlers, messageTypes, receiveMode = "peekLock", entityPath } = options;
    checkHandlers(entityPath, receiveMode, handlers);
    this.report = errorReporter(entityPath, (args) => handlers.processError(args));
    this.#options = options;
    this.#read = createMessageReader(parts, messageTypes);
    this.#deadLetters = receiveMode === "peekLock" && parseAddress(entityPath).subQueue === undefined;
  }

  /**
   * Handles a delivery; never rejects.
   *
   * Resolves to whether the message was given back because a store or key service was unavailable, as it will be for
   * others.
   */
  async handle(delivery: Delivery, { settler, renewal, extend, slot }: Place<Context>): Promise<boolean> {
    const { autoCompleteMessages = true } = this.#options;
    const { envelope, lockToken } = delivery;
    const handling = new Handling(delivery, settler, this.report);
    handling.lock = renewal?.keep(delivery.lockedUntilUtc, handling);
    const reading = this.#read(envelope);
    const result = reading instanceof Promise ? await reading : reading;
    // No redelivery in receiveAndDelete: the handler is called whatever the reason.
    if (!result.ok && lockToken !== undefined && (result.error.retryable || this.#deadLetters)) {
      await this.#traced(envelope, () => this.#refuse(handling, result), result.error);
      return result.error.retryable;
    }
    try {
      const returned = this.#call(result, handling, extend(new HandlerContext(settler.verbs, handling), handling));
      if (returned !== undefined) await returned;
    } catch (error) {
      // Where it is traced, it was reported inside the span.
      if (this.#options.parts.tracing === undefined) await this.report("handler", error, envelope);
      await this.#settle(handling, failureSettlement(envelope, error));
      return false;
    }
    if (!autoCompleteMessages) {
      handling.release();
      return false;
    }
    if (slot.completing !== undefined) await slot.completing;
    slot.completing = this.#settle(handling, completed);
    if (!slot.overlaps) await slot.completing;
    return false;
  }

  /** Gives a message back when a store or key service was unavailable, and dead-letters any other unreadable one. */
  async #refuse(handling: Handling, result: UnreadableResult): Promise<void> {
    const { envelope } = handling.message;
    const { error, attempts } = result;
    const settlement: Settlement = error.retryable ? { kind: "release" } : unreadableSettlement(envelope, result);
    await this.#settle(handling, settlement);
    await this.report("deserialize", error, envelope, attempts);
  }

  #call(result: MessageResult, handling: Handling, context: Context): Promise<void> | void {
    const { handlers, parts } = this.#options;
    const delivery = handling.message;
    const handle = (): Promise<void> | void => {
      if (result.ok) {
        const message = readMessage<Types>(delivery, result, parts.replies);
        handling.take(message);
        return handlers.processMessage(message, context);
      }
      const message = unreadableMessage(delivery, result, parts.replies);
      handling.take(message);
      return handlers.processUnreadable?.(message, context);
    };
    if (parts.tracing === undefined) return handle();
    return this.#traced(delivery.envelope, async () => {
      try {
        await handle();
      } catch (error) {
        await this.report("handler", error, delivery.envelope);
        throw error;
      }
    });
  }

  /** Runs in the span of a message, which ends with the failure that is known before. */
  async #traced(envelope: Envelope, run: () => Promise<void>, failure?: SobreError): Promise<void> {
    const { entityPath, parts } = this.#options;
    if (parts.tracing === undefined) return run();
    const operation = operationOn(parts.engine, entityPath);
    try {
      await parts.tracing.process(operation, envelope, async () => {
        await run();
        if (failure !== undefined) throw failure;
      });
    } catch (error) {
      if (error !== failure) throw error;
    }
  }

  /** Settles once; a lost lock is reported, and kept no longer in any case. */
  async #settle(handling: Handling, settlement: Settlement): Promise<void> {
    try {
      if (handling.isOver) return;
      handling.isSettled = true;
      await handling.settler.settle(handling.message, settlement);
    } catch (error) {
      // An earlier try may have settled it, and then this is no failure; otherwise the message is delivered again.
      if (error instanceof SobreError && error.outcome === "unknown") return;
      await this.report("settle", error, handling.message.envelope);
    } finally {
      handling.release();
    }
  }
}

const completed: Settlement = { kind: "complete" };

/** One delivery in the hands of a processor. */
export class Handling extends Hold implements RenewalTarget {
  readonly settler: Settler;
  /** The delivery, and from the call of the handler on the message that it was given. */
  message: Delivery;
  readonly #report: ReportError;
  #abort: AbortController | undefined;
  #lost: { readonly reason: unknown } | undefined;

  constructor(delivery: Delivery, settler: Settler, report: ReportError) {
    super();
    this.message = delivery;
    this.settler = settler;
    this.#report = report;
  }

  /** Whether nothing is left to settle: the lock is lost, there is none, or a settlement was begun. */
  get isOver(): boolean {
    return this.isSettled || this.#lost !== undefined || this.message.lockToken === undefined;
  }

  /** Goes on with the message that the handler is given. */
  take(message: Delivery): void {
    this.message = message;
    take(message, this);
  }

  /** The handler's signal, made when it is asked for. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#lost !== undefined) this.#abort.abort(this.#lost.reason);
    return this.#abort.signal;
  }

  /** Aborts the handler's signal. */
  loseLock(reason: unknown): void {
    this.#lost = { reason };
    this.#abort?.abort(reason);
  }

  renew(): Promise<Date> {
    return this.settler.renew(this.message);
  }

  lost(error: unknown): void {
    // A renewal under way while the message is settled finds the lock gone, as it should be.
    if (this.isOver) return;
    this.loseLock(error);
    void this.#report("renewLock", error, this.message.envelope);
  }
}

/** A handler's context. */
class HandlerContext implements MessageContext {
  readonly completeMessage: BoundVerbs["completeMessage"];
  readonly abandonMessage: BoundVerbs["abandonMessage"];
  readonly deferMessage: BoundVerbs["deferMessage"];
  readonly deadLetterMessage: BoundVerbs["deadLetterMessage"];
  readonly renewMessageLock: BoundVerbs["renewMessageLock"];
  readonly #handling: Handling;

  constructor(verbs: BoundVerbs, handling: Handling) {
    this.completeMessage = verbs.completeMessage;
    this.abandonMessage = verbs.abandonMessage;
    this.deferMessage = verbs.deferMessage;
    this.deadLetterMessage = verbs.deadLetterMessage;
    this.renewMessageLock = verbs.renewMessageLock;
    this.#handling = handling;
  }

  get abortSignal(): AbortSignal {
    return this.#handling.signal;
  }
}
