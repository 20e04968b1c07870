import { messageProperties } from "../../core/message/message-properties.ts";
import { type Delivery, deadLetterProperties, type Settlement } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { ClientParts } from "./client-parts.ts";
import { codeOf } from "./process-error.ts";
import { isTimer, messageOfTimer, timerAgain, timerFor, timerIdOf } from "./retry-timer.ts";
import {
  behind,
  burialSteps,
  farAway,
  holdFor,
  holdOfMessage,
  isBuried,
  isHold,
  isWaiting,
  releasedBy,
  releaseFor,
} from "./session-hold.ts";
import type { Settler } from "./settling.ts";

/** Options of {@link SessionOrder}. */
export interface SessionOrderOptions {
  readonly entityPath: string;
  readonly sessionId: string;
  readonly parts: Pick<ClientParts, "clock" | "engine" | "retry">;
  readonly settler: Settler;
  /** Whether messages of the session may have been left waiting by an earlier holder. */
  readonly retries: boolean;
  /** Whether the session waits for its dead letters to be re-driven. */
  readonly holds: boolean;
  /** Once it is aborted, no further message that waited is handled: their timer is left to the next holder. */
  readonly signal: AbortSignal;
}

/** Handles a message; resolves to whether to pause. */
type Handle = (message: Delivery) => Promise<boolean>;

/** After a message: `away` to pause, `lost` to give up the session, because a message is left unsettled. */
export type OrderProgress = "handled" | "waiting" | "away" | "lost";

type DeadLetterSettlement = Extract<Settlement, { readonly kind: "deadLetter" }>;

/** Milliseconds after which a timer looks again for a message that it could not take. */
const again = 30_000;

/**
 * Keeps the order of a session while one of its messages waits for a retry, or to be re-driven.
 *
 * The waiting message is deferred, with a timer in the session. Messages after it are deferred as they arrive, so that
 * nobody has to hold the session meanwhile; when the timer comes, all are handled in order. Everything is kept in the
 * session's messages: any processor continues.
 */
export class SessionOrder {
  readonly #options: SessionOrderOptions;
  /** Whether a message waits; `undefined` until it is known. */
  #waits: boolean | undefined;
  #isLost = false;

  constructor(options: SessionOrderOptions) {
    this.#options = options;
    this.#waits = options.retries ? undefined : false;
  }

  /** Handles a message that was received, or defers it after those that wait. @throws what the engine throws. */
  async process(message: Delivery, handle: Handle): Promise<OrderProgress> {
    if (isTimer(message.envelope)) return this.#wake(message, handle);
    if (!(await this.#returns(message)) && (await this.#mustWait())) {
      const propertiesToModify = { [messageProperties.retryTimer]: behind };
      await this.#options.settler.settle(message, { kind: "defer", propertiesToModify });
      return "waiting";
    }
    if (await handle(message)) return "away";
    return this.#isLost ? "lost" : "handled";
  }

  /** Called when a message was deferred for a retry: those after it wait. */
  waits(): void {
    this.#waits = true;
  }

  /** Called when a message could not be settled: it must be redelivered before those after it. */
  lost(): void {
    this.#isLost = this.#options.retries;
  }

  /** Dead-letters a message, and lets the session wait for it if asked to. @throws what the engine throws. */
  async deadLetter(message: Delivery, letter: DeadLetterSettlement): Promise<void> {
    const { settler, holds } = this.#options;
    if (!holds) return settler.settle(message, letter);
    const id = burialSteps.hold + crypto.randomUUID();
    const { deadLetterReason, deadLetterErrorDescription, propertiesToModify } = letter;
    // Deferred first, since a hold is only found when all messages before it are.
    await this.#schedule(timerFor(message, id, this.#now));
    await settler.settle(message, {
      kind: "defer",
      propertiesToModify: {
        ...propertiesToModify,
        [deadLetterProperties.reason]: deadLetterReason,
        [deadLetterProperties.description]: deadLetterErrorDescription,
        [messageProperties.hold]: crypto.randomUUID(),
        [messageProperties.retryTimer]: id,
      },
    });
    this.#waits = true;
  }

  get #now(): number {
    return this.#options.parts.clock.now();
  }

  /** Whether this is the dead letter that the session waits for. Its timer is set before its handler settles it. */
  async #returns(message: Delivery): Promise<boolean> {
    const hold = holdOfMessage(message);
    if (hold === undefined || !(await this.#isHeld(hold))) return false;
    await this.#schedule(releaseFor(message, hold, this.#now));
    return true;
  }

  async #mustWait(): Promise<boolean> {
    if (this.#waits === undefined) {
      this.#waits = false;
      for await (const message of this.#ahead()) if (isWaiting(message) || isHold(message)) return (this.#waits = true);
    }
    return this.#waits;
  }

  async #wake(timer: Delivery, handle: Handle): Promise<OrderProgress> {
    if (holdOfMessage(timer) !== undefined) return this.#setAgain(timer, farAway);
    // Whoever had it before may have been killed; as a new message it never reaches the maximum of deliveries.
    if (timer.deliveryCount > 0) return this.#setAgain(timer, 0);
    const progress = await this.#advance(timer, handle);
    this.#waits = progress !== "next";
    if (progress === "away" || progress === "lost") return progress;
    if (progress === "busy") return this.#setAgain(timer, again);
    await this.#options.settler.settle(timer, { kind: "complete" });
    return progress === "next" ? "handled" : "waiting";
  }

