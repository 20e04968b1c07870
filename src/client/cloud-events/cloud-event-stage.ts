import { guardedStage } from "../../core/codec/guarded-stage.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { parseContentType } from "../../core/content-type/content-type.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { readTypeClaim } from "../../core/message/type-property.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { CloudEventMode } from "./cloud-event.ts";
import { type CloudEventPrefix, cloudEventToEnvelope, isStructured } from "./cloud-event-binding.ts";
import { cloudEventFromJson } from "./cloud-event-json.ts";

/** Options of {@link cloudEvents}. */
export interface CloudEventStageOptions {
  /**
   * The `source` of the events to send, a URI-reference: messages of a message type are sent as events. Default: sent
   * messages are unchanged.
   */
  readonly source?: string | undefined;
  /** Default: `binary`. */
  readonly mode?: CloudEventMode | undefined;
  /** The prefix of attributes in binary mode. Default: `cloudEvents:`. */
  readonly prefix?: CloudEventPrefix | undefined;
  /** The `type` of the events of a message type. Default: its name. */
  readonly type?: ((messageType: string, version: number) => string) | undefined;
  /** The `dataschema` of the events of a message type, a URI. Default: none. */
  readonly dataschema?: ((messageType: string, version: number) => string) | undefined;
  /** The clock for the `time` of events. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const cloudEventStageChecks: OptionChecks<CloudEventStageOptions> = {
  source: is.name,
  mode: is.oneOf("binary", "structured"),
  prefix: is.anything,
  type: is.aFunction,
  dataschema: is.aFunction,
  clock: is.clock,
};

/**
 * A stage for CloudEvents: it converts received structured events to binary mode and, with a `source`, sends messages of
 * message types as events.
 *
 * Received: the data become the payload, `datacontenttype` the content type, and the event's type selects the message
 * type that has it as its name or an alias. Sent: the `id` is the message id, `subject` that of the message, `time` the
 * present; the message type and version stay in their application properties, too, for readers of sobre. Messages without
 * a message type are sent unchanged.
 *
 * It comes first. A handler reads the other attributes with `cloudEventFromEnvelope(message.envelope)`. Receiving fails
 * with `DecodeFailed` for an event that violates the format.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const Placed = defineMessage(
 *   "shop.placed",
 *   { 1: z.object({ id: z.number() }) },
 *   { stages: [cloudEvents({ source: "/shop", type: (name, version) => `com.acme.${name}.v${version}` })] },
 * );
 * await client.createSender("orders").sendMessages(Placed.message({ id: 8 }, { messageId: "order-8" }));
 * ```
 */
export function cloudEvents(options: CloudEventStageOptions = {}): PayloadStage {
  checkOptions(options, cloudEventStageChecks);
  const { source } = options;
  return guardedStage({
    name: "cloud-events",
    ...(source !== undefined && { beforeSend: (envelope: Envelope) => asEvent(envelope, source, options) }),
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

function asEvent(envelope: Envelope, source: string, options: CloudEventStageOptions): Envelope {
  const { payload, bodyKind, brokerProperties } = envelope;
  const { contentType, messageId, subject } = brokerProperties;
  const { declared, version } = readTypeClaim(
    envelope,
    contentType === undefined ? undefined : parseContentType(contentType),
  );
  if (declared === undefined || version === undefined) return envelope;
  if (bodyKind !== "data")
    throw new SobreError(
      "UnsupportedValue",
      `A CloudEvent cannot have a body of kind ${bodyKind}. Send it with a content type, e.g. application/json.`,
    );
  const { mode, prefix, type, dataschema, clock = systemClock } = options;
  const event = {
    id: String(messageId ?? crypto.randomUUID()),
    source,
    type: type?.(declared, version) ?? declared,
    subject,
    time: new Date(clock.now()),
    datacontenttype: contentType,
    dataschema: dataschema?.(declared, version),
    data: payload,
  };
  const written = cloudEventToEnvelope(event, { mode, prefix });
  return amend(envelope, {
    payload: written.payload,
    brokerProperties: { contentType: written.brokerProperties.contentType },
    applicationProperties: written.applicationProperties,
  });
}
