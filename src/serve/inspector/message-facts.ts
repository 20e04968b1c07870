import { messageProperties } from "../../core/message/message-properties.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MessageId } from "../../core/envelope/broker-properties.ts";
import { readTypeClaim } from "../../core/message/type-property.ts";
import { parsedJson } from "../../core/values/json.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { Typed } from "../../core/values/typed.ts";
import type { AttemptFact, MessageRow } from "./api.ts";
import { contentTypeOf, type Read } from "./reading.ts";
import type { Redaction } from "./redaction.ts";

/** The story that a consumer has recorded on a dead letter. */
export interface RecordedStory {
  readonly code: string;
  readonly attempts: readonly AttemptFact[];
}

/** Any sender can write the property, so nothing about it is certain. */
export function recordedAttempts({ envelope }: Delivery): RecordedStory | null {
  const text = envelope.applicationProperties[messageProperties.attempts];
  const story = typeof text === "string" ? parsedJson(text) : undefined;
  if (!isObject(story) || !Array.isArray(story["attempts"])) return null;
  const attempts: readonly unknown[] = story["attempts"];
  return {
    code: textOrNothing(story["code"]) ?? "",
    attempts: attempts.filter(isObject).map(({ codec, outcome, code, offset, message }) => ({
      codec: textOrNothing(codec) ?? "",
      outcome: textOrNothing(outcome) ?? "",
      code: textOrNothing(code) ?? null,
      offset: typeof offset === "number" ? offset : null,
      message: textOrNothing(message) ?? null,
    })),
  };
}

export function failureOf({ envelope }: Delivery): string | null {
  return textOrNothing(envelope.applicationProperties[messageProperties.failure]) ?? null;
}

/** The type that the message declares or else implies, with its version; empty without one. */
export function typeOf({ envelope }: Delivery): string {
  const { declared, implied, version } = readTypeClaim(envelope, contentTypeOf(envelope));
  const name = declared ?? implied[0] ?? "";
  return name === "" || version === undefined || Number.isNaN(version) ? name : `${name} v${version}`;
}

/** How the first codec failed: as it was recorded, or else here; empty when it is read. */
export function codecErrorOf(delivery: Delivery, read: Read): string {
  const recorded = recordedAttempts(delivery);
  const attempts = recorded?.attempts ?? (read.result.ok ? [] : read.result.attempts);
  const failed = attempts.find(({ code }) => code !== null && code !== undefined);
  if (failed !== undefined && (recorded !== null || !read.result.ok)) return `${failed.codec}: ${failed.code}`;
  if (recorded !== null) return recorded.code;
  return read.result.ok ? "" : read.result.error.code;
}

/** How often it was sent back from a dead-letter queue. */
export const redrivesOf = ({ applicationProperties }: Envelope): number =>
  countIn(applicationProperties[messageProperties.redriveCount]);

/** How often a handler has tried it again. */
export const retriesOf = ({ applicationProperties }: Envelope): number =>
  countIn(applicationProperties[messageProperties.immediateRetries]) +
  countIn(applicationProperties[messageProperties.delayedRetries]);

/** Any sender can write such a property. */
function countIn(value: unknown): number {
  const count = typeof value === "object" && value !== null ? Number.NaN : Number(value ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** The line of a message in a list. */
export function rowOf(delivery: Delivery, read: Read, redaction: Redaction): MessageRow {
  const { envelope } = delivery;
  const { messageId, subject, sessionId, contentType, scheduledEnqueueTimeUtc } = envelope.brokerProperties;
  const shown = redaction.properties({
    messageId: idText(messageId),
    subject: subject ?? null,
    sessionId: sessionId ?? null,
    contentType: contentType ?? null,
  });
  return {
    sequenceNumber: String(delivery.sequenceNumber),
    enqueuedTimeUtc: delivery.enqueuedTimeUtc.toISOString(),
    scheduledEnqueueTimeUtc: scheduledEnqueueTimeUtc?.toISOString() ?? null,
    state: delivery.state,
    messageId: textOrNothing(shown["messageId"]) ?? null,
    subject: textOrNothing(shown["subject"]) ?? null,
    sessionId: textOrNothing(shown["sessionId"]) ?? null,
    contentType: textOrNothing(shown["contentType"]) ?? null,
    deliveryCount: delivery.deliveryCount,
    sizeInBytes: envelope.payload.byteLength,
    reason: delivery.deadLetterReason ?? "",
    description: delivery.deadLetterErrorDescription ?? "",
    source: delivery.deadLetterSource ?? "",
    type: typeOf(delivery),
    codec: read.result.ok ? read.result.codec : null,
    error: codecErrorOf(delivery, read),
    redrives: redrivesOf(envelope),
  };
}

/** The ids that a message may share with others: its own, the one that it answers, its trace. */
export function relatedIds({ brokerProperties, applicationProperties }: Envelope, redaction: Redaction): string[] {
  const { messageId, correlationId } = redaction.properties({
    messageId: idText(brokerProperties.messageId),
    correlationId: idText(brokerProperties.correlationId),
  });
  const own = idText(brokerProperties.messageId);
  const answered = idText(brokerProperties.correlationId);
  const shown = [messageId === own ? own : null, correlationId === answered ? answered : null];
  return [...new Set([...shown, traceOf(applicationProperties)])].filter(
    (id): id is string => typeof id === "string" && id !== "",
  );
}

/** The id of the trace that a message belongs to; `null` without one. */
export function traceOf({
  traceparent,
  "Diagnostic-Id": diagnosticId,
}: Envelope["applicationProperties"]): string | null {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(traceparent ?? diagnosticId ?? ""))?.[1] ?? null;
}

/** An id of a message as text. */
export function idText(id: MessageId | undefined): string | null {
  if (id === undefined) return null;
  if (id instanceof Uint8Array) return Buffer.from(id).toString("hex");
  return id instanceof Typed ? id.value : String(id);
}

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