  async #setAgain(timer: Delivery, delay: number): Promise<OrderProgress> {
    await this.#schedule(timerAgain(timer, this.#now + delay));
    await this.#options.settler.settle(timer, { kind: "complete" });
    return "waiting";
  }

  /** Handles the message of a timer, then those that waited for it. */
  async #advance(timer: Delivery, handle: Handle): Promise<OrderStep> {
    this.#waits = false;
    const target = await this.#look(messageOfTimer(timer));
    if (target !== undefined && isWaiting(target) && timerIdOf(target.envelope) === timerIdOf(timer.envelope)) {
      if (isBuried(target, "hold") || isBuried(target, "deadLetter")) return this.#bury(target);
      const step = await this.#run(target, handle);
      if (step !== "next") return step;
    }
    const released = releasedBy(timer);
    if (released !== undefined && target === undefined) await this.#cancelHolds((hold) => hold === released);
    return this.#drain(handle);
  }

  /** Handles messages in order until one waits for a timer of its own, or for its dead letter. */
  async #drain(handle: Handle): Promise<OrderStep> {
    if (await this.#isHeld()) return "waiting";
    for await (const message of this.#ahead()) {
      if (!isWaiting(message)) continue;
      const step = timerIdOf(message.envelope) === behind ? await this.#run(message, handle) : "waiting";
      if (step !== "next") return step;
    }
    return "next";
  }

  /** Handles a waiting message until it is settled otherwise than by abandoning it. */
  async #run(found: Delivery, handle: Handle): Promise<OrderStep> {
    const { sequenceNumber } = found;
    for (;;) {
      if (this.#options.signal.aborted) return "lost";
      const message = await this.#take(sequenceNumber);
      if (message === undefined) return (await this.#look(sequenceNumber)) === undefined ? "next" : "busy";
      await this.#returns(message);
      if (await handle(message)) return "away";
      if (this.#isLost) return "lost";
      if (this.#waits === true) return "waiting";
      const after = await this.#look(sequenceNumber);
      if (after === undefined || !isWaiting(after)) return "next";
    }
  }

  /** The next step in dead-lettering a message whose session is held. */
  async #bury(found: Delivery): Promise<OrderStep> {
    const { settler } = this.#options;
    const message = await this.#take(found.sequenceNumber);
    const hold = message === undefined ? undefined : holdOfMessage(message);
    if (message === undefined || hold === undefined) return "busy";
    if (isBuried(message, "hold")) {
      const id = burialSteps.deadLetter + crypto.randomUUID();
      await this.#schedule(holdFor(message, hold, this.#now), timerFor(message, id, this.#now));
      await settler.settle(message, { kind: "defer", propertiesToModify: { [messageProperties.retryTimer]: id } });
      return "waiting";
    }
    await this.#cancelHolds((other) => other !== hold);
    const { applicationProperties } = message.envelope;
    await settler.settle(message, {
      kind: "deadLetter",
      deadLetterReason: String(applicationProperties[deadLetterProperties.reason]),
      deadLetterErrorDescription: String(applicationProperties[deadLetterProperties.description]),
      propertiesToModify: { [messageProperties.retryTimer]: undefined },
    });
    return "waiting";
  }

  /** Whether the session waits for this dead letter, or for any. */
  async #isHeld(hold?: string): Promise<boolean> {
    for await (const message of this.#ahead())
      if (isHold(message) && (hold === undefined || holdOfMessage(message) === hold)) return true;
    return false;
  }

  async #cancelHolds(isOver: (hold: string | undefined) => boolean): Promise<void> {
    const { entityPath, parts } = this.#options;
    const over: bigint[] = [];
    for await (const message of this.#ahead())
      if (isHold(message) && isOver(holdOfMessage(message))) over.push(message.sequenceNumber);
    if (over.length > 0) await parts.retry.once(() => parts.engine.cancel(entityPath, over));
  }

  /** The messages before the first one that is available: all that wait are among them. */
  async *#ahead(): AsyncGenerator<Delivery> {
    let fromSequenceNumber = 0n;
    for (let maxMessages = 4; ; maxMessages = Math.min(2 * maxMessages, 64)) {
      const page = await this.#peek(fromSequenceNumber, maxMessages);
      for (const message of page) {
        if (message.state === "active" && !isTimer(message.envelope)) return;
        yield message;
        fromSequenceNumber = message.sequenceNumber + 1n;
      }
      if (page.length === 0) return;
    }
  }

  async #look(sequenceNumber: bigint): Promise<Delivery | undefined> {
    const [found] = await this.#peek(sequenceNumber, 1);
    return found?.sequenceNumber === sequenceNumber ? found : undefined;
  }

  #peek(fromSequenceNumber: bigint, maxMessages: number): Promise<readonly Delivery[]> {
    const { entityPath, sessionId, parts } = this.#options;
    return parts.retry.run(() => parts.engine.peek(entityPath, { sessionId, fromSequenceNumber, maxMessages }));
  }

  async #schedule(...timers: readonly Envelope[]): Promise<void> {
    const { entityPath, parts } = this.#options;
    await parts.retry.run(() => parts.engine.schedule(entityPath, timers));
  }

  /** A deferred message, locked; `undefined` when it is gone or locked already. */
  async #take(sequenceNumber: bigint): Promise<Delivery | undefined> {
    const { entityPath, sessionId, parts } = this.#options;
    const options = { receiveMode: "peekLock", sessionId } as const;
    try {
      const [message] = await parts.retry.once(() =>
        parts.engine.receiveDeferred(entityPath, [sequenceNumber], options),
      );
      return message;
    } catch (error) {
      if (codeOf(error) === "MessageNotFound") return undefined;
      throw error;
    }
  }
}

/** After a waiting message: `busy` when it is locked. */
type OrderStep = "next" | "waiting" | "busy" | "away" | "lost";
