import { messageProperties } from "../../core/message/message-properties.ts";
import { deadLetterReasons } from "./dead-letter-reasons.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { Attempt } from "../../core/codec/attempt.ts";
import type { UnreadableResult } from "../../core/codec/result.ts";
import { deadLetterProperties, type Settlement } from "../../core/engine/delivery.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { fitsHeader, maxHeaderSize } from "../../core/envelope/limits.ts";
import { cut } from "../../core/errors/cut.ts";
import { isTimer } from "./retry-timer.ts";
import type { DeadLetterOptions } from "./settling.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** Maximum length of a failure's text, in characters. */
const maxFailureLength = 1024;

/**
 * The settlement of a message whose handler failed: abandoned, with the cause in a property.
 *
 * The dead letter then shows more than that the delivery count was exceeded. The cause is left out when the header
 * limit leaves no room for it.
 */
export function failureSettlement(envelope: Envelope, error: unknown): Settlement {
  const propertiesToModify = failureMark(envelope, error);
  return propertiesToModify === undefined ? { kind: "abandon" } : { kind: "abandon", propertiesToModify };
}

/** The settlement of a failed request whose requester has the fault. */
export function faultSettlement(envelope: Envelope, error: unknown): Settlement {
  return {
    kind: "deadLetter",
    deadLetterReason: deadLetterReasons.requestFailed,
    deadLetterErrorDescription: "The handler failed, and the requester has the fault.",
    propertiesToModify: failureMark(envelope, error) ?? {},
  };
}

/** The property with the cause of a failure; `undefined` when the header limit leaves no room for it. */
export function failureMark(envelope: Envelope, error: unknown): Readonly<Record<string, string>> | undefined {
  const mark = { [messageProperties.failure]: cut(describe(error), maxFailureLength) };
  // A broker may add its own marks when it dead-letters the message.
  return fits(envelope, mark, maxHeaderSize - 1024) ? mark : undefined;
}

function describe(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `${typeof error} thrown`;
    const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
    return `${error.name}${code}: ${error.message}`;
  } catch {
    // The error may have getters that throw.
    return "an error thrown that cannot be described";
  }
}

/** Codes that become the dead-letter reason: the payload was read, but must not be delivered. */
const ownReasons: ReadonlySet<ErrorCode> = new Set([
  "ValidationFailed",
  "UnknownMessageType",
  "UnknownMessageVersion",
  "UpcastFailed",
  "DecryptionFailed",
  "UnknownKey",
  "PlaintextRefused",
  "PayloadNotFound",
]);

/** Maximum length of a dead-letter description, in characters. */
export const maxDescriptionLength = 1024;

/** The settlement that dead-letters an unreadable message, with {@link toDeadLetterOptions}. */
export const unreadableSettlement = (
  envelope: Envelope,
  result: UnreadableResult,
): Extract<Settlement, { readonly kind: "deadLetter" }> => ({
  kind: "deadLetter",
  ...deadLetterOptionsOf(envelope, result),
});

/**
 * The reason, description and record of every attempt for the dead letter of an unreadable message.
 *
 * For use with another client: `receiver.deadLetterMessage(message, toDeadLetterOptions(…))`. The reason is
 * `Unreadable`, or the error code when the message was read but must not be delivered, e.g. `ValidationFailed`.
 */
export function toDeadLetterOptions(envelope: Envelope, result: UnreadableResult): DeadLetterOptions {
  checkOption("envelope", envelope, is.envelope);
  checkOption("result", result, isUnreadable);
  return deadLetterOptionsOf(envelope, result);
}

function deadLetterOptionsOf(envelope: Envelope, { error, attempts }: UnreadableResult): DeadLetterOptions {
  const reason = ownReasons.has(error.code) ? error.code : deadLetterReasons.unreadable;
  const told = error.code === reason ? error.message : `${error.code}: ${error.message}`;
  const description = cut(told, maxDescriptionLength);
  const marks = { [deadLetterProperties.reason]: reason, [deadLetterProperties.description]: description };
  const story = fittingStory(envelope, marks, error.code, attempts);
  return {
    deadLetterReason: reason,
    deadLetterErrorDescription: description,
    propertiesToModify: story === undefined ? {} : { [messageProperties.attempts]: story },
  };
}

/** As many attempts as the header limit leaves room for, or none. */
function fittingStory(
  envelope: Envelope,
  marks: Readonly<Record<string, string>>,
  code: ErrorCode,
  attempts: readonly Attempt[],
): string | undefined {
  for (let count = attempts.length; count >= 0; count = count === 0 ? -1 : count >> 1) {
    const story = JSON.stringify({ code, attempts: attempts.slice(0, count) });
    if (fits(envelope, { ...marks, [messageProperties.attempts]: story })) return story;
  }
  return undefined;
}

function fits(envelope: Envelope, added: Readonly<Record<string, string>>, limit: number = maxHeaderSize): boolean {
  const application = { ...envelope.applicationProperties, ...added };
  return fitsHeader(envelope.brokerProperties, application, limit);
}

/**
 * Removes the dead-letter properties and the counts of retries, so that the message can be sent again.
 *
 * @example
 * ```ts
 * const dead = client.createReceiver("orders/$DeadLetterQueue");
 * for (const message of await dead.receiveMessages(10, { maxWaitTimeInMs: 0 })) {
 *   await sender.sendEnvelopes(withoutDeadLetterMarks(message.envelope));
 *   await dead.completeMessage(message);
 * }
 * ```
 */
export function withoutDeadLetterMarks(envelope: Envelope): Envelope {
  checkOption("envelope", envelope, is.envelope);
  return amend(envelope, {
    applicationProperties: {
      [deadLetterProperties.reason]: undefined,
      [deadLetterProperties.description]: undefined,
      [messageProperties.attempts]: undefined,
      [messageProperties.failure]: undefined,
      [messageProperties.immediateRetries]: undefined,
      [messageProperties.delayedRetries]: undefined,
      // The message is not deferred any more; a timer needs its own.
      ...(!isTimer(envelope) && { [messageProperties.retryTimer]: undefined }),
    },
  });
}

/** The error of a missing `processUnreadable`. */
export function needsUnreadableHandler(why: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `processUnreadable is required ${why}, since unreadable messages cannot be dead-lettered there.`,
  );
}

const isUnreadable: is.OptionCheck = (value) =>
  isObject(value) && value["error"] instanceof SobreError && Array.isArray(value["attempts"])
    ? undefined
    : "must be the result of a deserialization that failed";
