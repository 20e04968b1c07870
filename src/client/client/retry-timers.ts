import { messageProperties } from "../../core/message/message-properties.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { ClientParts } from "./client-parts.ts";
import { codeOf } from "./process-error.ts";
import { messageOfTimer, timerAgain } from "./retry-timer.ts";
import type { Settler } from "./settling.ts";

/** Milliseconds after which a timer looks again for a message that it could not take. */
const again = 30_000;

/** Takes the messages that timers were set for. */
export class RetryTimers {
  readonly #entityPath: string;
  readonly #parts: Pick<ClientParts, "clock" | "retry">;

  constructor(entityPath: string, parts: Pick<ClientParts, "clock" | "retry">) {
    this.#entityPath = entityPath;
    this.#parts = parts;
  }

  /**
   * The message of a timer, received in the mode that the timer was; `undefined` when it is gone or locked.
   *
   * @throws what the engine throws.
   */
  async take(timer: Delivery, engine: Engine): Promise<Delivery | undefined> {
    if ((await this.#find(timer, engine)) !== "waiting") return undefined;
    const { sessionId } = timer.envelope.brokerProperties;
    const receiveMode = timer.lockToken === undefined ? "receiveAndDelete" : "peekLock";
    const options = { receiveMode, sessionId } as const;
    try {
      const [message] = await this.#parts.retry.once(() =>
        engine.receiveDeferred(this.#entityPath, [messageOfTimer(timer)], options),
      );
      return message;
    } catch (error) {
      // Somebody else holds it.
      if (codeOf(error) === "MessageNotFound") return undefined;
      throw error;
    }
  }

  /** Completes a timer whose message no longer waits for it; otherwise sets it again. @throws what the engine throws. */
  async end(timer: Delivery, settler: Settler): Promise<void> {
    if ((await this.#find(timer, settler.engine)) !== "gone") {
      const next = timerAgain(timer, this.#parts.clock.now() + again);
      // First, since a message without a timer would wait forever; two timers do no harm.
      await this.#parts.retry.run(() => settler.engine.schedule(this.#entityPath, [next]));
    }
    if (timer.lockToken !== undefined) await settler.settle(timer, { kind: "complete" });
  }

  /** Where a timer's message is: `gone` also when it has another timer, `elsewhere` when it is not deferred. */
  async #find(timer: Delivery, engine: Engine): Promise<"waiting" | "elsewhere" | "gone"> {
    const number = messageOfTimer(timer);
    const { sessionId } = timer.envelope.brokerProperties;
    const wanted = { maxMessages: 1, fromSequenceNumber: number, sessionId };
    const [found] = await this.#parts.retry.run(() => engine.peek(this.#entityPath, wanted));
    if (found?.sequenceNumber !== number) return "gone";
    if (found.state !== "deferred") return "elsewhere";
    const own = timer.envelope.applicationProperties[messageProperties.retryTimer];
    return found.envelope.applicationProperties[messageProperties.retryTimer] === own ? "waiting" : "gone";
  }
}
