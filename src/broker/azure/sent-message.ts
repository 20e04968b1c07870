import { type AmqpMessage, parseMessage } from "../../wire/amqp/message/amqp-message.ts";
import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { writeMessage } from "../../wire/amqp/message/write-message.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import { brokerPropertyTable } from "../../core/envelope/broker-property-table.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { looseText } from "../../core/amqp-values/loose-value.ts";

/** Annotations that a broker adds on delivery and senders do not send. */
const brokerMarks: ReadonlySet<string> = new Set([
  ...brokerPropertyTable.flatMap(({ settable, amqp }) =>
    !settable && amqp.section === "message-annotations" ? [amqp.name] : [],
  ),
  "x-opt-partition-id",
]);

/** Sections that precede the bare message. */
const outer: ReadonlySet<string> = new Set(["header", "deliveryAnnotations", "messageAnnotations"]);

/**
 * The envelope to send; a received one without the broker's properties of its delivery.
 *
 * The bare message stays the same bytes.
 */
export function withoutDelivery(envelope: Envelope): Envelope {
  if (envelope.origin === undefined) return envelope;
  const bytes = encodeMessage(envelope);
  const message = parseMessage(bytes);
  if (!isMarked(message)) return envelope;
  const { header, messageAnnotations } = message;
  const { durable, priority, ttl } = header ?? {};
  const kept = [...(messageAnnotations ?? [])].filter(([key]) => !brokerMarks.has(looseText(key) ?? ""));
  const head = writeMessage({
    header: [durable, priority, ttl].every((field) => field === undefined) ? undefined : { durable, priority, ttl },
    messageAnnotations: kept.length === 0 ? undefined : new AmqpMap(kept),
  });
  const bare = message.borders().find(({ name }) => !outer.has(name))?.start ?? bytes.byteLength;
  return decodeMessage(Buffer.concat([head, bytes.subarray(bare)]));
}

function isMarked({ header, deliveryAnnotations, messageAnnotations }: AmqpMessage): boolean {
  if (header?.deliveryCount !== undefined || header?.firstAcquirer !== undefined) return true;
  if (deliveryAnnotations !== undefined) return true;
  return [...(messageAnnotations ?? [])].some(([key]) => brokerMarks.has(looseText(key) ?? ""));
}
