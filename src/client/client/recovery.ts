import { messageProperties } from "../../core/message/message-properties.ts";
import { deadLetterReasons } from "./dead-letter-reasons.ts";
import { parseAddress } from "../../core/engine/address.ts";
import type { Capability } from "../../core/engine/capabilities.ts";
import type { Delivery, Modification, ReceiveMode } from "../../core/engine/delivery.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { ClientParts } from "./client-parts.ts";
import { failureMark } from "./dead-lettering.ts";
import { detectsDuplicates } from "./duplicate-detection.ts";
import { readRetries, type SessionRetries, type RetryPlan, type RetryPolicy } from "./message-retries.ts";
import { timerFor, waitsForTimer } from "./retry-timer.ts";
import type { SessionOrder } from "./session-order.ts";
import type { Settler } from "./settling.ts";

/** Where a {@link Recovery} settles. */
export interface RecoveryOptions {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly parts: ClientParts;
  /** Whether messages are received in sessions, whose order a copy would lose. */
  readonly inSessions: boolean;
  /** The types of messages that the handlers take; any without them. */
  readonly messageTypes: readonly MessageType[] | undefined;
}

/**
 * Settles messages whose handler failed, by the option `retries`.
 *
 * A delayed retry is one act: a copy is scheduled and the message completed in one transaction. Where the queue detects
 * duplicates and would drop the copy, and in sessions, whose order it would lose, the message is deferred, after its
 * timer is set. All counts are kept on the message.
 */
export class Recovery {
  /** Milliseconds that all waits of a message take at most. */
  readonly horizon: number;
  readonly #options: RecoveryOptions;
  readonly #plan: RetryPolicy;
  readonly #copies: boolean;
  #detects: Promise<boolean> | undefined;

