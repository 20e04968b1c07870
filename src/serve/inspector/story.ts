import { parseMessage } from "../../wire/amqp/message/amqp-message.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { withoutDeadLetterMarks } from "../../client/client/dead-lettering.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { toBase64 } from "../../core/values/base64.ts";
import { rowsOf } from "./amqp-rows.ts";
import type { SectionFact, StoryAnswer, TimelineEvent } from "./api.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { failureOf, recordedAttempts, redrivesOf, relatedIds, retriesOf, rowOf, traceOf } from "./message-facts.ts";
import { rendered } from "./message-filter.ts";

/** Bytes of a payload that are shown. */
const maxBytes = 64 * 1024;

/** How a story is shown. */
export interface StoryOptions extends Pick<InspectorParts, "reading" | "redaction"> {
  /** Whether the body is shown. */
  readonly showsBody: boolean;
}

/** Everything about a message. */
export async function storyOf(
  delivery: Delivery,
  { reading, redaction, showsBody }: StoryOptions,
): Promise<StoryAnswer> {
  const read = await reading.read(delivery.envelope);
  const { brokerProperties, payload } = delivery.envelope;
  // Their reason, attempts and failure are shown as what they are.
  const { applicationProperties } = withoutDeadLetterMarks(delivery.envelope);
  const showsBytes = showsBody && !redaction.active;
  return {
    row: rowOf(delivery, read, redaction),
    brokerProperties: redaction.properties(rendered(brokerProperties)),
    applicationProperties: redaction.properties(rendered(applicationProperties)),
    hidden: !showsBody,
    verdict: reading.verdict(read, showsBody),
    recorded: recordedAttempts(delivery),
    failure: failureOf(delivery),
    versions: await reading.versions(read),
    timeline: timelineOf(delivery),
    related: relatedIds(delivery.envelope, redaction),
    payload: showsBytes ? toBase64(payload.subarray(0, maxBytes)) : null,
    sections: showsBytes ? sectionsOf(delivery) : [],
  };
}

/** The sections of the message as a broker delivers it over AMQP; none when it cannot be encoded. */
function sectionsOf({ envelope, ...delivery }: Delivery): readonly SectionFact[] {
  try {
    const bytes = encodeMessage(envelope, { delivery });
    return parseMessage(bytes)
      .borders()
      .map(({ name, start, content, end }) => ({ name, start, end, rows: rowsOf(bytes, content, 1, name) }));
  } catch (error) {
    if (error instanceof SobreError) return [];
    throw error;
  }
}

function timelineOf(delivery: Delivery): readonly TimelineEvent[] {
  const { envelope, enqueuedTimeUtc, enqueuedSequenceNumber, sequenceNumber, deliveryCount, expiresAtUtc } = delivery;
  const { scheduledEnqueueTimeUtc, correlationId } = envelope.brokerProperties;
  const trace = traceOf(envelope.applicationProperties);
  const redrives = redrivesOf(envelope);
  const retries = retriesOf(envelope);
  const failure = failureOf(delivery);
  return [
    ...(trace === null ? [] : [event(undefined, `part of the trace ${trace}`)]),
    ...(correlationId === undefined
      ? []
      : [event(undefined, "answers or belongs to another message, by its correlation id")]),
    ...(scheduledEnqueueTimeUtc === undefined ? [] : [event(scheduledEnqueueTimeUtc, "scheduled for this time")]),
    event(enqueuedTimeUtc, `enqueued as #${enqueuedSequenceNumber}`),
    ...(redrives === 0 ? [] : [event(undefined, `sent back from the dead letters ${times(redrives)} before`)]),
    ...(retries === 0 ? [] : [event(undefined, `handled again after a failure ${times(retries)}`)]),
    ...(deliveryCount === 0 ? [] : [event(undefined, `delivered ${times(deliveryCount)} without success`)]),
    ...(failure === null ? [] : [event(undefined, `the last handler failed: ${failure}`)]),
    ...(delivery.deadLetterReason === undefined
      ? []
      : [event(undefined, `dead-lettered as #${sequenceNumber}: ${delivery.deadLetterReason}`)]),
    ...(expiresAtUtc === undefined ? [] : [event(expiresAtUtc, "expires")]),
  ];
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const event = (time: Date | undefined, what: string): TimelineEvent => ({ time: time?.toISOString() ?? null, what });
