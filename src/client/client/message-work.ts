import type { UnreadableResult } from "../../core/codec/result.ts";
import type { Delivery, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import { parseAddress } from "../../core/engine/address.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { ClientParts } from "./client-parts.ts";
import { operationOn } from "./tracing.ts";
import { failureSettlement, faultSettlement, unreadableSettlement } from "./dead-lettering.ts";
import type { LockRenewal } from "./lock-renewal.ts";
import { createMessageReader, type MessageReader, type MessageResult } from "./message-reader.ts";
import type { GivenUp, LoopState } from "./processor-loops.ts";
import { LinkedList } from "../../core/time/linked-list.ts";
import { codeOf, errorReporter, type ReportError } from "./process-error.ts";
import { checkHandlers, type ProcessorHandlers } from "./processor-handlers.ts";
import { type ReadMessage, readMessage, unreadableMessage } from "./received-message.ts";
import { boundHandler } from "./handlers-by-type.ts";
import { HandlerContext, Handling, type MessageContext } from "./handling.ts";
import { isRetryable } from "./attempts.ts";
import { checkRetention } from "./idempotent.ts";
import type { SessionRetries } from "./message-retries.ts";
import { Breaker, type PauseWhen, type FailureVerdict } from "./pause-when.ts";
import { Recovery } from "./recovery.ts";
import { isSessionGone } from "./retry.ts";
import { isTimer } from "./retry-timer.ts";
import { RetryTimers } from "./retry-timers.ts";
import type { SessionOrder } from "./session-order.ts";
import type { Settler } from "./settling.ts";
import { Slot } from "./slot.ts";

/** The processor options that {@link MessageWork} needs. */
interface WorkOptions<Types extends readonly MessageType[], Context> {
  readonly entityPath: string;
  readonly parts: ClientParts;
  readonly handlers: ProcessorHandlers<ReadMessage<Types>, Context>;
  readonly receiveMode?: ReceiveMode | undefined;
  readonly autoCompleteMessages?: boolean | undefined;
  readonly messageTypes?: Types | undefined;
  readonly retries?: SessionRetries | undefined;
  readonly pauseWhen?: PauseWhen | undefined;
  /** Default: false. */
  readonly inSessions?: boolean | undefined;
}

/** The circumstances in which a delivery is handled. */
export interface HandlingContext<Context> {
  readonly settler: Settler;
  /** Renews the locks of messages; `undefined` where their session holds the lock. */
  readonly renewal: LockRenewal | undefined;
  /** Makes the handler's context from the basic one. */
  readonly extend: (context: MessageContext, handling: Handling) => Context;
  readonly slot: Slot;
  readonly loop: LoopState;
  /** The order of the session, where its messages are handled one after another. */
  readonly order?: SessionOrder | undefined;
}

/** Handles deliveries for a processor: reads, calls the handler, settles. */
export class MessageWork<Types extends readonly MessageType[], Context> {
  readonly report: ReportError;
  readonly #options: WorkOptions<Types, Context>;
  /** Where a timer is a dead letter like any other: its message is not here. */
  readonly #isSubQueue: boolean;
  /** Whether unreadable messages can be dead-lettered here. */
  readonly #deadLetters: boolean;
  readonly #read: MessageReader;
  readonly #processMessage: (message: ReadMessage<Types>, context: Context) => Promise<void> | void;
  readonly #timers: RetryTimers;
  readonly #recovery: Recovery | undefined;
  readonly #breaker: Breaker | undefined;
  /** The messages that handlers are called with, or will be once they are read. */
  readonly #running = new LinkedList<Handling>();

  /** @throws SobreError `InvalidArgument` naming the handler that is missing, and what {@link Recovery} throws. */
  constructor(options: WorkOptions<Types, Context>) {
    const { parts, handlers, messageTypes, receiveMode = "peekLock", entityPath } = options;
    checkHandlers(entityPath, receiveMode, handlers, messageTypes);
    const { signals } = parts;
    this.report = errorReporter(
      entityPath,
      (args) => handlers.processError(args),
      (error, envelope) => signals.lockLost(error, envelope.brokerProperties),
    );
    this.#options = options;
    this.#read = createMessageReader(parts, messageTypes);
    this.#processMessage = boundHandler<ReadMessage<Types>, Context, Promise<void> | void>(
      handlers,
      handlers.processMessage,
    );
    this.#timers = new RetryTimers(entityPath, parts);
    const { retries, pauseWhen, inSessions = false } = options;
    this.#breaker = pauseWhen === undefined ? undefined : new Breaker(pauseWhen);
    this.#recovery = retries && new Recovery(retries, { entityPath, receiveMode, parts, inSessions, messageTypes });
    if (this.#recovery !== undefined) checkRetention(handlers.processMessage, this.#recovery.horizon);
    this.#isSubQueue = parseAddress(entityPath).subQueue !== undefined;
    this.#deadLetters = receiveMode === "peekLock" && !this.#isSubQueue;
  }

  /** Whether the breaker is open: only a message that is handled ends the outage. */
  get isOutage(): boolean {
    return this.#breaker?.isOpen === true;
  }

  /** Sequence numbers to skip in a trial: they failed in earlier ones. */
  get tried(): ReadonlySet<bigint> {
    return this.#breaker?.tried ?? noMessages;
  }

  /** Milliseconds of the pause after this many outages in a row. */
  pauseOf(failures: number): number {
    return this.#breaker?.delay(failures) ?? this.#options.parts.retry.delay(failures);
  }

  /** The number of messages that are being handled. */
  get inFlight(): number {
    return [...this.#running].length;
  }

  /** Aborts the handlers that run, except those that wait for it, and releases their messages. */
  giveUp(): GivenUp {
    const { entityPath } = this.#options;
    const given = [...this.#running].filter(({ loop }) => !loop.isWaiting);
    const left = given
      .filter(({ isSettled }) => !isSettled)
      .map(({ message: { sequenceNumber, envelope } }) => ({
        entityPath,
        messageId: envelope.brokerProperties.messageId,
        sequenceNumber,
      }));
    const reason = tooLate(entityPath);
    return { left, released: Promise.all(given.map((handling) => handling.giveUp(reason).catch(() => undefined))) };
  }

  /**
   * Handles a delivery; never rejects.
   *
   * Resolves to whether to pause: a store or key service was unavailable, as it would be for other messages, or the
   * breaker is open.
   */
  async handle(delivery: Delivery, place: HandlingContext<Context>): Promise<boolean> {
    const { autoCompleteMessages = true } = this.#options;
    const { envelope, lockToken } = delivery;
    if (isTimer(envelope) && !this.#isSubQueue) return this.#wake(delivery, place);
    const { settler, renewal, extend, slot } = place;
    const handling = new Handling(delivery, place, this.report);
    handling.lock = renewal?.keep(delivery.lockedUntilUtc, handling);
    this.#running.append(handling);
    const reading = this.#read(envelope);
    const result = reading instanceof Promise ? await reading : reading;
    // No redelivery in receiveAndDelete: the handler is called whatever the reason.
    if (!result.ok && lockToken !== undefined && (result.error.retryable || this.#deadLetters)) {
      this.#running.remove(handling);
      await this.#traced(envelope, () => this.#refuse(handling, result), result.error);
      return result.error.retryable;
    }
    try {
      const returned = this.#call(result, handling, extend(new HandlerContext(settler.verbs, handling), handling));
      if (returned !== undefined) await returned;
      this.#running.remove(handling);
    } catch (error) {
      this.#running.remove(handling);
      // When traced, it has been reported inside the span.
      if (this.#options.parts.tracing === undefined) await this.report("handler", error, envelope);
      const verdict =
        this.#breaker === undefined
          ? undefined
          : await this.#judge(this.#breaker, error, delivery, renewal === undefined);
      if (verdict?.spares === true) {
        await this.#settle(handling, { kind: "release" });
        return true;
      }
      const messageType = result.ok ? result.messageType : undefined;
      if (this.#recovery === undefined) await this.#settle(handling, await this.#failure(handling, error));
      else await this.#recover(this.#recovery, handling, error, messageType);
      return verdict?.pauses === true;
    }
    this.#breaker?.succeeded();
    if (!autoCompleteMessages) {
      handling.release();
      return false;
    }
    if (slot.isFull) await slot.room();
    this.#complete(handling, slot);
    if (slot.confirmsFirst) await slot.ended();
    return false;
  }

  /** The breaker's view of a failure; an error of its predicate is reported. */
  async #judge(
    breaker: Breaker,
    error: unknown,
    delivery: Delivery,
    inSession: boolean,
  ): Promise<FailureVerdict | undefined> {
    try {
      return breaker.failed(error, delivery, inSession);
    } catch (wrong) {
      await this.report("handler", wrong, delivery.envelope);
      return undefined;
    }
  }

  /** Handles the message that a timer was set for; the timer is completed when the message no longer waits. */
  async #wake(timer: Delivery, place: HandlingContext<Context>): Promise<boolean> {
    const { settler, renewal } = place;
    const handling = new Handling(timer, place, this.report);
    handling.lock = renewal?.keep(timer.lockedUntilUtc, handling);
    let isAway = false;
    try {
      const message = await this.#timers.take(timer, settler.engine);
      // Nothing may be left to confirm when the timer is completed.
      if (message !== undefined) isAway = await this.handle(message, { ...place, slot: new Slot(0) });
      await this.#timers.end(timer, settler);
    } catch (error) {
      await this.report("receive", error, timer.envelope);
      await this.#settle(handling, isRetryable(error) ? { kind: "release" } : failureSettlement(timer.envelope, error));
    } finally {
      handling.release();
    }
    return isAway;
  }

  /** Abandons a message; a request whose requester has the fault is dead-lettered, since nothing waits for another try. */
  async #failure(handling: Handling, error: unknown): Promise<Settlement> {
    const { envelope, lockToken } = handling.message;
    // One that was given up is redelivered.
    const isFinal = !handling.isOver || lockToken === undefined;
    const isSent = isFinal && (await this.#options.parts.fault?.(envelope, error)) === true;
    return isSent && this.#deadLetters ? faultSettlement(envelope, error) : failureSettlement(envelope, error);
  }

  /** Abandons a message when a store or key service was unavailable; dead-letters any other unreadable message. */
  async #refuse(handling: Handling, result: UnreadableResult): Promise<void> {
    const { envelope } = handling.message;
    const { error, attempts } = result;
    const { order } = handling;
    if (error.retryable) await this.#settle(handling, { kind: "release" });
    else {
      await this.#options.parts.fault?.(envelope, error);
      const letter = unreadableSettlement(envelope, result);
      if (order === undefined) await this.#settle(handling, letter);
      else
        await this.#end(handling, () =>
          this.#inSession(handling, error, () => order.deadLetter(handling.message, letter)),
        );
    }
    await this.report("deserialize", error, envelope, attempts);
  }

  #call(result: MessageResult, handling: Handling, context: Context): Promise<void> | void {
    const { tracing, signals } = this.#options.parts;
    return tracing === undefined && !signals.timesHandlers
      ? this.#handOver(result, handling, context)
      : this.#watched(() => this.#handOver(result, handling, context), handling.message);
  }

  /** Calls the handler in the span of its message, if there is tracing, and reports how long it takes. */
  #watched(call: () => Promise<void> | void, { envelope }: Delivery): Promise<void> {
    const { tracing, signals } = this.#options.parts;
    if (tracing === undefined) return this.#timed(call);
    return this.#traced(envelope, async () => {
      try {
        await (signals.timesHandlers ? this.#timed(call) : call());
      } catch (error) {
        await this.report("handler", error, envelope);
        throw error;
      }
    });
  }

  #handOver(result: MessageResult, handling: Handling, context: Context): Promise<void> | void {
    const { handlers, parts } = this.#options;
    if (result.ok) {
      const message = readMessage<Types>(handling.message, result, parts.replies);
      handling.take(message);
      return this.#processMessage(message, context);
    }
    const message = unreadableMessage(handling.message, result, parts.replies);
    handling.take(message);
    return handlers.processUnreadable?.(message, context);
  }

  /** Reports how long a handler takes. */
  async #timed(call: () => Promise<void> | void): Promise<void> {
    const { clock, signals } = this.#options.parts;
    const startedAt = clock.now();
    // The system's clock may be set back.
    const seconds = (): number => Math.max(clock.now() - startedAt, 0) / 1_000;
    try {
      await call();
    } catch (error) {
      signals.handled(seconds(), error ?? new TypeError(`${String(error)} was thrown`));
      throw error;
    }
    signals.handled(seconds(), undefined);
  }

  /** Runs in the span of a message, which ends with the failure if one is already known. */
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

  /** Completes a message without waiting for it: the slot learns when the broker has answered. */
  #complete(handling: Handling, slot: Slot): void {
    if (handling.isOver) {
      handling.release();
      return;
    }
    handling.isSettled = true;
    slot.begun();
    handling.settler.complete(handling.message, (isDone, error) => {
      handling.release();
      if (isDone) slot.done();
      else void this.#notSettled(handling, error).then(() => slot.done());
    });
  }

  #settle(handling: Handling, settlement: Settlement): Promise<void> {
    return this.#end(handling, () => handling.settler.settle(handling.message, settlement));
  }

  #recover(recovery: Recovery, handling: Handling, error: unknown, messageType: string | undefined): Promise<void> {
    const recover = (): Promise<void> => recovery.recover(handling.message, handling, error, messageType);
    return this.#end(
      handling,
      handling.order === undefined ? recover : () => this.#inSession(handling, error, recover),
    );
  }

  /**
   * Settles a failed message of a session. When that fails for a reason that no repetition mends, the message is
   * abandoned: releasing it with its session would count nothing, and the handler would run again endlessly.
   */
  async #inSession(handling: Handling, error: unknown, settle: () => Promise<void>): Promise<void> {
    const { message, settler } = handling;
    try {
      await settle();
    } catch (wrong) {
      const isUnknown = wrong instanceof SobreError && wrong.outcome === "unknown";
      // Rights to send may be missing for good, where those to receive are not.
      const mayPass = isRetryable(wrong) && codeOf(wrong) !== "UnauthorizedAccess";
      if (isUnknown || mayPass || isSessionGone(wrong)) throw wrong;
      await this.report("settle", wrong, message.envelope);
      await settler.settle(message, failureSettlement(message.envelope, error));
    }
  }

  /** Settles once and stops renewing the lock; a lost lock is reported. */
  async #end(handling: Handling, settle: () => Promise<void>): Promise<void> {
    try {
      if (handling.isOver) return;
      handling.isSettled = true;
      await settle();
    } catch (error) {
      await this.#notSettled(handling, error);
    } finally {
      handling.release();
    }
  }

  async #notSettled(handling: Handling, error: unknown): Promise<void> {
    // An earlier try may have settled it, which is a success; otherwise the message is redelivered.
    if (error instanceof SobreError && error.outcome === "unknown") return;
    handling.order?.lost();
    await this.report("settle", error, handling.message.envelope);
  }
}

const tooLate = (entityPath: string): SobreError =>
  new SobreError("Aborted", `The processor on "${entityPath}" was closed before its handler had ended.`);

const noMessages: ReadonlySet<bigint> = new Set();