  /**
   * @throws SobreError `InvalidArgument` for an invalid option and where messages cannot be retried,
   * `UnsupportedCapability` for delays that the engine cannot do.
   */
  constructor(retries: SessionRetries, options: RecoveryOptions) {
    const { plan, waits, horizon } = readRetries(retries, options.inSessions, options.messageTypes);
    this.horizon = horizon;
    this.#plan = plan;
    this.#options = options;
    this.#copies = !options.inSessions && supports(options, ...copying);
    const { name, subQueue } = parseAddress(options.entityPath);
    if (options.receiveMode === "receiveAndDelete" || subQueue !== undefined)
      throw invalidOption("retries", "requires peekLock and is not available on sub-queues");
    if (!waits) return;
    if (/\/subscriptions\//i.test(name)) {
      const advice = "forward the subscription to a queue (forwardTo) and process that queue";
      throw invalidOption(
        "retries.delayed",
        `is not available here, since nothing can be sent to a subscription; ${advice}`,
      );
    }
    if (!this.#copies && !supports(options, ...deferring)) throw unsupported(options);
  }

  /**
   * Retries a message or dead-letters it.
   *
   * @param order The order of the message's session; `undefined` without sessions.
   * @throws what scheduling, settling and `retryable` throw; the message is not settled then, or the outcome is unknown.
   */
  async recover(
    message: Delivery,
    { settler, order }: { readonly settler: Settler; readonly order: SessionOrder | undefined },
    error: unknown,
    messageType: string | undefined,
  ): Promise<void> {
    const at = this.#options.parts.clock.now();
    const plan = beforeExpiry(this.#plan(error, message, messageType), message, at);
    const failure = failureMark(message.envelope, error);
    if (plan.kind === "giveUp") {
      await this.#options.parts.fault?.(message.envelope, error);
      const { reason: deadLetterReason, description: deadLetterErrorDescription } = plan;
      const propertiesToModify = { ...failure, [messageProperties.retryTimer]: undefined };
      const letter = { kind: "deadLetter", deadLetterReason, deadLetterErrorDescription, propertiesToModify } as const;
      await (order === undefined ? settler.settle(message, letter) : order.deadLetter(message, letter));
      return;
    }
    const marks = { ...failure, ...countsOf(plan) };
    // A deferred message stays deferred when it is abandoned: its retries need a timer, or a session that has one.
    const isDeferred = waitsForTimer(message.envelope);
    const { signals } = this.#options.parts;
    if (plan.kind === "immediate") signals.immediateRetries++;
    else signals.delayedRetries++;
    if (plan.kind === "immediate" && (!isDeferred || order !== undefined))
      await settler.settle(message, { kind: "abandon", propertiesToModify: marks });
    else if (order !== undefined) {
      await this.#defer(message, settler, marks, at + plan.delay);
      order.waits();
    } else if (isDeferred || !this.#copies || (await this.#detectsDuplicates()))
      await this.#defer(message, settler, marks, at + plan.delay);
    else await settler.replace(message, copyOf(message, marks, at + plan.delay));
  }

  /** The timer is set first: one without its message ends, a message without its timer would wait forever. */
  async #defer(message: Delivery, settler: Settler, marks: Modification, at: number): Promise<void> {
    const { entityPath, parts } = this.#options;
    const id = crypto.randomUUID();
    const timer = timerFor(message, id, at);
    await parts.retry.run(() => settler.engine.schedule(entityPath, [timer]));
    await settler.settle(message, {
      kind: "defer",
      propertiesToModify: { ...marks, [messageProperties.retryTimer]: id },
    });
  }

  /** Whether a copy with the same id might be dropped. Asked once; an error is not an answer for later. */
  async #detectsDuplicates(): Promise<boolean> {
    const { parts, entityPath } = this.#options;
    this.#detects ??= parts.retry.run(async () => (await detectsDuplicates(parts.engine, entityPath)) ?? true);
    try {
      return await this.#detects;
    } catch {
      this.#detects = undefined;
      return true;
    }
  }
}

/** A retry that would come too late is given up: a message is not delivered once its time to live is over. */
function beforeExpiry(plan: RetryPlan, { expiresAtUtc }: Delivery, now: number): RetryPlan {
  if (plan.kind !== "delayed" || expiresAtUtc === undefined || expiresAtUtc.getTime() > now + plan.delay) return plan;
  const description = "The handler failed, and the message would expire before its next delayed retry.";
  return { kind: "giveUp", reason: deadLetterReasons.retriesExhausted, description };
}

/** The same message for later; its time to live goes on. */
function copyOf({ envelope, expiresAtUtc }: Delivery, marks: Modification, at: number): Envelope {
  return amend(envelope, {
    applicationProperties: marks,
    brokerProperties: {
      scheduledEnqueueTimeUtc: new Date(at),
      ...(expiresAtUtc !== undefined && { timeToLive: Math.ceil(expiresAtUtc.getTime() - at) }),
    },
  });
}

const copying: readonly Capability[] = ["transactions", "schedule"];
const deferring: readonly Capability[] = ["defer", "schedule", "peek"];

const supports = ({ parts }: RecoveryOptions, ...needed: readonly Capability[]): boolean =>
  needed.every((capability) => parts.engine.capabilities[capability].level !== "refused");

const unsupported = ({ parts, inSessions }: RecoveryOptions): SobreError =>
  new SobreError(
    "UnsupportedCapability",
    `retries.${inSessions ? "delayed and retries.holdSession require" : "delayed requires"} an engine with ${inSessions ? "" : `${copying.join(" and ")}, or `}${deferring.join(", ")}, and the engine "${parts.engine.name}" lacks them. Use retries.immediate.`,
  );

const countsOf = ({ immediate, delayed }: Exclude<RetryPlan, { readonly kind: "giveUp" }>): Modification => ({
  [messageProperties.immediateRetries]: immediate === 0 ? undefined : immediate,
  [messageProperties.delayedRetries]: delayed === 0 ? undefined : delayed,
});
