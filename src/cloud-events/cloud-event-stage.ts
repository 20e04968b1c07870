import { guardedStage } from "../codec/guarded-stage.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import { amend } from "../envelope/envelope.ts";
import { cloudEventToEnvelope, isStructured } from "./cloud-event-binding.ts";
import { cloudEventFromJson } from "./cloud-event-json.ts";

/**
 * A stage that converts received structured CloudEvents to binary mode: the data become the payload, `datacontenttype`
 * the content type, and the event's type selects the message type that has it as an alias.
 *
 * It comes first. A handler reads the other attributes with `cloudEventFromEnvelope(message.envelope)`. Sent messages
 * are unchanged: send events with `cloudEventToEnvelope` and `sendEnvelopes`. Receiving fails with `DecodeFailed` for
 * an event that violates the format.
 *
 * @example
 * ```ts
 * const opening = createClient({ engine, serializer, stages: [cloudEvents()] });
 * await opening.close();
 * ```
 */
export function cloudEvents(): PayloadStage {
  return guardedStage({
    name: "cloud-events",
    afterReceive(envelope) {
      const { payload, bodyKind, brokerProperties } = envelope;
      if (bodyKind !== "data" || !isStructured(brokerProperties.contentType)) return envelope;
      const event = cloudEventFromJson(payload);
      // Without a content type, data are JSON (CloudEvents 1.0.2, JSON format, 3.1).
      const contentType = event.datacontenttype ?? (event.data && "application/json");
      const opened = cloudEventToEnvelope(event);
      return amend(envelope, {
        payload: opened.payload,
        brokerProperties: { contentType },
        applicationProperties: opened.applicationProperties,
      });
    },
  });
}
