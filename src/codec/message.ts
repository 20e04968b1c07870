import type { BrokerPropertiesInit } from "../envelope/broker-properties.ts";
import type { BodyKind, EnvelopeInit } from "../envelope/envelope.ts";

/** A message to send: the body as a value, next to the broker properties, as in `@azure/service-bus`. */
export type Message<Body = unknown> = BrokerPropertiesInit & {
  readonly body: Body;
  readonly applicationProperties?: EnvelopeInit["applicationProperties"];
  /**
   * `value` or `sequence` sends the body as an AMQP value or list, which the first codec that writes that kind encodes,
   * whatever the content type says. Default: what the codec of the content type writes, `data` as a rule.
   */
  readonly bodyKind?: BodyKind | undefined;
};
